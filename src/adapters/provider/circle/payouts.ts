/** Transfers to approved addresses and payouts to linked banks: the commands of the engine, as Circle is asked them. */
import { Effect } from "effect"
import type { PayoutCommand, PayoutRecipient, ServedRecipient } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { shareLoad } from "../../../protocol/shared.ts"
import { paymentDecimals } from "../company/answers.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import { makeKeyedPayments } from "../company/keyed.ts"
import type { OpenCompany } from "../company/provider.ts"
import { reject, unavailable } from "../company/submissions.ts"
import type { CircleBanks } from "./banks.ts"
import type { CircleCalls } from "./calls.ts"
import {
  type ExpectedPayment,
  formatPaymentAmount,
  mayBe,
  parsePaymentUnits,
  type Payment,
  toComparableAddress
} from "./mapping.ts"
import { chains, type CircleConfig } from "./options.ts"

export interface CircleParts extends OpenCompany {
  readonly config: CircleConfig
  readonly calls: CircleCalls
  readonly banks: CircleBanks
}

/** What Circle is asked for a command. `to`: the address, or the id of the linked bank. */
interface CircleRequest extends Pick<ExpectedPayment, "kind" | "to" | "chain"> {
  readonly units: string
  readonly body: string
}

/** How long the list of approved addresses is used, milliseconds. */
const keepMs = 10_000

/** What Circle is asked for a command; or why it is not. */
const makeRequests = ({ banks, calls, config }: CircleParts) => {
  const recipients = shareLoad(calls.recipients, keepMs, wallNow)

  /** Where a command is paid to, as Circle names it; or why it is not. */
  const destinationOf = Effect.fnUntraced(function* ({ currency, destination }: PayoutRecipient) {
    if (destination.type === "fiat") {
      if (currency !== "USD") return reject(`Circle pays USD to linked banks, and no ${currency}`)
      const bank = yield* banks.find(destination.bank_code ?? "", destination.account_number)
      if (bank === undefined) return reject("the account is no bank account that is linked at Circle")
      if (bank.status !== "complete") return bank.status === "failed" ? reject("the bank is not linked") : unavailable
      return { kind: "payout", to: bank.id, chain: null, target: { type: "wire", id: bank.id } } as const
    }
    const network = config.networks.find((one) => one === destination.network)
    if (currency !== "USDC" || network === undefined)
      return reject(`Circle does not transfer ${currency} on ${destination.network} here`)
    if (destination.memo !== null) return reject("a transfer by Circle has no memo")
    const to = toComparableAddress(destination.address)
    const chain = chains[network]
    const recipient = (yield* recipients.get).find(
      (one) => one.chain === chain && toComparableAddress(one.address) === to
    )
    if (recipient === undefined) return reject("the address is not among the recipients that are approved at Circle")
    // It may wait for an administrator, and for 24 hours after that. It may also have been approved since the list was read.
    if (recipient.status !== "active") return unavailable
    return { kind: "transfer", to, chain, target: { type: "verified_blockchain", addressId: recipient.id } } as const
  })

  const makeRequest = Effect.fnUntraced(function* (command: PayoutCommand) {
    const units = parsePaymentUnits(command.amount, paymentDecimals)
    if (units === undefined) return reject(`${command.amount} ${command.currency} is no amount that Circle takes`)
    // While Circle does not say where to, nothing is sent.
    const found = yield* Effect.orElseSucceed(destinationOf(command), () => unavailable)
    if ("_tag" in found) return found
    const { chain, kind, target, to } = found
    const amount = { amount: formatPaymentAmount(units), currency: "USD" }
    const body = JSON.stringify({ idempotencyKey: idempotencyKey(command.id), destination: target, amount })
    return { kind, to, chain, units: String(units), body }
  })
  const serves = (recipient: PayoutRecipient) =>
    Effect.map(destinationOf(recipient), (found): ServedRecipient => {
      if (!("_tag" in found)) return "yes"
      return found._tag === "rejected" ? "no" : "unknown"
    })
  return { makeRequest, serves }
}

export const makePayouts = (parts: CircleParts) => {
  const { calls } = parts
  const { makeRequest, serves } = makeRequests(parts)
  const { lookAgain, lookup, submit } = makeKeyedPayments<CircleRequest, ExpectedPayment, Payment>(parts, {
    kind: "circle_request",
    parse: (amount) => parsePaymentUnits(amount, paymentDecimals),
    expect: (command_id, { chain, kind, to, units }) => ({ command_id, chain, kind, to, units: BigInt(units) }),
    post: ({ body }, expected) => calls.post(body, expected),
    find: (id, expected) => (id === null ? undefined : calls.find(id, expected)),
    list: ({ kind }, from) => calls.payments(kind, { from }),
    mayBe
  })
  return { lookAgain, lookup, serves, submit: (command: PayoutCommand) => submit(command, makeRequest(command)) }
}

export type CirclePayouts = ReturnType<typeof makePayouts>
