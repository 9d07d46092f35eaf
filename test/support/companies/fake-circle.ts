/**
 * A Circle Mint on loopback, with the SNS that sends its notifications, written from what its public documents say of it, and apart from the
 * connector: it keeps state, moves money between its own books, gives the first result again under a key, and lies on the way in every manner
 * that a network allows.
 */
import { randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { makeCertificate } from "./certificate.ts"

export const circleKey = "SAND_API_KEY:aaaaaaaaaaaaaaaa:bbbbbbbbbbbbbbbb"
export const topicArn = "arn:aws:sns:us-east-1:908968368384:sandbox_platform-notifications-topic"
const certificateName = "SimpleNotificationService-0123456789abcdef.pem"
const walletId = "1000038499"

/** Keys take a while to make: one certificate serves all. */
const certificate = makeCertificate("sns.amazonaws.com")
const stranger = makeCertificate("sns.example.com")

/** Millionths, as text of Circle's. */
export const moneyOf = (units: bigint, currency = "USD") => {
  const digits = String(units).padStart(7, "0")
  const fraction = digits.slice(-6).replace(/0{1,4}$/, "")
  return { amount: `${digits.slice(0, -6)}.${fraction}`, currency }
}
const unitsIn = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}

export interface FakeReturn {
  status: "pending" | "complete" | "failed"
  readonly units: bigint
  readonly fee: bigint
  readonly began_at: number
  at: number
}

export interface FakePayment {
  readonly id: string
  readonly kind: "transfer" | "payout"
  readonly key: string
  readonly units: bigint
  /** The address or the bank. */
  readonly to: string
  readonly chain: string | null
  readonly at: number
  status: string
  errorCode: string | null
  hash: string | null
  fee: bigint
  /** Whether money is out. */
  isOut: boolean
  back: FakeReturn | null
  /** What the recipient gets, where it is less. */
  net?: bigint
}

export interface FakeArrival {
  readonly id: string
  readonly chain: string
  readonly address: string
  readonly units: bigint
  readonly at: number
  status: string
}

export interface FakeWire {
  readonly id: string
  readonly units: bigint
  readonly at: number
  status: string
}

/**
 * What happens on the way. `lost`: it is done, and the connection breaks. `refused`: the connection breaks before it is done. `queued`: the
 * connection breaks, and it is done by `drain`. The others are answers: those that begin with `done_` after it is done.
 */
export type CircleMishap =
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
  | "limited"
  | "limited_html"
  | "forbidden_html"

export interface CircleRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown> | undefined
  readonly text: string
  readonly key: string
}

type Sent = readonly [status: number, body: string | object, headers?: Record<string, string>]

const ok = (data: unknown, status = 200): Sent => [status, { data }]
const no = (status: number, code: number, message: string): Sent => [status, { code, message }]

const base = "/v1/businessAccount"

export class FakeCircle {
  readonly keys = new Set([circleKey])
  readonly payments: Array<FakePayment> = []
  readonly arrivals: Array<FakeArrival> = []
  readonly deposits: Array<FakeWire> = []
  /** How often money left under each key: more than once is what must never be. */
  readonly executions = new Map<string, number>()
  readonly recipients: Array<{ id: string; address: string; chain: string; status: string }> = []
  readonly wires: Array<{
    readonly id: string
    readonly description: string
    readonly country: string
    status: string
  }> = []
  readonly subscriptions: Array<{ readonly status: string }> = []
  /** The tokens by which subscriptions were confirmed. */
  readonly confirmed: Array<string> = []
  readonly requests: Array<CircleRequest> = []
  /** What the connector should never have sent. */
  readonly invalid: Array<string> = []
  /** Millionths of USDC. */
  balance = 1_000_000_000_000n
  /** How a payment is shown: another form than the documents have. */
  shown: (payment: Record<string, unknown>) => object = (payment) => payment
  /** The most items of a page, whatever is asked for. */
  pageMax = 50
  /** The state of a payment in the first answer. */
  first = "pending"
  /** Whether each call for an address gives a new one. Documents say that there is one for each chain. */
  hasManyAddresses = true
  /** What happens to a request on its way. */
  mishap: (request: CircleRequest) => CircleMishap | undefined = () => undefined
  /** Answers a request in its place. */
  instead: (request: CircleRequest) => Sent | undefined = () => undefined
  /** The time that the fake's clock shows, epoch milliseconds. */
  now: () => number = () => 0
  /** Whether a payment or an arrival is listed already. */
  isListed: (one: { readonly id: string }) => boolean = () => true
  /** What was done under each key: the body, and the data of the first result. */
  private readonly results = new Map<string, { readonly text: string; readonly id: string }>()
  readonly addresses = new Map<string, { readonly id: string; readonly address: string; readonly chain: string }>()
  private readonly queue: Array<() => void> = []
  private server = createServer()
  url = ""

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

  addRecipient(address: string, chain = "BASE", status = "active"): string {
    const id = randomUUID()
    this.recipients.push({ id, address, chain, status })
    return id
  }

  addWire(description: string, status = "complete", country = "US"): string {
    const id = randomUUID()
    this.wires.push({ id, description, country, status })
    return id
  }

  /** The payment under a key; undefined: there is none. */
  paymentOf(key: string): FakePayment | undefined {
    return this.payments.find((one) => one.key === key)
  }

  /** What a payment becomes, with its money. A `failed` one has a code, and may have the hash of a transaction. */
  become(
    payment: FakePayment,
    status: string,
    errorCode: string | null = null,
    hash: string | null = payment.hash
  ): void {
    payment.status = status
    payment.errorCode = errorCode
    payment.hash = status === "complete" && payment.kind === "transfer" ? (hash ?? `0x${payment.id}`) : hash
    // What was on a chain is gone, whatever the state says.
    const isOut = status !== "failed" || errorCode === "transaction_returned" || payment.hash !== null
    if (isOut !== payment.isOut) this.balance += isOut ? -payment.units : payment.units
    if (isOut && !payment.isOut) this.count(payment.key)
    payment.isOut = isOut
  }

  /** A payout comes back, less a fee: first it is on its way. */
  bringBack(payment: FakePayment, fee = 0n, status: FakeReturn["status"] = "pending"): void {
    payment.back = { status, units: payment.units, fee, began_at: this.now(), at: this.now() }
    if (status === "complete") this.balance += payment.units - fee
  }

  complete({ back }: FakePayment): void {
    if (back?.status !== "pending") throw new Error("nothing is coming back")
    back.status = "complete"
    back.at = this.now()
    this.balance += back.units - back.fee
  }

  /** A payment on a chain to an address. */
  arrive(address: string, units: bigint, status = "complete", chain = "BASE"): FakeArrival {
    const arrival = { id: randomUUID(), chain, address, units, at: this.now(), status }
    this.arrivals.push(arrival)
    if (status === "complete") this.balance += units
    return arrival
  }

  /** A payment that a person makes in the console. */
  payByHand(to: string, units: bigint, chain: string | null = "BASE"): FakePayment {
    const kind = chain === null ? "payout" : "transfer"
    return this.make(kind, `by hand ${randomUUID()}`, units, to, chain)
  }

  /** A wire of the account holder, without a reference. */
  mint(units: bigint, status = "complete"): FakeWire {
    const wire = { id: randomUUID(), units, at: this.now(), status }
    this.deposits.push(wire)
    if (status === "complete") this.balance += units
    return wire
  }

  /** A message of SNS. `over`: what is different in it, and then signed; `tampered`: what is changed after that. */
  message(
    inner: object | string,
    { over = {}, tampered = {}, isStranger = false }: { over?: object; tampered?: object; isStranger?: boolean } = {}
  ): { readonly headers: Record<string, string>; readonly body: string } {
    const message: Record<string, unknown> = {
      Type: "Notification",
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Message: typeof inner === "string" ? inner : JSON.stringify(inner),
      Timestamp: new Date(this.now()).toISOString(),
      SignatureVersion: "2",
      SigningCertURL: `https://sns.us-east-1.amazonaws.com/${certificateName}`,
      UnsubscribeURL: "https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe",
      ...over
    }
    const names =
      message["Type"] === "Notification"
        ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
        : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    const text = names.filter((name) => message[name] !== undefined).map((name) => `${name}\n${message[name]}\n`)
    const algorithm = message["SignatureVersion"] === "1" ? "sha1" : "sha256"
    const { key } = isStranger ? stranger : certificate
    message["Signature"] = sign(algorithm, Buffer.from(text.join("")), key).toString("base64")
    const body = JSON.stringify({ ...message, ...tampered })
    return { body, headers: { "x-amz-sns-topic-arn": topicArn, "content-type": "text/plain; charset=UTF-8" } }
  }

  paymentMessage(payment: FakePayment, options?: Parameters<FakeCircle["message"]>[1]) {
    const clientId = "fea2ca9b-b759-4341-98b1-000000000000"
    const { kind } = payment
    return this.message(
      { clientId, notificationType: `${kind}s`, version: 1, [kind]: this.paymentData(payment) },
      options
    )
  }

  arrivalMessage(arrival: FakeArrival) {
    return this.message({
      clientId: "c",
      notificationType: "transfers",
      version: 1,
      transfer: this.arrivalData(arrival)
    })
  }

  private count(key: string): void {
    this.executions.set(key, (this.executions.get(key) ?? 0) + 1)
  }

  private make(kind: FakePayment["kind"], key: string, units: bigint, to: string, chain: string | null): FakePayment {
    const payment: FakePayment = {
      ...{
        id: randomUUID(),
        kind,
        key,
        units,
        to,
        chain,
        at: this.now(),
        status: "failed",
        errorCode: null,
        hash: null
      },
      ...{ fee: 0n, isOut: false, back: null }
    }
    this.payments.push(payment)
    if (this.balance < units) this.become(payment, "failed", "insufficient_funds")
    else
      this.become(
        payment,
        this.first,
        this.first === "failed" ? `trans${kind === "payout" ? "action" : "fer"}_denied` : null
      )
    return payment
  }

  private paymentData(payment: FakePayment, isListed = false): object {
    return this.shown(this.documented(payment, isListed))
  }

  private documented(
    { at, back, chain, errorCode, fee, hash, id, kind, net, status, to, units }: FakePayment,
    isListed = false
  ) {
    const createDate = new Date(at).toISOString()
    if (kind === "transfer")
      return {
        ...{ id, source: { type: "wallet", id: walletId }, destination: { type: "blockchain", address: to, chain } },
        ...{ amount: moneyOf(units), status, createDate },
        ...(fee > 0n && { fees: [{ ...moneyOf(fee), type: "network" }] }),
        ...(hash !== null && { transactionHash: hash }),
        ...(errorCode !== null && { errorCode }),
        ...(errorCode === "transfer_denied" && { riskEvaluation: { decision: "denied", reason: "3300" } })
      }
    return {
      ...{ id, sourceWalletId: walletId, destination: { type: "wire", id: to, name: "A BANK ****0010" } },
      ...{ amount: moneyOf(units), status, createDate, updateDate: createDate },
      ...(fee > 0n && { fees: moneyOf(fee) }),
      ...(net !== undefined && { toAmount: moneyOf(net) }),
      ...(!isListed && { trackingRef: `CIR-${id.slice(0, 8)}` }),
      ...(errorCode !== null && { errorCode }),
      ...(errorCode === "transaction_denied" && { riskEvaluation: { decision: "denied", reason: "3220" } }),
      ...(back !== null && {
        return: {
          ...{ id: randomUUID(), payoutId: id, amount: moneyOf(back.units), fees: moneyOf(back.fee) },
          ...{ reason: "payout_returned", status: back.status, createDate: new Date(back.began_at).toISOString() },
          updateDate: new Date(back.at).toISOString()
        }
      })
    }
  }

  private arrivalData({ address, at, chain, id, status, units }: FakeArrival) {
    return {
      ...{ id, source: { type: "blockchain", chain }, destination: { type: "wallet", id: walletId, address } },
      ...{ amount: moneyOf(units), status, createDate: new Date(at).toISOString(), transactionHash: `0x${id}` }
    }
  }

  private depositData({ at, id, status, units }: FakeWire) {
    const date = new Date(at).toISOString()
    return {
      ...{ id, sourceWalletId: randomUUID(), destination: { type: "wallet", id: walletId }, amount: moneyOf(units) },
      ...{ status, fees: moneyOf(0n), createDate: date, updateDate: date }
    }
  }

  private receive(incoming: IncomingMessage, response: ServerResponse, text: string): void {
    const { pathname, searchParams } = new URL(incoming.url!, this.url)
    const key = (incoming.headers.authorization ?? "").replace("Bearer ", "")
    const body = text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>)
    const request: CircleRequest = { method: incoming.method!, path: pathname, query: searchParams, body, text, key }
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
        return send(no(500, -1, "Something went wrong."))
      case "done_500":
        this.answer(request)
        return send(no(500, -1, "Something went wrong."))
      case "limited":
        return send([429, { code: 429, message: "Too many requests." }, { "retry-after": "2" }])
      case "limited_html":
        return send([429, "<html>slow down</html>"])
      case "forbidden_html":
        return send([403, "<html>forbidden</html>"])
      case undefined:
        return send(this.answer(request))
    }
  }

  private answer(request: CircleRequest): Sent {
    const given = this.instead(request)
    if (given !== undefined) return given
    const { method, path, query } = request
    if (path === `/${certificateName}`) return [200, certificate.pem]
    if (path === "/" && query.get("Action") === "ConfirmSubscription") {
      if (query.get("TopicArn") !== topicArn) this.invalid.push(`a subscription to ${query.get("TopicArn")}`)
      this.confirmed.push(query.get("Token") ?? "")
      return [200, "<ConfirmSubscriptionResponse/>"]
    }
    if (!this.keys.has(request.key)) return no(401, 1, "Malformed authorization. Are the credentials properly encoded?")
    const id = path.slice(path.lastIndexOf("/") + 1)
    const call = `${method} ${path.replace(/^(\/v1\/businessAccount\/(?:transfers|payouts|deposits)\/).+$/, "$1:id")}`
    const payments = (kind: FakePayment["kind"]) => this.payments.filter((one) => one.kind === kind)
    switch (call) {
      case "GET /v1/configuration":
        return ok({ payments: { masterWalletId: walletId } })
      case "GET /v1/notifications/subscriptions":
        return ok(
          this.subscriptions.map((one) => ({
            ...{ id: randomUUID(), endpoint: "https://example.org/events" },
            subscriptionDetails: [{ url: topicArn, status: one.status }]
          }))
        )
      case `GET ${base}/balances`:
        return ok({ available: [moneyOf(this.balance), moneyOf(7_000_000n, "EUR")], unsettled: [moneyOf(0n)] })
      case `GET ${base}/banks/wires`:
        return ok(this.wires.map((wire) => this.wireData(wire)))
      case `GET ${base}/wallets/addresses/recipient`:
        return this.page(
          this.recipients.map((one) => ({ ...one, currency: "USD", description: "a wallet" })),
          query
        )
      case `POST ${base}/wallets/addresses/deposit`:
        return this.createAddress(request)
      case `GET ${base}/deposits`:
        return this.list(this.deposits, (one) => this.depositData(one), query)
      case `GET ${base}/transfers`:
        return this.list<FakePayment | FakeArrival>(
          [...payments("transfer"), ...this.arrivals],
          (one) => ("kind" in one ? this.paymentData(one, true) : this.arrivalData(one)),
          query
        )
      case `GET ${base}/payouts`:
        return this.list(payments("payout"), (one) => this.paymentData(one, true), query)
      case `GET ${base}/transfers/:id`:
      case `GET ${base}/payouts/:id`: {
        const payment = payments(path.includes("/payouts/") ? "payout" : "transfer").find((one) => one.id === id)
        const arrival = path.includes("/transfers/") ? this.arrivals.find((one) => one.id === id) : undefined
        if (payment !== undefined) return ok(this.paymentData(payment))
        return arrival === undefined ? no(404, 404, "Not found.") : ok(this.arrivalData(arrival))
      }
      case `GET ${base}/deposits/:id`: {
        const deposit = this.deposits.find((one) => one.id === id)
        return deposit === undefined ? no(404, 404, "Not found.") : ok(this.depositData(deposit))
      }
      case `POST ${base}/transfers`:
        return this.createTransfer(request)
      case `POST ${base}/payouts`:
        return this.createPayout(request)
      default:
        this.invalid.push(call)
        return no(404, 404, "Not found.")
    }
  }

  private wireData({ country, description, id, status }: FakeCircle["wires"][number]) {
    const date = new Date(0).toISOString()
    return {
      ...{
        id,
        status,
        description,
        trackingRef: "CIR2VKZ9G6",
        fingerprint: randomUUID(),
        createDate: date,
        updateDate: date
      },
      billingDetails: { name: "Platform Ltd", city: "Boston", country, line1: "100 Money Street", postalCode: "02201" },
      bankAddress: { bankName: "A BANK", country },
      transferTypesInfo: {}
    }
  }

  /** Newest first, of a time. */
  private list<A extends { readonly at: number; readonly id: string }>(
    all: ReadonlyArray<A>,
    data: (one: A) => object,
    query: URLSearchParams
  ): Sent {
    const from = Date.parse(query.get("from") ?? "1970-01-01")
    const to = Date.parse(query.get("to") ?? "2100-01-01")
    const found = all.filter((one) => one.at >= from && one.at <= to && this.isListed(one)).sort((a, b) => b.at - a.at)
    return this.page(found.map(data), query)
  }

  private page(all: ReadonlyArray<object>, query: URLSearchParams): Sent {
    const size = Math.min(Number(query.get("pageSize") ?? 50), this.pageMax)
    const after = query.get("pageAfter")
    const begin = after === null ? 0 : all.findIndex((one) => (one as { readonly id: string }).id === after) + 1
    return ok(all.slice(begin, begin + size))
  }

  /** The first result under a key; undefined: it is new. */
  private replay({ body = {}, text }: CircleRequest, data: (id: string) => object): Sent | undefined {
    const key = String(body["idempotencyKey"])
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(key))
      this.invalid.push(`the key ${key}`)
    const known = this.results.get(key)
    if (known === undefined) return undefined
    return known.text === text
      ? ok(data(known.id), 201)
      : no(409, 1083, "Idempotency key already bound to other request.")
  }

  private createAddress(request: CircleRequest): Sent {
    const { body = {}, text } = request
    const replayed = this.replay(request, (id) => this.addressData(id))
    if (replayed !== undefined) return replayed
    const chain = String(body["chain"])
    if (body["currency"] !== "USD" || !["BASE", "ETH", "SOL"].includes(chain)) this.invalid.push(`address ${text}`)
    const one = [...this.addresses.values()].find((given) => given.chain === chain)
    const id = one === undefined || this.hasManyAddresses ? randomUUID() : one.id
    if (!this.addresses.has(id)) {
      const address = chain === "SOL" ? id.replaceAll("-", "") : `0x${id.replaceAll("-", "")}AbCdEf01`
      this.addresses.set(id, { id, address, chain })
    }
    this.results.set(String(body["idempotencyKey"]), { text, id })
    return ok(this.addressData(id), 201)
  }

  private addressData(id: string) {
    return { ...this.addresses.get(id)!, currency: "USD" }
  }

  private amountIn({ body = {}, text }: CircleRequest): bigint {
    const { amount, currency } = (body["amount"] ?? {}) as { readonly amount?: unknown; readonly currency?: unknown }
    if (typeof amount !== "string" || !/^\d+\.\d{2,6}$/.test(amount) || currency !== "USD")
      this.invalid.push(`amount ${text}`)
    return unitsIn(String(amount))
  }

  private createTransfer(request: CircleRequest): Sent {
    const { body = {}, text } = request
    const data = (id: string) => this.paymentData(this.payments.find((one) => one.id === id)!)
    const replayed = this.replay(request, data)
    if (replayed !== undefined) return replayed
    const { addressId, type } = body["destination"] as { readonly addressId: string; readonly type: string }
    if (type !== "verified_blockchain") this.invalid.push(`transfer ${text}`)
    const recipient = this.recipients.find(({ id }) => id === addressId)
    if (recipient === undefined) return no(400, 2004, "The blockchain address is not a verified withdrawal address.")
    if (recipient.status !== "active") return no(400, 5003, "Inactive destination address.")
    const { address, chain } = recipient
    const payment = this.make("transfer", String(body["idempotencyKey"]), this.amountIn(request), address, chain)
    this.results.set(payment.key, { text, id: payment.id })
    return ok(data(payment.id), 201)
  }

  private createPayout(request: CircleRequest): Sent {
    const { body = {}, text } = request
    const data = (id: string) => this.paymentData(this.payments.find((one) => one.id === id)!)
    const replayed = this.replay(request, data)
    if (replayed !== undefined) return replayed
    const { id, type } = body["destination"] as { readonly id: string; readonly type: string }
    if (type !== "wire") this.invalid.push(`payout ${text}`)
    const wire = this.wires.find((one) => one.id === id)
    if (wire === undefined) return no(404, 5004, "The destination address for this payout could not be found.")
    const payment = this.make("payout", String(body["idempotencyKey"]), this.amountIn(request), id, null)
    this.results.set(payment.key, { text, id: payment.id })
    return ok(data(payment.id), 201)
  }
}
