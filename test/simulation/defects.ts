/**
 * Defects that are seeded on purpose, to prove that the simulation finds them. Each is applied to a copy of the
 * sources. `npm run simulate -- --defects` prints which seed finds which defect.
 */

import { controls } from "./defects-controls.ts"
import { brakes } from "./defects-brakes.ts"
import { rude } from "./defects-rude.ts"
import { type Defect, defect } from "./defect.ts"

const books = "src/adapters/storage/memory/books.ts"

export const defects: ReadonlyArray<Defect> = [
  // Money that is not given back, or is given back twice.
  defect(
    "a failed transfer keeps the money",
    "src/machines/movements/transfer.ts",
    `const failWith = (reason: Reason) => ({ target: "failed", actions: [reason, money.giveBack] }) as const`,
    `const failWith = (reason: Reason) => ({ target: "failed", actions: [reason] }) as const`
  ),
  defect(
    "an offramp that was never begun keeps its reservation",
    "src/machines/movements/offramp.ts",
    `const unfunded = { target: "failed", actions: [because("quote_expired"), money.release] } as const`,
    `const unfunded = { target: "failed", actions: [because("quote_expired")] } as const`
  ),
  defect(
    "a return after success gives the money back twice",
    "src/machines/movements/offramp.ts",
    `actions: ["cameBack", "unreceived", because("returned"), undo, money.giveBack, lost]`,
    `actions: ["cameBack", "unreceived", because("returned"), undo, money.giveBack, money.giveBack, lost]`
  ),
  defect(
    "a transfer that was reversed after its success is undone",
    "src/machines/movements/transfer.ts",
    `success: { type: "final", entry:`,
    `success: { on: { "provider.reversed": failed(because("reversed")) }, entry:`
  ),
  defect(
    "a conversion credits a unit too much",
    "src/machines/movements/conversion.ts",
    `available(c.destination_wallet.id), takeQuotedAmount(c), countShortage(c))`,
    `available(c.destination_wallet.id), { ...takeQuotedAmount(c), received_amount: String(BigInt(c.quoted_received_amount) + 1n) }, countShortage(c))`
  ),
  defect(
    "a refunded onramp leaves its money in clearing",
    "src/machines/movements/onramp.ts",
    `{ target: "returned", actions: [because("returned"), "cameBack", wentBackInPart] }`,
    `{ target: "returned", actions: [because("returned")] }`
  ),
  defect(
    "a held deposit that fails leaves its money held",
    "src/machines/deposits/deposit.ts",
    `"payin.failed": { target: "failed", actions: ["failed", makePost((d) => [chooseHoldAccount(d), world(d.provider)])] }`,
    `"payin.failed": { target: "failed", actions: ["failed"] }`
  ),
  defect(
    "a fee is rounded in the customer's favour",
    "src/machines/kernel/pricing.ts",
    `    share.denominator * fixed.denominator * unit,
    "ceiling"`,
    `    share.denominator * fixed.denominator * unit,
    "floor"`
  ),

  // Several providers.
  defect(
    "unknown moved to another provider",
    "src/machines/kernel/payout.ts",
    `(route.length === 0 ? {} : { route: [] })`,
    `(route.length === 0 ? {} : {})`
  ),
  defect(
    "a callback moves a movement to another provider",
    "src/machines/kernel/payout.ts",
    `  attempt === context.attempts && context.route?.includes(next) === true ? next : undefined`,
    `  context.route?.includes(next) === true ? next : context.route?.[0]`
  ),
  defect(
    "clearing stays at the former provider",
    "src/machines/kernel/payout.ts",
    `return next === undefined ? [] : makePosting(clearing(provider), clearing(next), amount, currency)`,
    `return next === undefined ? [] : makePosting(clearing(provider), clearing(provider + next), amount, currency).slice(1)`
  ),
  defect(
    "the report of a former provider counts",
    "src/engine/work/providers/provider-events.ts",
    `const isOurs = ({ provider }: Deps, row: Row): boolean => !isAnothers(row, provider)`,
    `const isOurs = (_: Deps, __: Row): boolean => true`
  ),

  // An unknown outcome that is treated as known.
  defect(
    "a timeout is treated as a failure",
    "src/engine/work/providers/submissions.ts",
    `: (at) => ({ type: "provider.unknown", at }),`,
    `: (at) => ({ type: "provider.failed", at, reason: null }),`
  ),
  defect(
    "a failed lookup is treated as definitely not executed",
    "src/engine/work/queue/JobHandlers.ts",
    `            : (at) => ({ type: "provider.unknown", at, asked: true }),
          {
            lease: leaseOf(job),
            answered:`,
    `            : (at) => ({ type: "provider.absent", at }),
          {
            lease: leaseOf(job),
            answered:`
  ),
  defect(
    "each attempt is submitted under a different id",
    "src/engine/work/providers/submissions.ts",
    `const { submit: submitted } = yield* calls.submission(provider, kind, row, job.id)`,
    `const { submit: submitted } = yield* calls.submission(provider, kind, row, \`\${job.id}.\${(row.data as any).attempts}\`)`
  ),
  defect(
    "a payment is submitted before the intent is committed",
    "src/engine/work/providers/submissions.ts",
    `    const { payee, row: first } = yield* payout
`,
    `    const { payee, row: first } = yield* payout
    const [early] = yield* storage.get([{ merchant_id: job.merchant_id, kind: kind.kind, id }])
    if (early !== undefined) yield* Effect.ignore((yield* calls.submission(provider, kind, early, job.id)).submit)
`
  ),
  defect(
    "no lookup follows a submission",
    "src/machines/kernel/payout.ts",
    `export const lookupAfterGrace = command({ operation: "lookup", name: commandName, after_ms: submissionGrace })`,
    `export const lookupAfterGrace = { type: "cancel", params: { name: "none" } } as const`
  ),
  defect(
    "a late rejection of an earlier submission is believed",
    "src/machines/kernel/payout.ts",
    `  stale: ({ context, event }: GuardArgs): boolean => event.attempt !== undefined && event.attempt !== context.attempts,`,
    `  stale: (_: GuardArgs): boolean => false,`
  ),
  defect(
    "retries continue after a day",
    "src/machines/kernel/payout.ts",
    `export const retryWindow = day`,
    `export const retryWindow = 40 * day`
  ),
  defect(
    "a look-up that was turned away is asked again for ever",
    "src/engine/work/providers/result-events.ts",
    `return event.type === "provider.unavailable" ? { ...event, attempt } : event`,
    `return event.type === "provider.unavailable" ? { ...event, attempt: undefined } : event`
  ),

  // Effects that must happen once.
  defect(
    "a repeated provider event is applied again",
    "src/engine/work/providers/provider-events.ts",
    `const makeSource = ({ provider, remembering }: Deps, event: ProviderEvent): Source => ({
  deduplicationKey: eventKey(provider, event),`,
    `let received = 0
const makeSource = ({ provider, remembering }: Deps, event: ProviderEvent): Source => ({
  deduplicationKey: \`\${eventKey(provider, event)}#\${++received}\`,`
  ),
  defect(
    "a pay-in is rounded up",
    "src/machines/kernel/money.ts",
    `const kept = BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0")) as Minor`,
    `const kept = (BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0")) + (below === "" ? 0n : 1n)) as Minor`
  ),
  defect(
    "the remainder of a pay-in is named nowhere",
    "src/engine/resources/deposits/payin-exception.ts",
    `if (splitArrival(report.event).rest === null) return decision`,
    `return decision`
  ),
  defect(
    "other decimals of a pay-in are the same amount",
    "src/engine/resources/deposits/payin-record.ts",
    `return stated.booked === confirmed && stated.rest === rest ? undefined : "another_amount"`,
    `return stated.booked === confirmed ? undefined : "another_amount"`
  ),
  defect(
    "a repeated confirmation credits a pay-in again",
    "src/engine/resources/deposits/payin-deposit.ts",
    `if (deposit.state !== "detected" && deposit.state !== "detected_unpriced") return noChange`,
    `if (deposit.state === "confirmed") return yield* handleFirst(report, issued, amount)`
  ),
  defect(
    "a pay-in that was rejected is booked again",
    "src/engine/resources/deposits/payin-deposit.ts",
    `if (deposit.data.turned_away === true || known.late !== undefined) return noChange`,
    `if (known.late !== undefined) return noChange`
  ),
  defect(
    "an idempotency key is forgotten",
    "src/engine/commit/idempotency.ts",
    "const toRecordKey = (key: string): string => `idem/${key}`",
    "let asked = 0\nconst toRecordKey = (key: string): string => `idem/${key}#${++asked}`"
  ),
  defect(
    "a quote can be executed again",
    "src/engine/resources/movements/creation.ts",
    `return { quote, changes: [executed.changes, takeUniqueKey(executedScope, quote.id, by)] } satisfies Executed as Executed`,
    `return { quote, changes: [] } satisfies Executed as Executed`
  ),
  defect(
    "an exception that was credited stays open",
    "src/machines/deposits/exception.ts",
    `{ guard: "credit", target: "resolved",`,
    `{ guard: "credit", target: "open",`
  ),

  // A store that breaks a law.
  defect(
    "versions are not checked",
    books,
    `if ((this.rows.get(joinKey(m, kind, id))?.row.version ?? 0) !== version) {`,
    `if ((this.rows.get(joinKey(m, kind, id))?.row.version ?? 0) > version + 1) {`
  ),
  defect(
    "leases are not checked",
    books,
    `if (job === undefined || job.job.lease !== change.lease.token) return { _tag: "LeaseLost" }`,
    `if (job === undefined) return { _tag: "LeaseLost" }`
  ),
  defect(
    "accounts go below zero",
    books,
    `if (delta.amount < 0n && this.balance(m, delta) + delta.amount < 0n) {`,
    `if (delta.amount < 0n && this.balance(m, delta) + delta.amount < -50_000_000n) {`
  ),
  defect(
    "a balance is not updated",
    books,
    `const balance = this.balance(m, delta) + delta.amount
      const currencies`,
    `const balance = this.balance(m, delta) + (account.startsWith("held") && delta.amount < 0n ? 0n : delta.amount)
      const currencies`
  ),
  defect(
    "an event goes to the first endpoint only",
    books,
    `if (!categories.has(event.category)) continue
        isDelivered = true`,
    `if (!categories.has(event.category) || endpoint_id !== [...this.subscriptions.get(m)!.keys()][0]) continue
        isDelivered = true`
  ),

  // Lost work.
  defect(
    "a job claimed by a crashed process is never claimed again",
    "src/engine/work/queue/Dispatcher.ts",
    `const leaseMs = yield* JobLease`,
    `const leaseMs = 1_000_000 * (yield* JobLease)`
  ),
  defect(
    "a quote's deadline is lost",
    "src/machines/movements/onramp.ts",
    `        { type: "timer", params: ({ context }) => ({ name: "quote_expiry", at: context.rate_locked_until }) }`,
    ``
  ),
  defect(
    "a failed delivery counts as delivered",
    "src/engine/work/deliveries.ts",
    `const status = error === null ? "delivered" : due_at === null ? "failed" : "pending"`,
    `const status = error === null || response_status === 302 ? "delivered" : due_at === null ? "failed" : "pending"`
  ),
  defect(
    "a refund without a response is abandoned",
    "src/engine/work/providers/refunds.ts",
    `        return yield* wait(findLookupDelay(lookups), { lookups })`,
    `        return yield* wait(1e12, { lookups })`
  ),
  defect(
    "an accepted refund counts as returned",
    "src/engine/work/providers/refunds.ts",
    `    case "accepted":
    case "pending":
      return "pending"`,
    `    case "accepted":
      return "returned"
    case "pending":
      return "pending"`
  ),
  defect(
    "a refund that comes back is not booked",
    "src/engine/resources/deposits/refund-reports.ts",
    `if (hasBounced) return nothing`,
    `if (hasBounced || recorded === "success") return nothing`
  ),
  defect(
    "a deposit in another currency is not converted",
    "src/engine/resources/deposits/auto-conversion.ts",
    `if (price.received_amount === "0") return undefined`,
    `if (price.received_amount !== "") return undefined`
  ),
  defect(
    "a store that fails under a pay-in's second word is a defect",
    "src/engine/resources/deposits/payin.ts",
    `const known = yield* records.of({ provider, payin_id: event.payin_id })`,
    `const known = yield* Effect.orDie(records.of({ provider, payin_id: event.payin_id }))`
  ),

  // Rules that are broken.
  defect(
    "an expired quote can be executed",
    "src/machines/movements/quote.ts",
    `event.type === "execute" && event.at < context.expires_at`,
    `event.type === "execute" && context.expires_at > 0`
  ),
  defect(
    "an onramp is funded after its deadline",
    "src/machines/movements/onramp.ts",
    `      event.at < context.rate_locked_until &&
      priceArrival(context, event.amount) !== null,`,
    `      priceArrival(context, event.amount) !== null,`
  ),
  defect(
    "a customer's deposits are not counted",
    "src/engine/resources/parties/tiers.ts",
    `    usd_micros: (BigInt(total?.data.usd_micros ?? "0") + by).toString(),
    ...(limit === null || limit.window === "total" ? {} : addToParts(total, limit, by, at))`,
    `    usd_micros: (BigInt(total?.data.usd_micros ?? "0") + 0n * by).toString(),
    ...(limit === null || limit.window === "total" ? {} : addToParts(total, limit, 0n * by, at))`
  ),
  defect(
    "a deposit to a frozen address is credited",
    "src/engine/resources/deposits/payin-deposit.ts",
    `const stopped = listBlockingReasons(issued)`,
    `const stopped = listBlockingReasons(undefined)`
  ),
  defect(
    "a screening verdict applies to whatever is current",
    "src/machines/parties/beneficiary.ts",
    `event.screening_id === context.screening_id && event.cleared === cleared`,
    `event.cleared === cleared`
  ),
  defect(
    "a queued payout reaches a blocked beneficiary",
    "src/engine/resources/parties/screening.ts",
    `payee?.status === "blocked" ||`,
    ""
  ),
  defect(
    "a terminal event is not published",
    "src/machines/movements/conversion.ts",
    `failed: { type: "final", entry: [cancel(commandName), publish("failed")] },`,
    `failed: { type: "final", entry: [cancel(commandName)] },`
  ),
  defect(
    "events are numbered within their Change",
    "src/engine/commit/steps.ts",
    `const first = (before?.event_count ?? 0) + 1`,
    `const first = Math.max(1, before?.event_count ?? 0)`
  ),
  defect(
    "an event about an earlier attempt counts for the current one",
    "src/machines/kernel/exchange.ts",
    `  { type: "publish", params: { type: "funds_received", before: true } },
  publish("processing")`,
    `  publish("processing"),
  { type: "publish", params: { type: "funds_received" } }`
  ),
  defect(
    "a word is refused whatever was written meanwhile",
    "src/engine/work/providers/apply-event.ts",
    `const changes = [requireVersion({ kind: kind.kind, id }, row), ...others]`,
    `const changes = others`
  ),

  // Claims.
  defect(
    "the claims of a node that lives are taken",
    "src/adapters/storage/memory/books.ts",
    `return lease !== undefined && lease.lapses_at <= wall`,
    `return lease !== undefined`
  ),
  defect(
    "a job that waits is claimed before its time",
    "src/engine/commit/BlockedJobs.ts",
    `lease: { token: \`parked.\${lease}\`, wall: yield* wallNow, lease_ms: wait_ms }`,
    `lease: { token: \`\${lease}.parked\`, wall: yield* wallNow, lease_ms: wait_ms }`
  ),
  ...brakes,
  ...controls,
  ...rude
]
