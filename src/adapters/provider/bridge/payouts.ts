/** Transfers from a wallet, and payouts to the bank accounts of others: the commands of the engine, as Bridge is asked them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { PayoutCommand, PayoutRecipient, ServedRecipient } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { entryKey } from "../chain/books.ts"
import { paymentDecimals } from "../company/answers.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import { makeKeyedPayments, type MadeRequest } from "../company/keyed.ts"
import type { OpenCompany } from "../company/provider.ts"
import { dayOf, reject, unavailable } from "../company/submissions.ts"
import type { BridgeCalls } from "./calls.ts"
import { alpha3 } from "./countries.ts"
import { amountOf, type BridgeTransfer, type ExpectedTransfer, mayBe, transferSeen, unitsOf } from "./mapping.ts"
import { type BridgeConfig, type BridgeCurrency, isRoutingNumber } from "./options.ts"

export interface BridgeParts extends OpenCompany {
  readonly config: BridgeConfig
  readonly calls: BridgeCalls
}

/** What Bridge is asked for a command. */
export interface TransferRequest extends MadeRequest {
  /** Bridge's id of the account that is paid. Null: a deposit is returned. */
  readonly account: string | null
  readonly deposit_id?: string
  readonly currency: string
}

/** Bridge forgets a key after 24 hours. A request is not repeated later than this, milliseconds. */
export const keyMs = 20 * 3_600_000

export const makeTransfers = (parts: BridgeParts) => {
  const { calls } = parts
  return makeKeyedPayments<TransferRequest, ExpectedTransfer, BridgeTransfer>(parts, {
    ...{ kind: "bridge_request", key_ms: keyMs, isRemade: true, mayBe },
    parse: (amount) => unitsOf(amount, paymentDecimals),
    expect: (command_id, { account, currency, deposit_id, units }) => ({
      ...{ command_id, account, currency, units: BigInt(units) },
      ...(deposit_id !== undefined && { deposit_id })
    }),
    post: ({ body, round }, expected) => calls.post(idempotencyKey(`${expected.command_id}/${round}`), body, expected),
    find: (id, expected) => (id === null ? undefined : calls.find(id, expected)),
    list: (_, since) => calls.since(since),
    see: (transfer, expected) =>
      transfer.client_reference_id === expected.command_id ? transferSeen(transfer, expected) : undefined
  })
}

export type BridgeTransfers = ReturnType<typeof makeTransfers>

/** A beneficiary's account at Bridge. One that Bridge has closed is made anew, as the next `generation`. */
interface StoredAccount {
  readonly id: string
  readonly generation: number
}

/** The text of the payment at the bank: SEPA and wires take 140 characters of these. */
const remittanceOf = ({ narration, statement_reference }: PayoutCommand): string =>
  `${statement_reference} ${narration ?? ""}`
    .replaceAll(/[^\w .,()+?:'/-]/g, " ")
    .slice(0, 140)
    .trim()

/** The bank account of a command, as Bridge takes it; or why it does not. */
const accountOf = ({ beneficiary, currency, destination }: PayoutRecipient, config: BridgeConfig) => {
  if (destination.type !== "fiat") return "Bridge pays to bank accounts here"
  if (destination.rail !== null) return `Bridge does not offer the rail ${destination.rail}`
  const paid = config.currencies.find((one): one is BridgeCurrency => one === currency)
  if (paid === undefined) return `${currency} is not paid through Bridge here`
  const { account_name, account_number, bank_code, country_code } = destination
  const name = account_name ?? beneficiary.name
  const { city, country_code: home = "", line1, line2, postal_code, state } = beneficiary.address ?? {}
  const words = name.split(/\s+/)
  const owners = {
    individual: { first_name: words.slice(0, -1).join(" ") || name, last_name: words.at(-1) },
    business: { business_name: name }
  }
  const shared = {
    currency: paid.toLowerCase(),
    account_owner_name: name,
    ...(config.account_owner_type && {
      account_owner_type: config.account_owner_type,
      ...owners[config.account_owner_type]
    }),
    ...(line1 && {
      address: { street_line_1: line1, street_line_2: line2, city, state, postal_code, country: alpha3(home) }
    })
  }
  if (paid === "EUR") {
    const country = alpha3(account_number.slice(0, 2))
    if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account_number) || country === undefined)
      return "Bridge pays EUR to an IBAN"
    return { ...shared, account_type: "iban", iban: { account_number, country } }
  }
  if (country_code !== "US") return "Bridge pays USD in US alone"
  if (!isRoutingNumber(bank_code ?? "")) return "Bridge takes the routing number of a bank with each account"
  const account = { account_number, routing_number: bank_code, checking_or_savings: "checking" }
  return { ...shared, account_type: "us", account }
}

export const makePayouts = ({ books, calls, config, key }: BridgeParts, transfers: BridgeTransfers) => {
  /** Bridge's id of an account: the one that was made before, where it can still be paid. */
  const externalAccount = Effect.fnUntraced(function* (details: object) {
    const body = JSON.stringify(details)
    const digest = createHash("sha256").update(`${config.customer} ${body}`).digest("hex")
    const row = entryKey("bridge_account", `${key}/${digest}`)
    const known = yield* books.read<StoredAccount>(row)
    if (known !== undefined && (yield* calls.isActive(known.id))) return known.id
    const generation = known === undefined ? 0 : known.generation + 1
    // Within a day the same account is made once. On another day the key is worth nothing.
    const day = dayOf(yield* wallNow)
    const id = yield* calls.createAccount(idempotencyKey(`${digest}/${generation}/${day}`), body)
    if (typeof id !== "string") return id ?? unavailable
    yield* books.amend([row], () => ({
      entries: [{ key: row, data: { id, generation } satisfies StoredAccount }],
      result: undefined
    }))
    return id
  })

  const requestOf = Effect.fnUntraced(function* (command: PayoutCommand) {
    const { currency, id } = command
    const units = unitsOf(command.amount, paymentDecimals)
    if (units === undefined) return reject(`${command.amount} ${currency} is no amount that Bridge takes`)
    const details = accountOf(command, config)
    if (typeof details === "string") return reject(details)
    // While Bridge does not say where to, nothing is sent.
    const account = yield* Effect.orElseSucceed(externalAccount(details), () => unavailable)
    if (typeof account !== "string") return account
    const paid = currency === "USD" ? { amount: amountOf(units) } : {}
    const fixed = currency === "USD" ? {} : { amount: amountOf(units) }
    const rail = currency === "EUR" ? "sepa" : config.usd_rail
    const text = remittanceOf(command)
    const body = JSON.stringify({
      ...{ client_reference_id: id, ...paid, on_behalf_of: config.customer },
      source: { payment_rail: "bridge_wallet", currency: "usdc", bridge_wallet_id: config.wallet },
      destination: {
        ...{ payment_rail: rail, currency: currency.toLowerCase(), external_account_id: account, ...fixed },
        ...(rail === "sepa" ? { sepa_reference: text } : rail === "wire" ? { wire_message: text } : {})
      }
    })
    return { account, currency, units: String(units), body }
  })

  return {
    submit: (command: PayoutCommand) => transfers.submit(command, requestOf(command)),
    lookup: (command: PayoutCommand) => transfers.lookup(command),
    // Whether Bridge takes an account that it does not have yet, only its making would say.
    serves: (recipient: PayoutRecipient) =>
      Effect.sync((): ServedRecipient => (typeof accountOf(recipient, config) === "string" ? "no" : "unknown"))
  }
}
