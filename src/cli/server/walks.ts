/**
 * The ways to each event type of `/v1` on a server of the test environment. A walk creates all that it needs and returns the id of
 * the object whose event is wanted.
 */
import { Duration, Effect } from "effect"
import { CommandFailure, isUnreachable } from "../failure.ts"
import type { ServerApi } from "./api.ts"

type Walking<A = string> = Effect.Effect<A, CommandFailure>

/** A walk, and what it does to the server besides creating resources. */
export interface Walk {
  readonly walk: (api: ServerApi) => Walking
  readonly note?: string
}

interface Made {
  readonly id: string
  readonly status: string
  readonly [name: string]: unknown
}

/** Most turns in which a resource is asked for its status. Each takes about `turnMs`. */
const turnsMax = 120
const turnMs = 250

const post = (api: ServerApi, path: string, body: object = {}): Walking<Made> =>
  Effect.map(api.ask("POST", path, body), ({ data }) => data as Made)

/** Waits until a resource has a status. `meanwhile` runs in each turn, and may be refused. */
const awaitStatusOf = Effect.fnUntraced(function* (
  api: ServerApi,
  path: string,
  statuses: ReadonlyArray<string>,
  meanwhile?: Walking<unknown>
) {
  let found: Made | undefined
  for (let turn = 0; turn < turnsMax; turn++) {
    // A node without a dispatcher rejects it, and another node does the work.
    yield* Effect.catch(post(api, "/sandbox/settle"), (failure) =>
      isUnreachable(failure) ? Effect.fail(failure) : Effect.void
    )
    found = yield* Effect.map(api.ask("GET", path), ({ data }) => data as Made)
    if (statuses.includes(found.status)) return found
    if (found.status === "success" && meanwhile !== undefined && !statuses.includes("returned")) {
      const why =
        "the simulated provider had it succeed first: CORRIDOR_SANDBOX_DELAY_MS leaves no time for another outcome"
      return yield* new CommandFailure({
        lines: [`${path} is success, not ${statuses.join(" or ")}: ${why}.`],
        exit: 1
      })
    }
    if (meanwhile !== undefined)
      yield* Effect.catch(meanwhile, (failure) => (isUnreachable(failure) ? Effect.fail(failure) : Effect.void))
    yield* Effect.sleep(Duration.millis(turnMs))
  }
  return yield* new CommandFailure({
    lines: [`${path} is ${found?.status}, and has not become ${statuses.join(" or ")}; corridor explain shows why.`],
    exit: 1
  })
})

/** Has the provider report an outcome as soon as it has the movement, and waits for its status. */
const awaitOutcome = (api: ServerApi, path: string, id: string, outcome: string, ...statuses: ReadonlyArray<string>) =>
  Effect.as(
    awaitStatusOf(
      api,
      `${path}/${id}`,
      statuses.length === 0 ? [outcome] : statuses,
      post(api, "/sandbox/outcomes", { resource_id: id, outcome })
    ),
    id
  )

const createPerson = (api: ServerApi): Walking<Made> =>
  post(api, "/v1/customers", { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" })

const verifyPerson = Effect.fnUntraced(function* (api: ServerApi, outcome: "approved" | "rejected") {
  const customer = yield* createPerson(api)
  const { id } = yield* post(api, `/v1/customers/${customer.id}/verifications`)
  const reason = outcome === "rejected" ? { reason: "identity_mismatch" } : {}
  yield* post(api, `/sandbox/verifications/${id}`, { outcome, ...reason })
  return { customer, id }
})

/** Creates a wallet of the merchant itself. */
const createWallet = (api: ServerApi, currency: string): Walking<Made> =>
  post(api, "/v1/wallets", { currency, label: "trigger" })

const createFundedWallet = Effect.fnUntraced(function* (api: ServerApi, amount: string) {
  const made = yield* createWallet(api, "USDC")
  yield* post(api, "/sandbox/deposits", { wallet_id: made.id, amount })
  return made
})

/** Creates an offramp: a verified customer with a funded wallet, a bank account in Lagos, a quote and its execution. */
const createOfframp = Effect.fnUntraced(function* (api: ServerApi) {
  const { customer } = yield* verifyPerson(api, "approved")
  const source = yield* post(api, "/v1/wallets", { currency: "USDC", customer_id: customer.id })
  yield* post(api, "/sandbox/deposits", { wallet_id: source.id, amount: "100.00" })
  const [bank] = (yield* api.ask("GET", "/v1/providers?country_code=NG")).data as ReadonlyArray<Made>
  const payee = yield* post(api, "/v1/beneficiaries", {
    type: "fiat",
    name: "Ada Obi",
    currency: "NGN",
    customer_id: customer.id,
    details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank?.id }
  })
  const quote = yield* post(api, "/v1/offramps/quotes", {
    wallet_id: source.id,
    beneficiary_id: payee.id,
    target_amount: "15000.00"
  })
  return yield* post(api, "/v1/offramps", { quote_id: quote.id })
})

/** Gives a wallet an active bank credential in its own currency, so that a bank can pay into it. */
const openCredential = Effect.fnUntraced(function* (api: ServerApi, wallet_id: string, currency?: string) {
  const body = { type: "fiat", network: "bank", ...(currency === undefined ? {} : { currency }) }
  const made = yield* post(api, `/v1/wallets/${wallet_id}/credentials`, body)
  const path = `/v1/wallets/${wallet_id}/credentials/${made.id}`
  return yield* awaitStatusOf(api, path, ["active"], post(api, `/sandbox/credentials/${made.id}`, {}))
})

const createConversion = Effect.fnUntraced(function* (api: ServerApi) {
  const source = yield* createFundedWallet(api, "100.00")
  const destination = yield* createWallet(api, "NGN")
  yield* openCredential(api, destination.id)
  const quote = yield* post(api, "/v1/conversions/quotes", {
    source_wallet_id: source.id,
    destination_wallet_id: destination.id,
    source_amount: "20.00"
  })
  return yield* post(api, "/v1/conversions", { quote_id: quote.id })
})

const createTransfer = Effect.fnUntraced(function* (api: ServerApi) {
  const source = yield* createFundedWallet(api, "100.00")
  const payee = yield* post(api, "/v1/beneficiaries", {
    type: "crypto",
    name: "Supplier",
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  })
  return yield* post(api, "/v1/transfers", { wallet_id: source.id, beneficiary_id: payee.id, amount: "10.00" })
})

const onrampAmount = "150000.00"

const createOnramp = Effect.fnUntraced(function* (api: ServerApi) {
  const destination = yield* createWallet(api, "USDC")
  const quote = yield* post(api, "/v1/onramps/quotes", {
    wallet_id: destination.id,
    source_currency: "NGN",
    source_amount: onrampAmount
  })
  return yield* post(api, "/v1/onramps", { quote_id: quote.id })
})

/** What a movement's path adds to its creation. */
type After = (api: ServerApi, id: string) => Walking

const makeWalk = (create: (api: ServerApi) => Walking<Made>, after: After = (_, id) => Effect.succeed(id)): Walk => ({
  walk: (api) => Effect.flatMap(create(api), ({ id }) => after(api, id))
})

const reportOutcome =
  (path: string, outcome: string): After =>
  (api, id) =>
    awaitOutcome(api, path, id, outcome)

const payIn =
  (amount: string, after: After = (_, id) => Effect.succeed(id)): After =>
  (api, id) =>
    Effect.flatMap(post(api, "/sandbox/deposits", { onramp_id: id, amount }), () => after(api, id))

const onrampUntil =
  (...statuses: ReadonlyArray<string>): After =>
  (api, id) =>
    Effect.as(awaitStatusOf(api, `/v1/onramps/${id}`, statuses), id)

/** Makes the walk of a deposit into a wallet of the merchant. `stages` are reported one after the other. */
const makeDepositWalk = (...stages: ReadonlyArray<"detected" | "confirmed" | "failed">): Walk => ({
  walk: Effect.fnUntraced(function* (api) {
    const { id: wallet_id } = yield* createWallet(api, "USDC")
    let payin_id: string | undefined
    let transaction: string | null = null
    for (const stage of stages) {
      const body = { wallet_id, amount: "25.00", stage, ...(payin_id === undefined ? {} : { payin_id }) }
      const made = (yield* post(api, "/sandbox/deposits", body)) as unknown as {
        readonly payin_id: string
        readonly transaction_id: string | null
      }
      payin_id = made.payin_id
      transaction ??= made.transaction_id
    }
    return transaction ?? ""
  })
})

/** A deposit over the limit of a customer who is not verified. */
const heldDeposit: Walk = {
  walk: Effect.fnUntraced(function* (api) {
    const customer = yield* createPerson(api)
    const { id } = yield* post(api, "/v1/wallets", { currency: "USDC", customer_id: customer.id })
    const { transaction_id } = yield* post(api, "/sandbox/deposits", { wallet_id: id, amount: "1500.00" })
    return String(transaction_id)
  })
}

/** Naira that arrive for a USDC wallet: the deposit ends in `received`, and a conversion moves the money. */
const convertedDeposit: Walk = {
  walk: Effect.fnUntraced(function* (api) {
    const { id } = yield* createWallet(api, "USDC")
    const credential = yield* openCredential(api, id, "NGN")
    const { transaction_id } = yield* post(api, "/sandbox/deposits", {
      credential_id: credential.id,
      amount: onrampAmount
    })
    return String(transaction_id)
  })
}

const makeVerificationWalk = (outcome: "approved" | "rejected"): Walk => ({
  walk: (api) => Effect.map(verifyPerson(api, outcome), ({ id }) => id)
})

/** By event type, in the order of the documentation. */
export const walks: Readonly<Record<string, Walk>> = {
  "onramp.awaiting_deposit": makeWalk(createOnramp),
  "onramp.funds_received": makeWalk(createOnramp, payIn(onrampAmount)),
  "onramp.processing": makeWalk(createOnramp, payIn(onrampAmount, onrampUntil("processing", "success"))),
  "onramp.success": makeWalk(createOnramp, payIn(onrampAmount, reportOutcome("/v1/onramps", "success"))),
  "onramp.failed": {
    ...makeWalk(createOnramp, (api, id) =>
      Effect.flatMap(post(api, "/sandbox/clock/advance", { seconds: 31 * 60 }), () => onrampUntil("failed")(api, id))
    ),
    note: "It moves the clock of the server by 31 minutes."
  },
  "onramp.returned": makeWalk(createOnramp, payIn("1.00", onrampUntil("returned"))),
  "offramp.created": makeWalk(createOfframp),
  "offramp.funds_received": makeWalk(createOfframp, reportOutcome("/v1/offramps", "success")),
  "offramp.processing": makeWalk(createOfframp, reportOutcome("/v1/offramps", "success")),
  "offramp.success": makeWalk(createOfframp, reportOutcome("/v1/offramps", "success")),
  "offramp.failed": makeWalk(createOfframp, reportOutcome("/v1/offramps", "failed")),
  // Success first, and then a return by the bank.
  "offramp.returned": makeWalk(createOfframp, (api, id) =>
    Effect.flatMap(awaitOutcome(api, "/v1/offramps", id, "success"), () =>
      awaitOutcome(api, "/v1/offramps", id, "returned")
    )
  ),
  "conversion.created": makeWalk(createConversion),
  "conversion.funds_received": makeWalk(createConversion, reportOutcome("/v1/conversions", "success")),
  "conversion.processing": makeWalk(createConversion, reportOutcome("/v1/conversions", "success")),
  "conversion.success": makeWalk(createConversion, reportOutcome("/v1/conversions", "success")),
  "conversion.failed": makeWalk(createConversion, reportOutcome("/v1/conversions", "failed")),
  "conversion.returned": makeWalk(createConversion, reportOutcome("/v1/conversions", "returned")),
  "transfer.processing": makeWalk(createTransfer),
  "transfer.success": makeWalk(createTransfer, reportOutcome("/v1/transfers", "success")),
  "transfer.failed": makeWalk(createTransfer, reportOutcome("/v1/transfers", "failed")),
  "deposit.received": convertedDeposit,
  "deposit.held": heldDeposit,
  "deposit.confirmed": makeDepositWalk("confirmed"),
  "deposit.failed": makeDepositWalk("detected", "failed"),
  "kyc.approved": makeVerificationWalk("approved"),
  "kyc.rejected": makeVerificationWalk("rejected")
}

/** Waits for an event of a type about an object, and returns it. */
export const awaitEvent = Effect.fnUntraced(function* (api: ServerApi, type: string, object_id: string) {
  const path = `/v1/notifications/events?event_object_id=${encodeURIComponent(object_id)}&event_type=${type}`
  for (let turn = 0; turn < turnsMax; turn++) {
    const { data } = yield* api.ask("GET", path)
    const [event] = data as ReadonlyArray<{ readonly event_id: string }>
    if (event !== undefined) return event
    yield* Effect.sleep(Duration.millis(turnMs))
  }
  return yield* new CommandFailure({
    lines: [`${object_id} has published no ${type}; corridor explain shows why.`],
    exit: 1
  })
})
