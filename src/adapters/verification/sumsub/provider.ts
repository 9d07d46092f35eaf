/** The provider, put together, and what the start and `corridor doctor` find of it. */
import { Effect } from "effect"
import { Provider, type ProviderCheck, makeOpenManifest } from "../../../engine/ports/Provider.ts"
import { findBooksKey, readRegistry } from "../../../engine/ports/provider-registry.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { makeTransport } from "../../../protocol/transport.ts"
import { openChainBooks } from "../../provider/chain/books.ts"
import { makeCalls, type SumsubCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { isRefusal, readLevels, describeReply } from "./mapping.ts"
import type { SumsubConfig } from "./options.ts"
import { makeApplicantReviews, makeVerification, type SumsubParts } from "./verification.ts"

/** The levels of the options, with where each is. */
const listLevels = ({ levels }: SumsubConfig): ReadonlyArray<readonly [option: string, level: string]> =>
  Object.entries(levels).flatMap(([type, of]) =>
    Object.entries(of ?? {}).map(([tier, level]) => [`levels.${type}.${tier}`, String(level)] as const)
  )

/** Looks at the keys and the levels by one read, the cheapest that there is: it needs no permission. */
const checkAccess = Effect.fnUntraced(function* (
  config: SumsubConfig,
  { levels }: SumsubCalls
): Effect.fn.Return<ProviderCheck> {
  const asked = yield* Effect.result(levels)
  const away = (why: string): ProviderCheck => ({
    status: "warn",
    sentence: `app_token and levels are not checked, because Sumsub does not answer: ${why}`
  })
  if (asked._tag === "Failure") return away(asked.failure.message)
  const reply = asked.success
  if (isRefusal(reply, 401))
    return {
      status: "fail",
      sentence: `app_token and secret_key are refused by Sumsub (${describeReply(reply)}): take both from its dashboard, under Dev space, App tokens, and set the clock of this machine`
    }
  const known = readLevels(reply)
  if (known === undefined)
    return away(`its list of levels cannot be read, ${reply.status === 200 ? "or is not whole" : describeReply(reply)}`)
  const missing = listLevels(config).find(([, level]) => !known.has(level))
  return missing === undefined
    ? {
        status: "ok",
        sentence: `app_token is accepted, and Sumsub has the levels ${[...new Set(listLevels(config).map(([, level]) => level))].join(", ")}`
      }
    : {
        status: "fail",
        sentence: `${missing[0]} is ${JSON.stringify(missing[1])}, which Sumsub does not have in the environment of app_token: it has ${[...known].slice(0, 20).join(", ") || "none"}`
      }
})

const noCallbacks =
  "webhook_secret is not set: callbacks are not accepted, and what Sumsub decides is found by look-ups, minutes or hours later"

/** Builds the provider. Errors: dies with a `TypeError` for keys that Sumsub refuses, and for a level that it does not have. */
export const makeProvider = Effect.fnUntraced(function* (config: SumsubConfig) {
  const { environment, formerly, name, timeout_ms, webhook_secrets } = config
  /** Its records are under the first name that it had in the store. */
  const key = findBooksKey(yield* readRegistry, config)
  const calls = makeCalls(yield* makeTransport({ timeout_ms }), config, wallNow)
  const parts: SumsubParts = { config, calls, books: yield* openChainBooks(key), key }
  const applicants = makeApplicantReviews(parts)
  const events = makeEvents(config, applicants)

  const found = yield* checkAccess(config, calls)
  if (found.status === "fail") return yield* Effect.die(new TypeError(`${name}: ${found.sentence}`))

  return Provider.of({
    name,
    ...(formerly && { formerly }),
    environment,
    manifest: makeOpenManifest("verification"),
    verification: makeVerification(parts, applicants),
    ...(events && { events }),
    cautions: [
      ...(found.status === "warn" ? [`${name}: ${found.sentence}`] : []),
      ...(webhook_secrets.length === 0 ? [`${name}: ${noCallbacks}`] : [])
    ],
    check: Effect.map(checkAccess(config, calls), (one) => [one])
  })
})
