/**
 * A Bridge on loopback, written from what its public documents say of it, and apart from the connector: it keeps state, moves money between a
 * wallet, bank accounts and a return address, gives the first answer again under a key for a day, and lies on the way in every manner that a
 * network allows.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export const bridgeKey = "sk-test-aaaaaaaaaaaaaaaabbbbbbbb"
export const customerId = "cust_platform"
export const walletId = "bw_float"
export const walletAddress = "9kV3ZMehKVyxfHKCcaDLye3P9HHw2MP4jtQa2gKBUmCs"
const dayMs = 24 * 3_600_000

const makeKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 })
const webhook = makeKeys()
const stranger = makeKeys()
export const webhookKey = webhook.publicKey.export({ type: "spki", format: "pem" }).toString()

/** Millionths, as text of Bridge's: with at least one decimal, and no more than it takes. */
const textOf = (units: bigint): string => {
  const digits = String(units).padStart(7, "0")
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,5}$/, "")}`
}
const unitsIn = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}

export interface FakeAccount {
  readonly id: string
  readonly currency: string
  readonly body: Record<string, unknown>
  active: boolean
}

export interface FakeTransfer {
  readonly id: string
  readonly reference: string | null
  /** Millionths, of the destination's currency. */
  readonly units: bigint
  /** Millionths of USDC that it takes. */
  readonly cost: bigint
  readonly destination: Record<string, unknown>
  readonly at: number
  state: string
  /** Where its money is. `bridge`: between the wallet and the bank. */
  money: "wallet" | "bridge" | "bank" | "policy"
  /** Fees, which the recipient does not get. */
  fee: bigint
}

/** An account that takes payments of a currency. */
export interface FakeVirtualAccount {
  readonly id: string
  readonly currency: string
  readonly number: string
  readonly at: number
  isActive: boolean
}

/** A payment to one of them. `net`: the millionths of USDC that the wallet gets. */
export interface FakeDeposit {
  readonly id: string
  readonly account: FakeVirtualAccount
  readonly rail: "ach_push" | "wire" | "sepa"
  readonly units: bigint
  readonly net: bigint
  isReturned: boolean
}

/**
 * What happens on the way. `lost`: it is done, and the connection breaks. `refused`: the connection breaks before it is done. `queued`: the
 * connection breaks, and it is done by `drain`. The others are answers: those that begin with `done_` after it is done.
 */
export type BridgeMishap =
  | "lost"
  | "refused"
  | "queued"
  | "silent"
  | "html"
  | "done_html"
  | "done_truncated"
  | "redirect"
  | "error_500"
  | "done_500"
  | "dependency"
  | "limited"
  | "limited_html"
  | "forbidden_html"

export interface BridgeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown> | undefined
  readonly text: string
  readonly key: string
  readonly idempotency_key: string | undefined
}

type Sent = readonly [status: number, body: string | object, headers?: Record<string, string>]

const no = (status: number, code: string, message: string): Sent => [status, { code, message }]

/** What money does in a state. */
const places: Readonly<Record<string, FakeTransfer["money"]>> = {
  ...{ awaiting_funds: "wallet", canceled: "wallet", in_review: "bridge", funds_received: "bridge", pending: "bridge" },
  ...{ payment_submitted: "bridge", payment_processed: "bank", undeliverable: "bridge", returned: "bridge" },
  ...{ refund_in_flight: "bridge", refund_failed: "bridge", missing_return_policy: "bridge", refunded: "wallet" },
  error: "bridge"
}

export class FakeBridge {
  readonly keys = new Set([bridgeKey])
  readonly accounts: Array<FakeAccount> = []
  readonly transfers: Array<FakeTransfer> = []
  /** How often a bank was paid under each reference: more than once is what must never be. */
  readonly executions = new Map<string, number>()
  readonly requests: Array<BridgeRequest> = []
  readonly virtualAccounts: Array<FakeVirtualAccount> = []
  readonly deposits: Array<FakeDeposit> = []
  /** What happened to virtual accounts, and to the wallet, oldest first. */
  readonly activity: Array<Record<string, unknown>> = []
  readonly history: Array<Record<string, unknown>> = []
  /** Gives one account to everybody. */
  isShared = false
  /** How an item of the activity is shown. */
  shownActivity: (item: Record<string, unknown>) => unknown = (item) => item
  /** What the connector should never have sent. */
  readonly invalid: Array<string> = []
  /** Millionths of USDC in the wallet, and at the address of the return policy. */
  balance = 1_000_000_000_000n
  policy = 0n
  /** USDC for one EUR, in hundredths. */
  rate = 110n
  /** What a payment takes of its recipient, millionths. */
  fee = 0n
  /** The state of a transfer in the first answer. */
  first = "funds_received"
  /** What becomes of a transfer that the wallet cannot pay. */
  shortage: "awaiting_funds" | "refused" = "refused"
  /** How a transfer is shown: another form than the documents have. */
  shown: (transfer: Record<string, unknown>) => object = (transfer) => transfer
  pageMax = 100
  mishap: (request: BridgeRequest) => BridgeMishap | undefined = () => undefined
  /** Answers a request in its place. */
  instead: (request: BridgeRequest) => Sent | undefined = () => undefined
  now: () => number = () => 0
  /** Whether an item of the wallet's history is listed already. */
  isListed: (item: object) => boolean = () => true
  /** What was answered under each key, for a day. */
  private readonly answered = new Map<string, { readonly text: string; readonly sent: Sent; readonly at: number }>()
  private readonly queue: Array<() => void> = []
  private server = createServer()
  url = ""

  async start(): Promise<this> {
    this.server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => this.receive(incoming, response, Buffer.concat(chunks).toString("utf8")))
    })
    // A machine that is busy for longer than the five seconds of Node would find a connection closed that it goes on with.
    this.server.keepAliveTimeout = 60_000
    await new Promise<void>((resolve) => void this.server.listen(0, "127.0.0.1", resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v0`
    return this
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => void this.server.close(() => resolve()))
  }

  /** Does what was queued. */
  drain(): void {
    for (const run of this.queue.splice(0)) run()
  }

  /** The transfers under a reference: Bridge does not require it to be new. */
  under(reference: string): ReadonlyArray<FakeTransfer> {
    return this.transfers.filter((one) => one.reference === reference)
  }

  /** What a transfer becomes, with its money. `to`: where a refund goes. */
  become(transfer: FakeTransfer, state: string, to: "wallet" | "policy" = "wallet"): void {
    const place = state === "refunded" ? to : places[state]
    if (place === undefined) throw new Error(`${state} is no state`)
    transfer.state = state
    if (place === transfer.money) return
    if (transfer.money === "wallet")
      this.move("withdrawal", -transfer.cost, { type: "transfer", transfer_id: transfer.id })
    if (place === "wallet") this.move("return", transfer.cost, { type: "transfer", transfer_id: transfer.id })
    if (place === "policy") this.policy += transfer.cost
    if (place === "bank" && transfer.reference !== null)
      this.executions.set(transfer.reference, (this.executions.get(transfer.reference) ?? 0) + 1)
    transfer.money = place
  }

  /** Moves USDC into the wallet, or out of it. */
  move(type: string, units: bigint, payment_route: object | null = null): void {
    this.balance += units
    this.history.push({
      ...{ id: `bwe_${this.history.length}`, bridge_wallet_id: walletId, currency: "usdc", type, payment_route },
      ...{ amount: textOf(units < 0n ? -units : units), available_balance: textOf(this.balance) },
      created_at: new Date(this.now()).toISOString()
    })
  }

  /** A payment to a virtual account. It is announced by nobody, and Bridge has it. `fee`: in millionths of USDC. */
  arrive(account: FakeVirtualAccount, units: bigint, { fee = 0n, rail = "ach_push" as FakeDeposit["rail"] } = {}) {
    const gross = account.currency === "eur" ? (units * this.rate) / 100n : units
    const deposit: FakeDeposit = {
      ...{ id: `deposit_${this.deposits.length + 1}`, account, rail, units, net: gross - fee, isReturned: false }
    }
    this.deposits.push(deposit)
    this.happen(deposit, "funds_received")
    return deposit
  }

  /** What becomes of it, with its money. */
  happen(deposit: FakeDeposit, type: string): void {
    const { account, id, net, rail, units } = deposit
    const isOut = type === "payment_submitted" || type === "payment_processed"
    this.activity.push({
      ...{ id: `va_event_${this.activity.length}`, type, customer_id: customerId, virtual_account_id: account.id },
      ...{ deposit_id: id, amount: textOf(isOut ? net : units), currency: isOut ? "usdc" : account.currency },
      ...{ subtotal_amount: textOf(units), developer_fee_amount: "0.0", gas_fee: "0.0" },
      ...(isOut && { destination_tx_hash: type === "payment_processed" ? `0x${id}` : `0xearly${id}` }),
      source: {
        payment_rail: rail,
        description: `for ${id}`,
        sender_name: "Chidi Eze",
        trace_number: "021000021000001"
      },
      created_at: new Date(this.now()).toISOString()
    })
    if (type === "payment_processed")
      this.move("deposit", net, { type: "virtual_account", virtual_account_id: account.id })
  }

  /** How a payment to an account ended. Undefined: it has not. */
  endOf({ id }: FakeDeposit): string | undefined {
    const types = this.activity.filter((item) => item["deposit_id"] === id).map((item) => String(item["type"]))
    return types.find((type) => type === "payment_processed" || type === "refunded")
  }

  /** A webhook about a payment to a virtual account. */
  depositMessage({ account, id }: FakeDeposit): ReturnType<FakeBridge["message"]> {
    const last = this.activity.findLast((item) => item["deposit_id"] === id)!
    return this.signed({
      ...{ event_category: "virtual_account.activity", event_type: "virtual_account.activity.updated" },
      ...{ event_object_id: last["id"], event_object_status: last["type"] },
      event_object: { ...last, virtual_account_id: account.id }
    })
  }

  /** A transfer that a person makes in the dashboard: it has no reference. */
  payByHand(account: string, units: bigint, currency = "usd"): FakeTransfer {
    const destination = { payment_rail: currency === "eur" ? "sepa" : "ach", currency, external_account_id: account }
    return this.make(null, units, destination, currency === "eur")
  }

  /** A webhook about a transfer. */
  message(transfer: FakeTransfer, { over = {}, ...how }: Parameters<FakeBridge["signed"]>[1] & { over?: object } = {}) {
    return this.signed(
      {
        ...{ event_category: "transfer", event_type: "transfer.updated.status_transitioned" },
        ...{ event_object_id: transfer.id, event_object_status: transfer.state },
        ...{ event_object: this.transferData(transfer), ...over }
      },
      how
    )
  }

  /** A webhook. `isOnce`: signed over the text, and not over its digest. */
  private signed(
    about: object,
    { at = this.now(), isOnce = false, isStranger = false, tampered = (text: string) => text } = {}
  ): { readonly headers: Record<string, string>; readonly body: string } {
    const body = JSON.stringify({
      ...{ api_version: "v0", event_id: `wh_${randomUUID()}`, event_object_changes: {} },
      ...{ event_created_at: new Date(at).toISOString(), ...about }
    })
    const data = Buffer.from(`${at}.${body}`)
    const key: KeyObject = (isStranger ? stranger : webhook).privateKey
    const signature = sign("sha256", isOnce ? data : createHash("sha256").update(data).digest(), key)
    return { body: tampered(body), headers: { "x-webhook-signature": `t=${at},v0=${signature.toString("base64")}` } }
  }

  private make(
    reference: string | null,
    units: bigint,
    destination: Record<string, unknown>,
    isFixed: boolean
  ): FakeTransfer {
    const cost = isFixed ? (units * this.rate) / 100n : units
    const transfer: FakeTransfer = {
      ...{ id: randomUUID(), reference, units, cost, destination, at: this.now(), state: "awaiting_funds" },
      ...{ money: "wallet", fee: isFixed ? 0n : this.fee }
    }
    this.transfers.push(transfer)
    this.become(transfer, this.balance < cost ? "awaiting_funds" : this.first)
    return transfer
  }

  private transferData(transfer: FakeTransfer): object {
    const { at, cost, destination, fee, id, reference, state, units } = transfer
    const date = new Date(at).toISOString()
    const isOut = state === "payment_processed"
    return this.shown({
      ...{ id, client_reference_id: reference, state, on_behalf_of: customerId, currency: "usd" },
      ...{ amount: textOf(cost), developer_fee: "0.0" },
      source: { payment_rail: "bridge_wallet", currency: "usdc", bridge_wallet_id: walletId },
      destination: { ...destination, ...(isOut && { trace_number: `T${id.slice(0, 8)}` }) },
      receipt: {
        ...{ initial_amount: textOf(cost), developer_fee: "0.0", exchange_fee: textOf(fee), gas_fee: "0.0" },
        ...{ subtotal_amount: textOf(cost - fee), final_amount: textOf(units - fee) }
      },
      ...{ created_at: date, updated_at: date }
    })
  }

  private receive(incoming: IncomingMessage, response: ServerResponse, text: string): void {
    const { pathname, searchParams } = new URL(incoming.url!, this.url)
    const header = (name: string): string | undefined => incoming.headers[name] as string | undefined
    const body = text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>)
    const request: BridgeRequest = {
      ...{ method: incoming.method!, path: pathname.replace("/v0", ""), query: searchParams, body, text },
      ...{ key: header("api-key") ?? "", idempotency_key: header("idempotency-key") }
    }
    this.requests.push(request)
    const send = ([status, sent, headers = {}]: Sent, cut = false): void => {
      const written = typeof sent === "string" ? sent : JSON.stringify(sent)
      const type = typeof sent === "string" ? "text/html" : "application/json"
      response.writeHead(status, { "content-type": type, ...headers })
      response.end(cut ? written.slice(0, Math.floor(written.length / 2)) : written)
    }
    switch (this.mishap(request)) {
      case "lost":
        this.answer(request)
        return void incoming.socket.destroy()
      case "refused":
        return void incoming.socket.destroy()
      case "queued":
        this.queue.push(() => void this.answer(request))
        return void incoming.socket.destroy()
      case "silent":
        return
      case "html":
        return send([502, "<html><h1>502 Bad Gateway</h1></html>"])
      case "done_html":
        this.answer(request)
        return send([502, "<html><h1>502 Bad Gateway</h1></html>"])
      case "done_truncated":
        return send(this.answer(request), true)
      case "redirect":
        return send([302, "", { location: `${this.url}/elsewhere` }])
      case "error_500":
        return send(no(500, "unexpected", "An expected error occurred."))
      case "done_500":
        this.answer(request)
        return send(no(500, "unexpected", "An expected error occurred."))
      case "dependency":
        this.answer(request)
        return send(no(502, "external_dependency_failed", "A partner did not answer."))
      case "limited":
        return send([429, { code: "rate_limited", message: "Too many requests." }, { "retry-after": "2" }])
      case "limited_html":
        return send([429, "<html>slow down</html>"])
      case "forbidden_html":
        return send([403, "<html>forbidden</html>"])
      case undefined:
        return send(this.answer(request))
    }
  }

  private answer(request: BridgeRequest): Sent {
    const given = this.instead(request)
    if (given !== undefined) return given
    const { idempotency_key, key, method, path, text } = request
    if (!this.keys.has(key)) return no(401, "invalid_credentials", "Missing or invalid API key.")
    if (method !== "POST") {
      if (idempotency_key !== undefined) this.invalid.push(`a key on ${method} ${path}`)
      return this.read(request)
    }
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(idempotency_key ?? ""))
      this.invalid.push(`the key ${idempotency_key}`)
    const known = this.answered.get(idempotency_key!)
    if (known !== undefined && this.now() - known.at >= dayMs)
      return no(422, "idempotency_key_expired", "The idempotency key was used more than 24 hours ago.")
    if (known !== undefined)
      return known.text === text ? known.sent : no(400, "not_truly_idempotent", "The request body has changed.")
    const sent = this.create(request)
    this.answered.set(idempotency_key!, { text, sent, at: this.now() })
    return sent
  }

  private read({ path, query }: BridgeRequest): Sent {
    const id = path.slice(path.lastIndexOf("/") + 1)
    if (path === `/customers/${customerId}/wallets/${walletId}`)
      return [
        200,
        {
          ...{ id: walletId, chain: "solana", address: walletAddress },
          balances: [{ balance: textOf(this.balance), currency: "usdc", chain: "solana", contract_address: "EPjF" }]
        }
      ]
    if (path.startsWith(`/customers/${customerId}/external_accounts/`)) {
      const account = this.accounts.find((one) => one.id === id)
      return account === undefined
        ? no(404, "not_found", "External account not found.")
        : [200, this.accountData(account)]
    }
    const virtual = `/customers/${customerId}/virtual_accounts/`
    if (path === `/customers/${customerId}/virtual_accounts`)
      return this.list(query, [...this.virtualAccounts].reverse(), (one) => this.virtualAccountData(one))
    if (path === "/virtual_accounts/history")
      return this.list(query, [...this.activity].reverse(), (item) => ({ value: this.shownActivity(item) }))
    if (path.startsWith(virtual) && path.endsWith("/history")) {
      const account = path.slice(virtual.length, -"/history".length)
      const items = this.activity.filter((item) => item["virtual_account_id"] === account).reverse()
      return this.list(query, items, (item) => this.shownActivity(item))
    }
    if (path === `/wallets/${walletId}/history`) {
      const listed = this.history.filter((item) => this.isListed(item))
      return this.list(query, listed.reverse(), (item) => item)
    }
    if (path === "/transfers")
      return this.list(
        query,
        [...this.transfers].reverse().sort((a, b) => b.at - a.at),
        (one) => this.transferData(one)
      )
    const transfer = path.startsWith("/transfers/") ? this.transfers.find((one) => one.id === id) : undefined
    if (transfer !== undefined) return [200, this.transferData(transfer)]
    return no(404, "not_found", "Not found.")
  }

  /** A page of a list that is newest first. */
  private list<A extends { readonly id?: unknown }>(
    query: URLSearchParams,
    all: ReadonlyArray<A>,
    show: (one: A) => unknown
  ): Sent {
    const limit = Math.min(Number(query.get("limit") ?? 10), this.pageMax)
    if (limit > 100) this.invalid.push(`a page of ${limit}`)
    const after = query.get("starting_after")
    const from = after === null ? 0 : all.findIndex((one) => one.id === after) + 1
    const data = all.slice(from, from + limit).map(show)
    return [200, { count: data.length, data }]
  }

  private accountData({ active, body, currency, id }: FakeAccount) {
    const number = ((body["account"] ?? body["iban"]) as { readonly account_number: string }).account_number
    return {
      ...{ id, account_type: body["account_type"], currency, customer_id: customerId, active },
      ...{ account_owner_name: body["account_owner_name"], last_4: number.slice(-4) }
    }
  }

  private create(request: BridgeRequest): Sent {
    if (request.path === `/customers/${customerId}/external_accounts`) return this.createAccount(request)
    if (request.path === "/transfers") return this.createTransfer(request)
    if (request.path === `/customers/${customerId}/virtual_accounts`) return this.createVirtualAccount(request)
    this.invalid.push(`POST ${request.path}`)
    return no(404, "not_found", "Not found.")
  }

  private createAccount({ body = {}, text }: BridgeRequest): Sent {
    const { account, account_type, address, currency, iban } = body as Record<string, Record<string, unknown>>
    const isUs =
      String(account_type) === "us" && String(currency) === "usd" && /^\d{9}$/.test(String(account?.["routing_number"]))
    const isIban =
      String(account_type) === "iban" && String(currency) === "eur" && /^[A-Z]{3}$/.test(String(iban?.["country"]))
    if (!isUs && !isIban) this.invalid.push(`account ${text}`)
    if (address !== undefined && !/^[A-Z]{3}$/.test(String(address["country"]))) this.invalid.push(`address ${text}`)
    if (String(body["account_owner_name"]).length > 256)
      return no(400, "invalid_parameters", "account_owner_name is too long.")
    const made: FakeAccount = { id: randomUUID(), currency: String(currency), body, active: true }
    this.accounts.push(made)
    return [201, this.accountData(made)]
  }

  private createVirtualAccount({ body = {}, text }: BridgeRequest): Sent {
    const { destination, source } = body as Record<string, Record<string, string>>
    const currency = source?.["currency"] ?? ""
    const isWallet = destination?.["address"] === walletAddress && destination["payment_rail"] === "solana"
    if (!["usd", "eur"].includes(currency) || !isWallet || destination["currency"] !== "usdc")
      this.invalid.push(`virtual account ${text}`)
    const [first] = this.virtualAccounts
    const account: FakeVirtualAccount = this.isShared && first !== undefined ? first : this.addVirtualAccount(currency)
    return [201, this.virtualAccountData(account)]
  }

  /** An account that was made, by a request or by a person in the dashboard. */
  addVirtualAccount(currency: string): FakeVirtualAccount {
    const n = this.virtualAccounts.length
    const number = currency === "usd" ? `00${1_000_000 + n}` : `DE8937040044053201${3000 + n}`
    const account = { id: `va_${n}`, currency, number, at: this.now(), isActive: true }
    this.virtualAccounts.push(account)
    return account
  }

  private virtualAccountData({ at, currency, id, isActive, number }: FakeVirtualAccount) {
    const us = { bank_beneficiary_name: "Platform Inc", bank_account_number: number, bank_routing_number: "101019644" }
    const sepa = { account_holder_name: "Platform Inc", iban: number, bic: "COBADEFFXXX" }
    return {
      ...{ id, status: isActive ? "activated" : "deactivated", customer_id: customerId },
      created_at: new Date(at).toISOString(),
      destination: { payment_rail: "solana", currency: "usdc", address: walletAddress },
      source_deposit_instructions: { currency, bank_name: "Lead Bank", ...(currency === "usd" ? us : sepa) }
    }
  }

  /** Returns a deposit: whole where it came by ACH, and once. */
  private createReturn({ body = {}, text }: BridgeRequest, to: Record<string, unknown>): Sent {
    const deposit = this.deposits.find(({ id }) => id === to["deposit_id"])
    if (!/^\d+\.\d{2}$/.test(String(body["amount"])) || to["amount"] !== undefined) this.invalid.push(`amount ${text}`)
    const units = unitsIn(String(body["amount"]))
    if (deposit === undefined) return no(400, "not_found", "The deposit is not found.")
    if (to["currency"] !== "usd" || deposit.account.currency !== "usd")
      return no(400, "invalid_parameters", "The currencies are not equivalent.")
    if (units > deposit.units || (deposit.rail === "ach_push" && units !== deposit.units))
      return no(400, "invalid_parameters", "The amount must match the original deposit.")
    if (deposit.isReturned) return no(400, "invalid_parameters", "The deposit has been returned.")
    if (this.balance < units && this.shortage === "refused")
      return no(400, "invalid_parameters", "The Bridge wallet has insufficient funds.")
    deposit.isReturned = true
    return [201, this.transferData(this.make(String(body["client_reference_id"]), units, to, false))]
  }

  private createTransfer(request: BridgeRequest): Sent {
    const { body = {}, text } = request
    const { amount, client_reference_id, destination, on_behalf_of, source } = body as Record<string, unknown>
    const { bridge_wallet_id, currency: given, payment_rail } = source as Record<string, string>
    const to = destination as Record<string, unknown>
    if (to["payment_rail"] === "fiat_deposit_return") return this.createReturn(request, to)
    const isFixed = to["currency"] === "eur"
    const stated = String(isFixed ? to["amount"] : amount)
    const rails: ReadonlyArray<unknown> = isFixed ? ["sepa"] : ["ach", "wire"]
    if (
      bridge_wallet_id !== walletId ||
      given !== "usdc" ||
      payment_rail !== "bridge_wallet" ||
      on_behalf_of !== customerId
    )
      this.invalid.push(`source ${text}`)
    if (!/^\d+\.\d{2}$/.test(stated) || (isFixed ? amount !== undefined : to["amount"] !== undefined))
      this.invalid.push(`amount ${text}`)
    if (!rails.includes(to["payment_rail"])) this.invalid.push(`rail ${text}`)
    const reference = to["sepa_reference"]
    if (reference !== undefined && (String(reference).length < 6 || String(reference).length > 140))
      return no(400, "invalid_parameters", "sepa_reference takes 6 to 140 characters.")
    const account = this.accounts.find(({ id }) => id === to["external_account_id"])
    if (account === undefined) return no(400, "not_found", "The external account is not found.")
    if (!account.active) return no(400, "deactivated_external_account", "The external account is deactivated.")
    if (account.currency !== to["currency"]) return no(400, "invalid_parameters", "The currencies differ.")
    const units = unitsIn(stated)
    const cost = isFixed ? (units * this.rate) / 100n : units
    if (this.balance < cost && this.shortage === "refused")
      return no(400, "invalid_parameters", "The Bridge wallet has insufficient funds.")
    return [201, this.transferData(this.make(String(client_reference_id), units, to, isFixed))]
  }
}
