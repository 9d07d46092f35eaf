/** The events that every transition must publish, each once: the rules of the interface as a table. */
import type { Change, RowWrite } from "../../engine/ports/Storage.ts"

const categoryOf: Readonly<Record<string, string>> = {
  transfer: "transfer",
  offramp: "offramp",
  onramp: "onramp",
  conversion: "conversion",
  deposit: "deposit",
  verification: "kyc"
}

/** The categories whose events are predicted. Of any other event, the number and the status are checked, and not the type. */
const predicted: ReadonlySet<string> = new Set(Object.values(categoryOf))

const depositWords: Readonly<Record<string, string>> = {
  detected: "received",
  received: "received",
  confirmed: "confirmed",
  held: "held",
  failed: "failed"
}

/** Predicts the types of events that a transition publishes, in order. `before`: the previous version of the row. */
const predictEventTypes = (before: RowWrite | undefined, after: RowWrite): ReadonlyArray<string> => {
  const { kind, state, status } = after
  const moved = before?.status !== status
  switch (kind) {
    case "transfer":
      return moved ? [status] : []
    case "offramp":
    case "conversion":
    case "onramp": {
      if (!moved || status === "temporary_failure") return []
      // A failed onramp is funded by an operator, who applies a payment that was made in time.
      const funded = ["created", "awaiting_deposit", "failed"].includes(before?.status ?? "")
      if (status === "processing") return funded ? ["funds_received", "processing"] : []
      return [status]
    }
    case "deposit": {
      // A deposit that waits for a decision is announced once, when it arrives.
      if (state === "waiting") return before === undefined || before.state === "detected_unpriced" ? ["received"] : []
      const word = depositWords[state]
      const { announced } = after.data as { readonly announced?: boolean }
      const isPublishedAlready = word === "received" && (before?.state === "detected" || announced === true)
      return before?.state === state || word === undefined || isPublishedAlready ? [] : [word]
    }
    case "verification":
      return moved && (status === "approved" || status === "rejected") ? [status] : []
    default:
      return []
  }
}

export class Publications {
  readonly #wrong: (what: string) => void
  readonly #types = new Set<string>()
  readonly #counts = new Map<string, number>()
  /** By merchant and endpoint: its subscribed categories. */
  readonly #subscriptions = new Map<string, Map<string, ReadonlySet<string>>>()
  /** By message id: the frozen body. */
  readonly bodies = new Map<string, string>()
  /** Deliveries that must end. */
  readonly owed: Array<{ readonly merchant: string; readonly endpoint: string; readonly event: string }> = []

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  /** Checks the events of a Change. `before` returns a row as it was before the Change. */
  check(change: Change, before: (row: RowWrite) => RowWrite | undefined): void {
    for (const { endpoint_id, categories } of change.subscriptions) {
      const endpoints = this.#subscriptions.get(change.merchant_id) ?? new Map<string, ReadonlySet<string>>()
      endpoints.set(endpoint_id, new Set(categories))
      this.#subscriptions.set(change.merchant_id, endpoints)
    }
    const left = new Set(change.events)
    for (const row of change.rows) {
      const category = categoryOf[row.kind]
      const own = change.events.filter(
        (event) =>
          event.object_id === row.id &&
          (category === undefined ? !predicted.has(event.category) : event.category === category)
      )
      for (const event of own) left.delete(event)
      if (category === undefined && own.length === 0) continue
      const published = own.map(({ type }) => type)
      const due =
        category === undefined ? published : predictEventTypes(before(row), row).map((type) => `${category}.${type}`)
      if (published.join() !== due.join())
        this.#wrong(`${row.id} went from ${row.from} to ${row.state} and published [${published}] instead of [${due}]`)
      let count = this.#counts.get(row.id) ?? 0
      for (const { sequence, type, body, id } of own) {
        if (sequence !== ++count) this.#wrong(`event ${sequence} of ${row.id} follows event ${count - 1}`)
        if (this.#types.has(`${row.id} ${type}`)) this.#wrong(`${row.id} published ${type} twice`)
        this.#types.add(`${row.id} ${type}`)
        this.#body(id, body, row.id, sequence)
      }
      if (row.event_count !== count) this.#wrong(`${row.id} counts ${row.event_count} events but published ${count}`)
      this.#counts.set(row.id, count)
      const last = own.at(-1)
      const status = last === undefined ? undefined : JSON.parse(last.body).event_object_status
      if (last !== undefined && row.kind !== "deposit" && status !== row.status)
        this.#wrong(`${last.type} of ${row.id} has the status ${status}, but the row has ${row.status}`)
    }
    for (const { object_id, type } of left) this.#wrong(`${type} of ${object_id} was published without a transition`)
    for (const event of change.events)
      for (const [endpoint, categories] of this.#subscriptions.get(change.merchant_id) ?? [])
        if (categories.has(event.category)) this.owed.push({ merchant: change.merchant_id, endpoint, event: event.id })
  }

  #body(id: string, body: string, object_id: string, sequence: number): void {
    const parsed = JSON.parse(body)
    if (parsed.event_id !== id || parsed.event_object_id !== object_id || parsed.event_sequence !== sequence)
      this.#wrong(
        `the body of event ${id} names ${parsed.event_id}, ${parsed.event_object_id}, ${parsed.event_sequence}`
      )
    this.bodies.set(`msg_${id}`, body)
  }
}
