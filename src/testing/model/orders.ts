/** What was ordered: quotes as returned, and the movements that follow from calls. */
import type { Change, RowWrite } from "../../engine/ports/Storage.ts"
import { formatMinorUnits, parseMinorUnits } from "../program/amounts.ts"
import { ModelBatches } from "./batches.ts"
import { ModelFees, settlementStep } from "./fees.ts"
import type { Dues, Sum } from "../world/stated-amounts.ts"
import type { Movement, MovementKind } from "./model.ts"
import { minute } from "../program/program.ts"

export type Data = Readonly<Record<string, any>>

/** The members of a quote's `/v1` body that determine its movements. */
interface Quote {
  readonly source_amount: string
  readonly source_currency: string
  readonly destination_amount: string
  readonly fee: {
    readonly line_items: ReadonlyArray<{ readonly name: string; readonly amount: string; readonly currency: string }>
  }
  readonly received_amount: string
  readonly destination_currency: string
  readonly wallet_id: string | null
  readonly sender_id: string | null
  readonly destination_wallet_id: string | null
  readonly expires_at: string
  readonly rate: string
}

/** Computes what a payment to an onramp buys on the terms of its quote (PRICE-5, ONRAMP-6, AMOUNT-4). Null: too little for a payout. */
const convertPayin = (quote: Quote, amount: bigint): bigint | null => {
  const { source_amount, source_currency, destination_currency, rate, received_amount } = quote
  if (amount === parseMinorUnits(source_amount, source_currency))
    return parseMinorUnits(received_amount, destination_currency) ?? null
  const one = { from: parseMinorUnits("1", source_currency)!, to: parseMinorUnits("1", destination_currency)! }
  const fee = (amount * 5n + 999n) / 1000n
  const [whole = "0", decimals = ""] = rate.split(".")
  const exchanged = ((amount - fee) * BigInt(whole + decimals) * one.to) / (10n ** BigInt(decimals.length) * one.from)
  const step = settlementStep[destination_currency] ?? 1n
  const received = (exchanged / step) * step - one.to / 10n
  return received <= 0n || received > 1_000_000n * one.to ? null : received
}

/** Reads the gateway fee of a quote, which is charged before the source amount is exchanged. */
const readGatewayFee = ({ fee }: Pick<Quote, "fee">): bigint => {
  const line = fee.line_items.find(({ name }) => name === "gateway")
  return line === undefined ? 0n : (parseMinorUnits(line.amount, line.currency) ?? 0n)
}

/** Makes the `/v1` body of a quote that no call has returned: that of a row of a batch. */
const makeQuoteBody = ({ data, id }: RowWrite): Data => {
  const q = data as Data
  const { destination_currency, source_currency } = q
  return {
    id,
    operation: q["operation"],
    source_amount: formatMinorUnits(q["source_amount"], source_currency),
    source_currency,
    destination_amount: formatMinorUnits(q["destination_amount"], destination_currency),
    destination_currency,
    received_amount: formatMinorUnits(q["received_amount"], destination_currency),
    fee: {
      line_items: [
        { name: "gateway", amount: formatMinorUnits(q["gateway_fee"], source_currency), currency: source_currency }
      ]
    },
    wallet_id: q["source_wallet_id"],
    sender_id: q["sender_id"] ?? null,
    destination_wallet_id: q["destination_wallet_id"],
    expires_at: new Date(q["expires_at"]).toISOString(),
    rate: q["rate"]
  }
}

const makeZero = (currency: string): Sum => ({ amount: 0n, currency })

export class Orders {
  readonly #quotes = new Map<string, Quote>()
  /** By quote: the movement that executed it. */
  readonly #executed = new Map<string, string>()
  readonly batches = new ModelBatches()
  readonly fees = new ModelFees()
  /** The arguments of an operation, by its number. */
  given: (n: number) => ReadonlyArray<unknown> | undefined = () => undefined

  /** Records a returned quote. Returns the violation in its fee, if any. */
  quoted(body: Data, row: RowWrite | undefined): string | undefined {
    this.#quotes.set(body["id"], body as unknown as Quote)
    const { destination_currency, id, operation, source_amount, source_currency } = body
    if (row === undefined) return `quote ${id} was returned, but does not exist`
    const wrong = this.fees.wrong(readGatewayFee(body as unknown as Quote), {
      merchant: row.merchant_id,
      operation,
      source: source_currency,
      destination: destination_currency,
      amount: parseMinorUnits(source_amount, source_currency) ?? 0n,
      at: row.created_at
    })
    return wrong === undefined ? undefined : `quote ${id} charges ${wrong}`
  }

  /** What the provider of an onramp delivers for a payment, the network fee included, and what it is given for it. */
  onrampDues(onramp: RowWrite, amount: bigint, buys: bigint | null): Dues {
    const { destination_currency, source_currency } = onramp.data as Data
    if (buys === null) return { due: makeZero(destination_currency), given: makeZero(source_currency) }
    const fee = parseMinorUnits("0.10", destination_currency) ?? 0n
    return {
      due: { amount: buys + fee, currency: destination_currency },
      given: { amount: amount - (amount * 5n + 999n) / 1000n, currency: source_currency }
    }
  }

  /** What a payment to an onramp buys. `undefined`: its quote is unknown. */
  buys(onramp: RowWrite, amount: bigint): bigint | null | undefined {
    const quote = this.#quotes.get((onramp.data as Data)["quote_id"])
    return quote === undefined ? undefined : convertPayin(quote, amount)
  }

  /**
   * The movement that a new row must represent, derived from its call or its deposit, and how the row deviates from it.
   */
  movement(change: Change, row: RowWrite): { readonly made: Movement | undefined; readonly wrong: string | undefined } {
    const data = row.data as Data
    const n = Number(/^idem\/key-of-op-(\d+)$/.exec(change.idempotency?.key ?? "")?.[1] ?? 0)
    const { asked, wrong } = this.#batched(change, row) ?? {
      asked: this.given(n)?.at(-1) as Data | undefined,
      wrong: undefined
    }
    if (wrong !== undefined) return { made: undefined, wrong }
    const made = asked === undefined ? this.#autoConversion(change, row) : this.#asked(row, asked)
    if (made === undefined) return { made, wrong: `${row.id} has no call or deposit that created it` }
    const first = this.#executed.get(data["quote_id"])
    if (first !== undefined)
      return { made, wrong: `${row.id} executes ${data["quote_id"]}, which ${first} has already executed` }
    if (typeof data["quote_id"] === "string") this.#executed.set(data["quote_id"], row.id)
    const taken = data["amount"] ?? data["source_amount"]
    if (row.kind !== "onramp" && BigInt(taken) !== made.amount)
      return { made, wrong: `${row.id} takes ${taken}, but ${made.amount} was requested` }
    const quote = this.#quotes.get(data["quote_id"])
    if (quote !== undefined && row.created_at >= Date.parse(quote.expires_at))
      return { made, wrong: `${row.id} executes ${data["quote_id"]}, which expired at ${quote.expires_at}` }
    const sender = asked?.["sender_id"] ?? quote?.sender_id ?? null
    if ((data["sender"]?.id ?? null) !== sender)
      return { made, wrong: `${row.id} has the sender ${data["sender"]?.id}, but ${sender} was requested` }
    if (data["originator"] !== undefined && data["originator"].id !== (sender ?? row.customer_id))
      return { made, wrong: `${row.id} names the wrong originator ${data["originator"].id}` }
    const locked = data["rate_locked_until"] ?? null
    if (locked !== made.locked_until)
      return { made, wrong: `${row.id} locks its rate until ${locked} instead of ${made.locked_until}` }
    return { made, wrong: undefined }
  }

  /** What a row of a batch asks for, as the call of a movement. The quote of an offramp was made with it, and is executed in its Change. */
  #batched(change: Change, row: RowWrite): { readonly asked: Data; readonly wrong: string | undefined } | undefined {
    const paid = this.batches.paidIn(change)
    if (paid === undefined) return undefined
    const quote = change.rows.find(({ kind }) => kind === "quote")
    const charged = quote === undefined ? undefined : this.quoted(makeQuoteBody(quote), quote)
    const asked = quote === undefined ? paid.sent : { ...paid.sent, quote_id: quote.id }
    return { asked, wrong: this.batches.made(paid, row) ?? charged }
  }

  #base(row: RowWrite, retries: boolean) {
    return {
      id: row.id,
      kind: row.kind as MovementKind,
      merchant: row.merchant_id,
      phase: row.kind === "onramp" ? "awaiting" : "reserved",
      provider: String((row.data as Data)["provider"]),
      route: (row.data as Data)["route"] ?? [],
      attempts: 0,
      approvals: 0,
      looked: false,
      refusal: null,
      refused_at: null,
      unapplied: false,
      goes_back: false,
      paid: null,
      booked: new Map<string, bigint>(),
      funded: null,
      retries
    } as const
  }

  #asked(row: RowWrite, asked: Data): Movement | undefined {
    const base = this.#base(row, asked["retry_on_failure"] === true)
    if (row.kind === "transfer") {
      const { currency } = row.data as Data
      const amount = parseMinorUnits(asked["amount"], currency)
      if (amount === undefined) return undefined
      const sum = { amount, currency }
      const dues = { due: sum, given: sum }
      return { ...base, from: `available:${asked["wallet_id"]}`, ...sum, dues, to: null, locked_until: null }
    }
    const quote = this.#quotes.get(asked["quote_id"])
    if (quote === undefined) return undefined
    const amount = parseMinorUnits(quote.source_amount, quote.source_currency)
    const received = parseMinorUnits(quote.received_amount, quote.destination_currency)
    if (amount === undefined || received === undefined) return undefined
    const to = quote.destination_wallet_id
    const delivered = parseMinorUnits(quote.destination_amount, quote.destination_currency) ?? 0n
    const due = { amount: row.kind === "offramp" ? received : delivered, currency: quote.destination_currency }
    const source = { amount: amount - readGatewayFee(quote), currency: quote.source_currency }
    return {
      ...base,
      dues: { due, given: row.kind === "offramp" ? due : source },
      from: quote.wallet_id === null ? null : `available:${quote.wallet_id}`,
      amount,
      currency: quote.source_currency,
      // An onramp's payer has half an hour from its creation (ONRAMP-6). The others start while their quote is
      // valid.
      locked_until: row.kind === "onramp" ? row.created_at + 30 * minute : Date.parse(quote.expires_at),
      to: to === null ? null : { account: `available:${to}`, amount: received, currency: quote.destination_currency }
    }
  }

  /** A conversion that no call created belongs to the deposit credited in the same Change. */
  #autoConversion(change: Change, row: RowWrite): Movement | undefined {
    const { credential_id, source_amount } = row.data as Data
    const deposit = change.rows.find(({ kind, data }) => {
      const { amount, source_id } = data as Data
      return kind === "deposit" && source_id === credential_id && amount === source_amount
    })
    if (row.kind !== "conversion" || deposit === undefined) return undefined
    const { amount, currency, exchange, source_id, wallet_id } = deposit.data as Data
    const { price, destination_currency } = exchange
    return {
      ...this.#base(row, false),
      dues: {
        due: { amount: BigInt(price.destination_amount), currency: destination_currency },
        given: { amount: BigInt(amount) - BigInt(price.gateway_fee), currency }
      },
      from: `credential:${source_id}`,
      amount: BigInt(amount),
      currency,
      locked_until: null,
      to: {
        account: `available:${wallet_id}`,
        amount: BigInt(exchange.price.received_amount),
        currency: exchange.destination_currency
      }
    }
  }
}
