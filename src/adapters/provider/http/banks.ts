/** The banks of a connector, with ids of ours. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { base32crockford } from "@scure/base"
import { Effect, Option, Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Bank } from "../../../engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../engine/ports/Storage.ts"
import { Bank as Listing } from "../../../protocol/commands.ts"
import type { ResultOf } from "../../../protocol/operations.ts"
import { shareLoad } from "../../../protocol/shared.ts"
import type { ProviderBooks } from "../books.ts"

/** How long a list is used before it is read again, milliseconds. */
const keepMs = 10 * 60 * 1000

/** How long the connector is waited for where there is a last list, milliseconds from the begin of a request. */
const momentMs = 1_000

/**
 * The id of a bank: `prov_` and 26 characters of Crockford's base32. Law: it depends only on the names of provider and country
 * and on the code, so it is the same after every start and on every node.
 */
export const deriveBankId = (provider: string, country_code: string, code: string): string =>
  `prov_${base32crockford
    .encode(sha256(utf8ToBytes(`corridor bank ${JSON.stringify([provider, country_code, code])}`)))
    .slice(0, 26)
    .toLowerCase()}`

type Listed = Extract<ResultOf<"banks">, { readonly banks: unknown }>["banks"]

/** A list that a later release stored may not be readable. */
const stored = Schema.decodeUnknownOption(Schema.Struct({ banks: Schema.Array(Listing) }))

const compareBanksByCode = (a: Bank, b: Bank): number =>
  a.code < b.code ? -1 : a.code > b.code ? 1 : a.country_code < b.country_code ? -1 : 1

/** Gives listed banks their ids. Of two banks with one code in one country, the first is kept. */
const assignBankIds = (provider: string, listed: Listed): ReadonlyArray<Bank> => {
  const byId = new Map<string, Bank>()
  for (const { code, name, country_code } of listed) {
    const id = deriveBankId(provider, country_code, code)
    if (!byId.has(id)) byId.set(id, { id, name, code, country_code })
  }
  return [...byId.values()].sort(compareBanksByCode)
}

/**
 * Makes the effect that returns the banks, read at most every ten minutes. While the connector does not respond within a moment,
 * it returns the last list, also after a restart; a late answer is used as soon as it arrives.
 *
 * Errors: `ProviderFault` when no list was ever read.
 */
export const makeBanks = (
  provider: string,
  { amend, storage }: ProviderBooks,
  load: Effect.Effect<Listed, ProviderFault>,
  now: Effect.Effect<number>
): Effect.Effect<ReadonlyArray<Bank>, ProviderFault> => {
  const key = { merchant_id: PLATFORM_MERCHANT, kind: "connector_banks", id: provider }
  const store = (banks: Listed) =>
    amend([key], ([row]) => ({
      entries:
        JSON.stringify(Option.getOrUndefined(stored(row?.data))?.banks) === JSON.stringify(banks)
          ? []
          : [{ key, data: { banks } }],
      result: undefined
    })).pipe(
      Effect.catch((fault) => Effect.logWarning(`the banks of ${provider} could not be stored: ${fault.message}`))
    )
  const list = shareLoad(
    Effect.map(Effect.tap(load, store), (listed) => assignBankIds(provider, listed)),
    keepMs,
    now
  )
  const last = Effect.suspend(() => {
    const kept = list.last()
    return kept === undefined
      ? Effect.map(
          Effect.orElseSucceed(storage.get([key]), () => []),
          ([row]) => Option.getOrUndefined(Option.map(stored(row?.data), ({ banks }) => assignBankIds(provider, banks)))
        )
      : Effect.succeed(kept)
  })
  const instead = (why: string, otherwise: Effect.Effect<ReadonlyArray<Bank>, ProviderFault>) =>
    Effect.flatMap(last, (banks) =>
      banks === undefined
        ? otherwise
        : Effect.as(Effect.logWarning(`the banks of ${provider} are those of the last list: ${why}`), banks)
    )
  return Effect.flatMap(list.soon(momentMs), (exit) => {
    if (exit === undefined) return instead(`no answer within ${momentMs} ms`, list.get)
    return Effect.catch(exit, (fault) => instead(fault.message, Effect.fail(fault)))
  })
}
