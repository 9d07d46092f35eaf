/** Whose key it is: the payouts and refunds of a currency are of one integration, that of the first one that was sent. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { readData } from "../chain/books.ts"
import { type CommandEntry, isOtherOwner, isSameOwner, type KeyOwner } from "../company/entries.ts"
import type { OpenCompany } from "../company/provider.ts"
import { listsOf, type PaystackCalls } from "./calls.ts"

/** What an operator reads of the key of another integration. */
const otherKey = (currency: string, found: KeyOwner, kept: KeyOwner): string =>
  `keys.${currency} is the key of the integration ${found.account} of Paystack, and the payouts in ${currency} of this store are of the integration ${kept.account}: take a key of that one, or give the other one a provider of its own name`

/** The most commands that a sentence names. */
const namedMax = 5

const explainMissingKey = (currency: string, open: ReadonlyArray<CommandEntry>, hasAccounts: boolean): string => {
  const names = open.slice(0, namedMax).map(({ command_id }) => command_id)
  const listed = `${names.join(", ")}${open.length > namedMax ? " …" : ""}`
  const needs = [
    ...(open.length === 0
      ? []
      : [
          `${open.length} payout${open.length === 1 ? "" : "s"} or refund${open.length === 1 ? "" : "s"} without an outcome (${listed})`
        ]),
    ...(hasAccounts ? ["the accounts that were issued"] : [])
  ]
  return `keys.${currency} is not set, and is needed for ${needs.join(" and for ")}: nothing of them is told, and no money is released, until the key is set again`
}

export const makeOwners = ({
  books,
  entries: { keys },
  rounds,
  submissions
}: Pick<OpenCompany, "books" | "entries" | "rounds" | "submissions">) => ({
  /** What still needs the key of a currency that has none, for an operator. Undefined: nothing. */
  need: Effect.fnUntraced(function* (currency: string) {
    const open = yield* Effect.forEach(yield* submissions.open, (index_key) => submissions.list(index_key))
    const own = open.flat().filter((sent) => sent.currency === currency)
    const hasAccounts = yield* rounds.hasBegun(listsOf({ currency }).payins)
    return own.length > 0 || hasAccounts ? explainMissingKey(currency, own, hasAccounts) : undefined
  }),
  /** Records, before the first POST, whose key it is. Undefined: it is the key of another one, and nothing may be sent with it. */
  claim: Effect.fnUntraced(function* ({ currency, owner }: PaystackCalls) {
    const found = yield* owner
    return yield* books.amend([keys.owner(currency)], ([row]) => {
      const kept = readData<KeyOwner>(row)
      if (kept !== undefined && isOtherOwner(kept, found)) return { entries: [], result: undefined }
      const isKept = kept !== undefined && (kept.account !== null || found.account === null)
      return { entries: isKept ? [] : [{ key: keys.owner(currency), data: found }], result: found }
    })
  }),
  /** What is wrong with a key. Undefined: nothing that is known. */
  refusal: Effect.fnUntraced(function* ({ currency, owner }: PaystackCalls) {
    const kept = yield* books.read<KeyOwner>(keys.owner(currency))
    if (kept === undefined) return undefined
    const found = yield* owner
    return isOtherOwner(kept, found) ? otherKey(currency, found, kept) : undefined
  }),
  /** Errors: what this key does not find proves nothing of a command, as it may have been sent with the key of another integration. */
  checkMissing: Effect.fnUntraced(function* ({ currency, owner }: PaystackCalls, sent: CommandEntry | undefined) {
    // Nothing is sent before it is recorded whose key it is.
    if (sent === undefined || sent.sent_at === null || sent.sent_by === null) return
    const found = yield* owner
    if (!isSameOwner(sent.sent_by, found))
      return yield* new ProviderFault({
        message: `${sent.command_id} is not found with a key of the integration ${found.account ?? "(unknown)"}, and was sent with one of ${sent.sent_by.account ?? "(unknown)"}: keys.${currency} must be a key of that one`
      })
  })
})

export type PaystackOwners = ReturnType<typeof makeOwners>
