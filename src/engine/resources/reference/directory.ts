/** The banks of all providers, and the holders of accounts at them. */
import { Effect } from "effect"
import { answerOf } from "../../calls/provider-call.ts"
import { Routes } from "../../calls/Routes.ts"
import type { ExternalServiceUnavailable } from "../../ports/errors.ts"
import { type AccountQuery, type AccountResolution, type Bank, type Provider, Providers } from "../../ports/Provider.ts"

/** A bank, and the name of the provider whose directory has it. */
export interface ListedBank {
  readonly bank: Bank
  readonly provider: string
}

export const makeDirectory = Effect.gen(function* () {
  const providers = yield* Providers
  const routes = yield* Routes

  const listOf = (
    provider: Provider["Service"],
    country_code: string | null
  ): Effect.Effect<ReadonlyArray<ListedBank>, ExternalServiceUnavailable> =>
    provider.directory === undefined
      ? Effect.succeed([])
      : Effect.map(answerOf("its list of banks", provider, provider.directory.banks(country_code)), (all) =>
          all.map((bank): ListedBank => ({ bank, provider: provider.name }))
        )

  return {
    /**
     * The banks of a country (null: of all), ordered by code. A bank (a code in a country) is listed once, with the id that the
     * first configured provider gives it. While a directory does not respond, the banks of the others are listed.
     * Errors: `ExternalServiceUnavailable` when one does not respond and the others have none.
     */
    banks: Effect.fnUntraced(function* (country_code: string | null) {
      // In the order of the configuration.
      const [lists, faults] = yield* Effect.partition(providers.all, (provider) => listOf(provider, country_code), {
        concurrency: "unbounded"
      })
      const listed = lists.flat()
      if (listed.length === 0 && faults[0] !== undefined) return yield* faults[0]
      return [
        ...new Map(listed.toReversed().map((one) => [`${one.bank.country_code} ${one.bank.code}`, one])).values()
      ].toSorted(({ bank: a }: ListedBank, { bank: b }: ListedBank): number =>
        a.code < b.code ? -1 : a.code > b.code ? 1 : a.country_code < b.country_code ? -1 : 1
      )
    }),

    /**
     * The bank of an id, and the provider that knows it: each directory's own id is taken. Undefined: there is none. Once one has it, the
     * others are not waited for.
     * Errors: `ExternalServiceUnavailable` when a directory that may have it does not respond.
     */
    bank: (id: string): Effect.Effect<ListedBank | undefined, ExternalServiceUnavailable> =>
      Effect.suspend(() => {
        const faults: Array<ExternalServiceUnavailable> = []
        const found = providers.all.map((provider) =>
          Effect.flatMap(
            Effect.tapError(listOf(provider, null), (fault) => Effect.sync(() => void faults.push(fault))),
            (listed) => Effect.fromNullishOr(listed.find(({ bank }) => bank.id === id))
          )
        )
        // A race ends those that it does not wait for, also where its caller is not to be interrupted.
        return Effect.catch(Effect.raceAll(found), () =>
          faults[0] === undefined ? Effect.undefined : Effect.fail(faults[0])
        )
      }),

    /** The holder of an account at a bank. Errors: `ExternalServiceUnavailable` when the directory does not respond. */
    resolveAccount: (
      provider: string,
      account: AccountQuery
    ): Effect.Effect<AccountResolution, ExternalServiceUnavailable> =>
      answerOf(
        "the account holder",
        { name: provider },
        providers.byName(provider)!.directory!.resolveAccount(account)
      ),

    /** The holder of a payshap proxy. Errors: `ExternalServiceUnavailable` when the directory does not respond. */
    resolveProxy: Effect.fnUntraced(function* (merchant_id: string, proxy: string) {
      const provider = yield* routes.first({
        operation: "directory",
        merchant_id,
        currency: "ZAR",
        country_code: "ZA",
        network: "bank",
        amount: null
      })
      if (provider === undefined) return { _tag: "switched_off" } as const
      return yield* answerOf("the holder of the payshap proxy", provider, provider.directory!.resolveProxy(proxy))
    })
  }
})
