/** The banks of all providers, and the holders of accounts at them. */
import { Effect } from "effect"
import { answerOf } from "../../calls/provider-call.ts"
import { Routes } from "../../calls/Routes.ts"
import type { ExternalServiceUnavailable } from "../../ports/errors.ts"
import { type AccountQuery, type AccountResolution, type Bank, Providers } from "../../ports/Provider.ts"

/** A bank, and the name of the provider whose directory has it. */
export interface ListedBank {
  readonly bank: Bank
  readonly provider: string
}

const byCode = (a: ListedBank, b: ListedBank): number =>
  a.bank.code < b.bank.code ? -1 : a.bank.code > b.bank.code ? 1 : 0

export const makeDirectory = Effect.gen(function* () {
  const providers = yield* Providers
  const routes = yield* Routes

  /**
   * The banks of a country (null: of all), ordered by code. A bank that several directories have under one id is listed once.
   * Errors: `ExternalServiceUnavailable` when a directory does not respond.
   */
  const banks = Effect.fnUntraced(function* (country_code: string | null) {
    const lists = yield* Effect.forEach(
      providers.all,
      ({ directory, name }) =>
        directory === undefined
          ? Effect.succeed([])
          : Effect.map(answerOf("its list of banks", directory.banks(country_code)), (all) =>
              all.map((bank): ListedBank => ({ bank, provider: name }))
            ),
      { concurrency: "unbounded" }
    )
    const listed = lists.flat()
    if (lists.filter((list) => list.length > 0).length < 2) return listed
    return [...new Map(listed.toReversed().map((one) => [one.bank.id, one])).values()].toSorted(byCode)
  })

  return {
    banks,

    /** The holder of an account at a bank. Errors: `ExternalServiceUnavailable` when the directory does not respond. */
    resolveAccount: (
      provider: string,
      account: AccountQuery
    ): Effect.Effect<AccountResolution, ExternalServiceUnavailable> =>
      answerOf("the account holder", providers.named(provider)!.directory!.resolveAccount(account)),

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
      return yield* answerOf("the holder of the payshap proxy", provider.directory!.resolveProxy(proxy))
    })
  }
})
