/** What the start and `corridor doctor` find of a key. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { ProviderCheck } from "../../../engine/ports/Provider.ts"
import type { CompanyReading } from "./answers.ts"
import type { CompanyReply } from "./client.ts"

/** How a key is checked. */
interface KeyCheck {
  readonly company: string
  readonly reading: CompanyReading
  /** The option of the key, and what an operator takes for it. */
  readonly option: string
  readonly take: string
  /** With which statuses the company refuses a key. */
  readonly refused: ReadonlyArray<number>
  /** The cheapest read. */
  readonly asked: Effect.Effect<CompanyReply, ProviderFault>
  /** What the answer says of a key that is not refused. Undefined: nothing. */
  readonly read: (reply: CompanyReply) => Effect.Effect<ReadonlyArray<ProviderCheck> | undefined>
}

export const failCheck = (sentence: string): ProviderCheck => ({ status: "fail", sentence })
export const warnCheck = (sentence: string): ProviderCheck => ({ status: "warn", sentence })
export const passCheck = (sentence: string): ProviderCheck => ({ status: "ok", sentence })

/** What is found where the company says nothing is a warning: it may be away. */
export const checkKey = Effect.fnUntraced(function* ({
  asked,
  company,
  option,
  read,
  reading,
  refused,
  take
}: KeyCheck) {
  const what = option === "key" ? "the key" : option
  const away = (why: string) => [warnCheck(`${what} is not checked, because ${company} does not answer: ${why}`)]
  const found = yield* Effect.result(asked)
  if (found._tag === "Failure") return away(found.failure.message)
  const reply = found.success
  if (reading.isRefusedWith(reply, ...refused))
    return [failCheck(`${option} is refused by ${company} (${reading.describe(reply)}): take ${take}`)]
  return (yield* read(reply)) ?? away(reading.describe(reply))
})
