/**
 * A Paystack on loopback, written from what its public documents and public code say of it, and apart from the connector: it keeps state,
 * moves money between its own books, and lies on the way in every manner that a network allows.
 */
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export const ngnKey = "sk_test_aaaaaaaaaaaaaaaaaaaa"
export const ghsKey = "sk_test_bbbbbbbbbbbbbbbbbbbb"

export type TransferStatus =
  | "pending"
  | "received"
  | "otp"
  | "success"
  | "failed"
  | "reversed"
  | "abandoned"
  | "blocked"
  | "rejected"

export interface FakeTransfer {
  /** Above 2^53, as JSON numbers. */
  readonly id: bigint
  readonly reference: string
  readonly amount: bigint
  readonly currency: string
  readonly recipient: string
  readonly reason: string | null
  readonly at: number
  /** The number of the integration that made it: no other one sees it. */
  readonly integration: number
  status: string
  fee: bigint
}

/**
 * What happens on the way. `lost`: it is done, and the connection breaks. `refused`: the connection breaks before it is done. `queued`: the
 * connection breaks, and it is done by `drain`. The others are answers: those that begin with `done_` after it is done.
 */
export type Mishap =
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
  | "false_200"
  | "done_false_200"
  | "limited"
  | "limited_html"

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown> | undefined
  readonly text: string
  readonly key: string
}

interface Integration {
  readonly number: number
  readonly currency: string
  readonly domain: string
  balance: bigint
  /** The state that a transfer has in the first answer. */
  first: string
}

interface LedgerEntry {
  readonly id: bigint
  readonly difference: bigint
  readonly balance: bigint
  readonly currency: string
  readonly model: string
  readonly row: bigint
  readonly at: number
  readonly integration: number
}

interface FakeCharge {
  readonly id: bigint
  readonly reference: string
  readonly amount: bigint
  readonly currency: string
  readonly email: string
  readonly at: number
  readonly channel: string
}

interface FakeRefund {
  readonly id: bigint
  readonly transaction: bigint
  readonly amount: bigint
  readonly currency: string
  readonly merchant_note: string
  readonly at: number
  status: string
}

type Sent = readonly [status: number, body: string | object, headers?: Record<string, string>]

/** JSON whose bigints are numbers. */
export const jsonOf = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(",")}]`
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`)
      .join(",")}}`
  return JSON.stringify(value)
}

const ok = (data: unknown, message = "OK", meta?: object): Sent => [
  200,
  { status: true, message, data, ...(meta && { meta }) }
]
const no = (status: number, code: string, message: string): Sent => [
  status,
  { status: false, message, type: "validation_error", code, meta: { nextStep: "Read the documentation" } }
]

const banks: Record<string, ReadonlyArray<object>> = {
  NGN: [
    {
      name: "Access Bank",
      slug: "access-bank",
      code: "044",
      type: "nuban",
      currency: "NGN",
      active: true,
      is_deleted: false
    },
    {
      name: "Wema Bank",
      slug: "wema-bank",
      code: "035",
      type: "nuban",
      currency: "NGN",
      active: true,
      is_deleted: false
    },
    {
      name: "ALAT by Wema",
      slug: "alat",
      code: "035A",
      type: "nuban",
      currency: "NGN",
      active: true,
      is_deleted: false
    },
    {
      name: "Zenith Bank",
      slug: "zenith",
      code: "057",
      type: "nuban",
      currency: "NGN",
      active: true,
      is_deleted: false
    },
    {
      name: "Closed Bank",
      slug: "closed",
      code: "999",
      type: "nuban",
      currency: "NGN",
      active: false,
      is_deleted: true
    }
  ],
  GHS: [
    { name: "Absa", slug: "absa-gh", code: "030100", type: "ghipss", currency: "GHS", active: true, is_deleted: false },
    { name: "MTN", slug: "mtn", code: "MTN", type: "mobile_money", currency: "GHS", active: true, is_deleted: false }
  ],
  KES: [
    { name: "Equity", slug: "equity", code: "68", type: "kepss", currency: "KES", active: true, is_deleted: false },
    {
      name: "Till",
      slug: "till",
      code: "MPTILL",
      type: "mobile_money_business",
      currency: "KES",
      active: true,
      is_deleted: false
    }
  ],
  ZAR: [
    { name: "Capitec", slug: "capitec", code: "470010", type: "basa", currency: "ZAR", active: true, is_deleted: false }
  ]
}

export class FakePaystack {
  /** By secret key. Another key, or none, is refused. */
  readonly integrations = new Map<string, Integration>()
  readonly transfers = new Map<string, FakeTransfer>()
  /** How often each reference was executed: more than once is what must never be. */
  readonly executions = new Map<string, number>()
  readonly refunds: Array<FakeRefund> = []
  readonly charges: Array<FakeCharge> = []
  readonly requests: Array<FakeRequest> = []
  /** What the connector should never have sent. */
  readonly invalid: Array<string> = []
  /** What happens to a request on its way. */
  mishap: (request: FakeRequest) => Mishap | undefined = () => undefined
  /** Answers a request in its place. */
  instead: (request: FakeRequest) => Sent | undefined = () => undefined
  /** Whether a row of the ledger is listed already. */
  isListed: (row: { readonly id: bigint }) => boolean = () => true
  /** The time that the fake's clock shows, epoch milliseconds. */
  now: () => number = () => 0
  private readonly recipients = new Map<string, { readonly recipient_code: string; readonly integration: number }>()
  private readonly customers = new Map<string, { readonly code: string; account?: string }>()
  private readonly ledger: Array<LedgerEntry> = []
  private readonly queue: Array<() => void> = []
  private ids = 9_007_199_254_740_993n
  private server = createServer()
  url = ""

  constructor() {
    this.integrations.set(ngnKey, {
      number: 100,
      currency: "NGN",
      domain: "test",
      balance: 1_000_000_00n,
      first: "success"
    })
    this.integrations.set(ghsKey, {
      number: 200,
      currency: "GHS",
      domain: "test",
      balance: 1_000_000_00n,
      first: "success"
    })
  }

  async start(): Promise<this> {
    this.server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => this.receive(incoming, response, Buffer.concat(chunks).toString("utf8")))
    })
    await new Promise<void>((resolve) => void this.server.listen(0, "127.0.0.1", resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
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

  /** What a transfer becomes, with its money. */
  become(reference: string, status: string): void {
    const transfer = this.transfers.get(reference)
    if (transfer === undefined) throw new Error(`no transfer ${reference}`)
    const had = this.hasLeft(transfer.status)
    const has = this.hasLeft(status)
    transfer.status = status
    if (had && !has) this.book(transfer.currency, transfer.amount, "Transfer", transfer.id)
    if (!had && has) this.debit(transfer)
  }

  /** A payment to the account of a customer. */
  pay(account: string, amount: bigint, channel = "dedicated_nuban"): FakeCharge {
    const found = [...this.customers].find(([, customer]) => customer.account === account)
    const email = found?.[0] ?? "stranger@elsewhere.example"
    const charge = {
      id: ++this.ids,
      reference: `T${this.ids}`,
      amount,
      currency: "NGN",
      email,
      at: this.now(),
      channel
    }
    this.charges.push(charge)
    this.book("NGN", amount, "Transaction", charge.id)
    return charge
  }

  /** A callback, signed with a key. */
  callback(
    event: string,
    data: object,
    key = ngnKey
  ): { readonly headers: Record<string, string>; readonly body: string } {
    const body = jsonOf({ event, data })
    return { body, headers: { "x-paystack-signature": createHmac("sha512", key).update(body).digest("hex") } }
  }

  transferCallback(reference: string, event = `transfer.${this.transfers.get(reference)?.status}`, key = ngnKey) {
    return this.callback(event, this.transferData(this.transfers.get(reference)!), key)
  }

  chargeCallback(charge: FakeCharge, key = ngnKey) {
    return this.callback("charge.success", this.chargeData(charge), key)
  }

  /** The newest row of the ledger. */
  get lastBooked(): { readonly id: bigint } {
    return this.ledger.at(-1)!
  }

  private hasLeft(status: string): boolean {
    return status === "success" || status === "pending"
  }

  private integrationOf(currency: string): Integration {
    return [...this.integrations.values()].find((one) => one.currency === currency)!
  }

  private book(currency: string, difference: bigint, model: string, row: bigint): void {
    this.bookIn(this.integrationOf(currency), difference, model, row)
  }

  private bookIn(integration: Integration, difference: bigint, model: string, row: bigint): void {
    integration.balance += difference
    this.ledger.push({
      ...{ id: ++this.ids, difference, balance: integration.balance, currency: integration.currency, model, row },
      ...{ at: this.now(), integration: integration.number }
    })
  }

  private debit(transfer: FakeTransfer): void {
    this.executions.set(transfer.reference, (this.executions.get(transfer.reference) ?? 0) + 1)
    const owner = [...this.integrations.values()].find(({ number }) => number === transfer.integration)
    this.bookIn(owner ?? this.integrationOf(transfer.currency), -transfer.amount, "Transfer", transfer.id)
  }

  private transferData({ amount, at, currency, fee, id, integration, reason, ...transfer }: FakeTransfer) {
    const { recipient, reference, status } = transfer
    const { domain } = this.integrationOf(currency)
    return {
      ...{ id, reference, status, amount, currency, domain, reason, integration, source: "balance" },
      recipient: { recipient_code: recipient },
      transfer_code: `TRF_${id}`,
      fee_charged: fee,
      failures: null,
      gateway_response: status === "failed" ? "Account is dormant" : null,
      session: { provider: status === "success" ? "nip" : null, id: status === "success" ? `0000${id}` : null },
      createdAt: new Date(at).toISOString()
    }
  }

  private chargeData({ amount, at, channel, currency, email, id, reference }: FakeCharge) {
    return {
      ...{ id, reference, amount, currency, channel, status: "success", domain: "test" },
      paid_at: new Date(at).toISOString(),
      customer: { email, customer_code: this.customers.get(email)?.code },
      authorization: {
        channel,
        sender_name: "Ada Obi",
        sender_bank: "Access Bank",
        sender_bank_account_number: "XXXXXX4321",
        narration: "rent"
      }
    }
  }

  private receive(incoming: IncomingMessage, response: ServerResponse, text: string): void {
    const { pathname, searchParams } = new URL(incoming.url!, this.url)
    const key = (incoming.headers.authorization ?? "").replace("Bearer ", "")
    const body = text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>)
    const request: FakeRequest = { method: incoming.method!, path: pathname, query: searchParams, body, text, key }
    this.requests.push(request)
    const send = ([status, sent, headers = {}]: Sent, cut = false): void => {
      const written = typeof sent === "string" ? sent : jsonOf(sent)
      const type = typeof sent === "string" ? "text/html" : "application/json"
      response.writeHead(status, { "content-type": type, ...headers })
      response.end(cut ? written.slice(0, Math.floor(written.length / 2)) : written)
    }
    const html: Sent = [502, "<html><h1>502 Bad Gateway</h1></html>"]
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
        return send(html)
      case "done_html":
        this.answer(request)
        return send(html)
      case "done_truncated":
        return send(this.answer(request), true)
      case "redirect":
        return send([302, "", { location: `${this.url}/elsewhere` }])
      case "error_500":
        return send(no(500, "unknown", "An error occurred"))
      case "done_500":
        this.answer(request)
        return send(no(500, "unknown", "An error occurred"))
      case "false_200":
        return send([200, { status: false, message: "Transfer could not be made" }])
      case "done_false_200":
        this.answer(request)
        return send([200, { status: false, message: "Transfer could not be made" }])
      case "limited":
        return send([...no(429, "rate_limited", "Too many requests"), { "retry-after": "2" }] as unknown as Sent)
      case "limited_html":
        return send([429, "<html>slow down</html>"])
      case undefined:
        return send(this.answer(request))
    }
  }

  private answer(request: FakeRequest): Sent {
    const given = this.instead(request)
    if (given !== undefined) return given
    const integration = this.integrations.get(request.key)
    if (integration === undefined) return no(401, "invalid_Key", "Invalid key")
    const { method, path, query } = request
    const call = `${method} ${path.replace(/^(\/(?:transfer\/verify|transaction\/verify|customer|transfer)\/).+$/, "$1:id")}`
    const id = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1))
    switch (call) {
      case "GET /balance":
        return ok([{ currency: integration.currency, balance: integration.balance }])
      case "GET /balance/ledger":
        return this.listLedger(integration, query)
      case "GET /bank":
        return this.page(banks[query.get("currency") ?? "NGN"] ?? [], query)
      case "GET /bank/resolve":
        return query.get("account_number")?.startsWith("9") === true || !this.hasBank(query.get("bank_code"))
          ? no(422, "invalid_bank_code", "Could not resolve account name. Check parameters or try again.")
          : ok({ account_number: query.get("account_number"), account_name: "ADA OBI", bank_id: 1 })
      case "POST /bank/validate": {
        // An account whose number begins with 9 is unknown to its bank, and a document that ends in 0000 is somebody else's.
        const { account_number, document_number, document_type } = request.body ?? {}
        if (!["identityNumber", "passportNumber", "businessRegistrationNumber"].includes(String(document_type)))
          return no(400, "invalid_params", "document_type is invalid")
        const isKnown = !String(account_number).startsWith("9")
        const isHolder = isKnown && !String(document_number).endsWith("0000")
        return ok({
          ...{
            verified: isKnown,
            verificationMessage: isKnown ? "Account is verified" : "Account could not be verified"
          },
          ...{ accountAcceptsDebits: isKnown, accountAcceptsCredits: isKnown, accountOpen: isKnown },
          ...{ accountOpenForMoreThanThreeMonths: isKnown, accountHolderMatch: isHolder }
        })
      }
      case "POST /transferrecipient":
        return this.createRecipient(integration, request)
      case "POST /transfer":
        return this.createTransfer(integration, request)
      case "GET /transfer/verify/:id": {
        const transfer = this.transfers.get(id)
        return transfer === undefined || transfer.integration !== integration.number
          ? no(404, "transfer_not_found", "Transfer not found")
          : ok(this.transferData(transfer))
      }
      case "GET /transfer/:id": {
        const transfer = [...this.transfers.values()].find((one) => String(one.id) === id)
        return transfer === undefined
          ? no(404, "transfer_not_found", "Transfer not found")
          : ok(this.transferData(transfer))
      }
      case "GET /transfer":
        return this.page(
          [...this.transfers.values()]
            .filter(({ at, currency, status }) => {
              const isIn = status === query.get("status") && currency === integration.currency
              return isIn && this.isWithin(at, query)
            })
            .map((transfer) => this.transferData(transfer)),
          query
        )
      case "GET /customer/:id": {
        const customer = this.customers.get(id)
        return customer === undefined ? no(404, "customer_not_found", "Customer not found") : ok(this.customerData(id))
      }
      case "POST /customer": {
        const email = String(request.body?.["email"])
        if (!this.customers.has(email)) this.customers.set(email, { code: `CUS_${++this.ids}` })
        return ok(this.customerData(email))
      }
      case "POST /dedicated_account": {
        const customer = [...this.customers.values()].find(({ code }) => code === request.body?.["customer"])
        if (customer === undefined) return no(404, "customer_not_found", "Customer not found")
        customer.account = `00${String(++this.ids).slice(-8)}`
        return ok(this.accountData(customer.account))
      }
      case "GET /transaction":
        return this.page(
          this.charges.filter(({ at }) => this.isWithin(at, query)).map((one) => this.chargeData(one)),
          query
        )
      case "GET /transaction/verify/:id": {
        const charge = this.charges.find(({ reference }) => reference === id)
        return charge === undefined
          ? no(404, "transaction_not_found", "Transaction not found")
          : ok(this.chargeData(charge))
      }
      case "POST /refund":
        return this.createRefund(request, integration)
      // The published schema has no filter by transaction.
      case "GET /refund":
        return this.page(
          this.refunds.filter(({ at }) => this.isWithin(at, query)).map((one) => this.refundData(one)),
          query,
          true
        )
      case "GET /transferrecipient":
        return this.page(
          [...this.recipients.values()].filter((one) => one.integration === integration.number),
          query
        )
      default:
        this.invalid.push(call)
        return no(404, "not_found", "Not found")
    }
  }

  private isWithin(at: number, query: URLSearchParams): boolean {
    return at >= Date.parse(query.get("from") ?? "1970-01-01") && at <= Date.parse(query.get("to") ?? "2100-01-01")
  }

  private hasBank(code: string | null): boolean {
    return Object.values(banks)
      .flat()
      .some((bank) => (bank as { readonly code: string }).code === code)
  }

  refundData({ amount, at, currency, id, merchant_note, status, transaction }: FakeRefund) {
    return {
      ...{ id, amount, currency, merchant_note, status, domain: "test", transaction },
      ...{ transaction_reference: `T${transaction}`, createdAt: new Date(at).toISOString() }
    }
  }

  refundCallback(refund: FakeRefund, key = ngnKey) {
    const { amount, currency, status, transaction } = refund
    return this.callback(
      `refund.${status}`,
      { amount, currency, status, transaction_reference: `T${transaction}` },
      key
    )
  }

  private accountData(account_number: string | undefined) {
    return account_number === undefined
      ? null
      : {
          account_number,
          account_name: "PLATFORM / ADA OBI",
          assigned: true,
          currency: "NGN",
          bank: { name: "Test Bank", id: 20, slug: "test-bank" }
        }
  }

  private customerData(email: string) {
    const { account, code } = this.customers.get(email)!
    return { email, customer_code: code, dedicated_account: this.accountData(account) }
  }

  /** A page, in the order of the list. */
  private page(all: ReadonlyArray<object>, query: URLSearchParams, isText = false): Sent {
    const size = Number(query.get("perPage") ?? 50)
    const page = Number(query.get("page") ?? 1)
    const pageCount = Math.max(1, Math.ceil(all.length / size))
    // The schema of some lists has the size as a number, that of others as text.
    const meta = { total: all.length, perPage: isText ? String(size) : size, page, pageCount }
    return ok(all.slice((page - 1) * size, page * size), "OK", meta)
  }

  /** Newest first. */
  private listLedger({ currency, number }: Integration, query: URLSearchParams): Sent {
    const rows = this.ledger
      .filter((row) => row.integration === number && this.isWithin(row.at, query) && this.isListed(row))
      .map(({ at, balance, difference, id, model, row }) => ({
        ...{ id, difference, balance, currency, integration: number, domain: "test" },
        ...{ reason: "Who knows", model_responsible: model, model_row: row, createdAt: new Date(at).toISOString() }
      }))
      .reverse()
    return this.page(rows, query)
  }

  private createRecipient({ currency, number }: Integration, { body = {} }: FakeRequest): Sent {
    const { account_number, bank_code, currency: asked, name, type } = body
    const bank = (banks[currency] ?? []).find((one) => (one as { readonly code: string }).code === bank_code) as
      | { readonly type: string }
      | undefined
    if (asked !== currency || typeof name !== "string" || typeof account_number !== "string")
      this.invalid.push(`recipient ${JSON.stringify(body)}`)
    if (bank === undefined) return no(400, "invalid_bank_code", "Bank code is invalid")
    if (bank.type !== type) return no(400, "invalid_params", "Recipient type is invalid")
    if (String(account_number).startsWith("9"))
      return no(422, "unprocessed", "Could not resolve account name. Check parameters or try again.")
    const code = `RCP_${String(bank_code)}${String(account_number)}`
    this.recipients.set(code, { recipient_code: code, integration: number })
    const data = { recipient_code: code, type, integration: number, details: { account_number } }
    return [201, { status: true, message: "Recipient created", data }]
  }

  private createTransfer(integration: Integration, { body = {}, text }: FakeRequest): Sent {
    const { currency, reason, recipient, reference, source } = body
    const amount = /"amount":(\d+)[,}]/.exec(text)?.[1]
    if (
      amount === undefined ||
      source !== "balance" ||
      !/^[a-z0-9_-]{16,50}$/.test(String(reference)) ||
      currency === undefined
    )
      this.invalid.push(`transfer ${text}`)
    if (this.transfers.get(String(reference))?.integration === integration.number)
      return no(
        400,
        "duplicate_transfer_reference",
        "Please provide a unique reference. Reference already exists on a transfer"
      )
    if (!this.recipients.has(String(recipient))) return no(404, "recipient_not_found", "Recipient not found")
    if (currency !== integration.currency) return no(400, "invalid_currency", "Currency not supported by merchant")
    const units = BigInt(amount ?? 0)
    if (integration.balance < units)
      return no(400, "insufficient_balance", "Your balance is not enough to fulfil this request")
    const transfer: FakeTransfer = {
      ...{
        id: ++this.ids,
        reference: String(reference),
        amount: units,
        currency,
        recipient: String(recipient)
      },
      ...{ reason: (reason as string | undefined) ?? null, at: this.now(), status: integration.first, fee: 1000n },
      integration: integration.number
    }
    this.transfers.set(transfer.reference, transfer)
    if (this.hasLeft(transfer.status)) this.debit(transfer)
    return ok({ ...this.transferData(transfer), recipient: 57 }, "Transfer has been queued")
  }

  private createRefund({ body = {}, text }: FakeRequest, integration: Integration): Sent {
    const charge = this.charges.find(({ id }) => String(id) === String(body["transaction"]))
    if (charge === undefined) return no(404, "transaction_not_found", "Transaction not found")
    const amount = BigInt(/"amount":(\d+)[,}]/.exec(text)?.[1] ?? 0)
    const refunded = this.refunds
      .filter(({ status, transaction }) => transaction === charge.id && status !== "failed")
      .reduce((sum, one) => sum + one.amount, 0n)
    if (refunded + amount > charge.amount)
      return no(400, "invalid_amount", "Refund amount is more than the transaction amount")
    const note = String(body["merchant_note"])
    this.executions.set(note, (this.executions.get(note) ?? 0) + 1)
    const refund = {
      id: ++this.ids,
      transaction: charge.id,
      amount,
      currency: charge.currency,
      merchant_note: note,
      at: this.now(),
      status: "pending"
    }
    this.refunds.push(refund)
    this.bookIn(integration, -amount, "Refund", refund.id)
    const transaction = { id: charge.id, domain: "test", reference: charge.reference, amount: charge.amount }
    return ok({ ...this.refundData(refund), transaction }, "Refund has been queued")
  }
}
