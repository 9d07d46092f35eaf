/** The `/v1` shape of a quote (QUOTE-1, QUOTE-5). */
import { Schema } from "effect"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import { feeOf } from "../../ports/Pricing.ts"
import { displayAmount, displayAmountOrNull } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import {
  amountOf,
  bodyOf,
  currencyCodeOf,
  FeeBody,
  idOf,
  orNull,
  rateBody,
  showExchange,
  textOf,
  timeOf,
  times,
  wordOf
} from "../members.ts"

export const QuoteBody = Schema.Struct({
  id: idOf("quo", "The id of the quote: `quote_id` of the movement that executes it."),
  operation: wordOf(["onramp", "offramp", "conversion"], "What it prices. Only this operation can execute it.", {
    onramp: "fiat to a wallet",
    offramp: "a wallet to a bank account",
    conversion: "a wallet to another wallet"
  }),
  status: wordOf(["active", "executed", "expired"], "Whether it can be executed.", {
    active: "it can, once, until `expires_at`",
    executed: "a movement has executed it",
    expired: "its time is over"
  }),
  wallet_id: orNull(idOf("wal", "The wallet that is debited. Null on an onramp.")),
  destination_wallet_id: orNull(idOf("wal", "The wallet that is credited. Null on an offramp.")),
  beneficiary_id: orNull(idOf("ben", "The recipient of an offramp. Null on the others.")),
  sender_id: orNull(idOf("snd", "The originator of an offramp. Null: the customer, and on the others.")),
  customer_id: idOf("cust", "The customer of the wallet."),
  source_amount: amountOf(
    "What is taken from the source, in `source_currency`, the gateway fee included. With `target_amount`, the smallest amount that reaches it.",
    "100.00"
  ),
  source_currency: currencyCodeOf("The currency that is taken."),
  destination_amount: amountOf(
    "`source_amount` less the gateway fee, times `rate`, rounded down, in `destination_currency`. The network fee is not deducted yet.",
    "148503.75"
  ),
  destination_currency: currencyCodeOf("The currency that the recipient receives.", "NGN"),
  received_amount: amountOf(
    "What the recipient will receive, in `destination_currency`: `destination_amount` less the network fee.",
    "147753.75"
  ),
  target_amount: orNull(
    amountOf(
      "The amount that you asked the recipient to receive, in `destination_currency`; equal to `received_amount`. Null if you sent `source_amount`.",
      "147753.75"
    )
  ),
  rate: rateBody,
  expires_at: timeOf("When the quote expires: five minutes after its creation.", "2026-01-31T09:35:00.000Z"),
  reference: orNull(
    textOf("The reference that you sent. A quote does not claim it. Null if you sent none.", "INV/2026/1042")
  ),
  fee: FeeBody,
  fee_schedule_id: orNull(
    idOf("fee", "The fee schedule that decides the `gateway` fee. Null if none applies: the default fee does.")
  ),
  ...times
}).annotate({
  identifier: "Quote",
  description: "A priced offer. It is valid for five minutes and can be executed once."
})
export type QuoteBody = typeof QuoteBody.Type

/** `now`: milliseconds since the epoch. An active quote is shown as `expired` from its `expires_at` on. */
export const quoteBody = bodyOf(QuoteBody, ({ status, data: q }: Row<QuoteData>, now: number) => ({
  status: status === "active" && now >= q.expires_at ? "expired" : (status as QuoteBody["status"]),
  wallet_id: q.source_wallet_id,
  ...showExchange(q, q),
  received_amount: displayAmount(q.received_amount, q.destination_currency),
  target_amount: displayAmountOrNull(q.target_amount, q.destination_currency),
  expires_at: iso(q.expires_at),
  fee: feeOf(q)
}))
