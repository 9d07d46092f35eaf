/** What happened to a resource, in order: a sentence for each entry, and its details behind it. */
import { Facts } from "../../parts/page.tsx"
import type { Timeline } from "../../../client/generated/resources.ts"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { formatNumber, t } from "../../frame/language.ts"
import { Copy } from "../../parts/copy.tsx"
import { words } from "../../parts/text.ts"
import { Sentence, Time } from "../../parts/time.tsx"

type Entry = Timeline["entries"][number]

const labels: Readonly<Record<Entry["type"], string>> = {
  request: t("Request"),
  transition: t("State"),
  posting: t("Ledger"),
  provider_call: t("Provider call"),
  provider_event: t("Provider event"),
  timer: t("Timer"),
  event: t("Event"),
  delivery: t("Webhook")
}

const formatMilliseconds = (ms: number | null): string | null => (ms === null ? null : t("{ms} ms", { ms }))

const renderCode = (text: string | null): ComponentChildren =>
  text === null ? null : (
    <>
      <code>{text}</code> <Copy text={text} what={text} />
    </>
  )

/** Lists names and values that an entry has beside its sentence. */
const listDetails = (entry: Entry): ReadonlyArray<readonly [string, ComponentChildren]> => {
  switch (entry.type) {
    case "request":
      return [
        [t("Operation"), entry.operation],
        [t("API key"), renderCode(entry.key_id)],
        [t("Operator"), entry.operator?.name],
        [t("Request"), renderCode(entry.request_id)],
        ["Idempotency-Key", renderCode(entry.idempotency_key)]
      ]
    case "transition":
      return [
        [t("State"), entry.from === null ? words(entry.to) : `${words(entry.from)} → ${words(entry.to)}`],
        [t("Event"), <code>{entry.event}</code>],
        [t("Cause"), renderCode(entry.cause)],
        [t("Version"), entry.version],
        [t("Note"), entry.note]
      ]
    case "posting":
      return [
        [t("Debit"), <code>{entry.debit}</code>],
        [t("Credit"), <code>{entry.credit}</code>]
      ]
    case "provider_call":
      return [
        [t("Provider"), entry.provider],
        [t("Call"), t("{operation}, attempt {attempt}", { operation: words(entry.operation), attempt: entry.attempt })],
        [t("Answer"), entry.answer ?? t("none recorded")],
        [t("Latency"), formatMilliseconds(entry.latency_ms)],
        [t("Provider's reference"), renderCode(entry.provider_reference)],
        [t("Command"), renderCode(entry.command_id)]
      ]
    case "provider_event":
      return [
        [t("Provider"), entry.provider],
        [t("Event"), <code>{entry.event}</code>],
        [t("Provider's event"), renderCode(entry.event_id)]
      ]
    case "timer":
      return [
        [t("Timer"), words(entry.name)],
        [t("Due"), entry.due_at === null ? null : <Time at={entry.due_at} exact />]
      ]
    case "event":
      return [
        [t("Event"), renderCode(entry.event_id)],
        [t("Sequence"), entry.event_sequence]
      ]
    case "delivery":
      return [
        [t("URL"), entry.url],
        [t("Attempt"), entry.attempt],
        [t("Status"), entry.status_code],
        [t("Error"), entry.error],
        [t("Response"), entry.response_body === null ? null : <code>{entry.response_body}</code>],
        [t("Latency"), formatMilliseconds(entry.latency_ms)],
        [t("Next attempt"), entry.next_attempt_at === null ? null : <Time at={entry.next_attempt_at} exact />],
        [t("Delivery"), renderCode(entry.delivery_id)],
        [t("Endpoint"), renderCode(entry.endpoint_id)]
      ]
  }
}

const isTrouble = (entry: Entry): boolean =>
  (entry.type === "delivery" && entry.outcome !== "delivered" && entry.outcome !== "pending") ||
  (entry.type === "transition" && /^(?:failed|returned|rejected|unknown|waiting)$/.test(entry.to))

const TimelineEntry = ({ entry, step }: { readonly entry: Entry; readonly step: number | undefined }) => (
  <li class={`entry ${entry.type}${isTrouble(entry) ? " trouble" : ""}`}>
    <span class="entry-mark" aria-hidden="true">
      {step}
    </span>
    <div class="entry-body">
      <p class="entry-head">
        <span class="entry-type">{labels[entry.type]}</span>
        <Time at={entry.at} exact />
      </p>
      <details>
        <summary>
          <Sentence of={entry.summary} />
        </summary>
        <Facts of={listDetails(entry)} />
      </details>
      {entry.type === "transition" && entry.note !== null && <p class="note">{entry.note}</p>}
    </div>
  </li>
)

/**
 * Finds the key by which entries repeat each other: the text without its numbers and times. For webhooks: the endpoint, and how
 * the attempt ended.
 */
const findRepeatKey = (entry: Entry): string =>
  entry.type === "delivery"
    ? `${entry.endpoint_id} ${entry.outcome}`
    : `${entry.type} ${entry.summary.replaceAll(/\d[\d:.,TZ-]*/g, "#")}`

/** As many entries of a kind are shown; the first and the last of more. */
const likeMax = 4

/** Groups the entries, in their order: each run of entries that repeat others is one group. */
const foldEntries = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry | ReadonlyArray<Entry>> => {
  const places = Map.groupBy(entries.keys(), (at) => findRepeatKey(entries[at]!))
  const isRepeated = (at: number): boolean => {
    const all = places.get(findRepeatKey(entries[at]!))!
    return all.length > likeMax && at !== all[0] && at !== all.at(-1)
  }
  const found: Array<Entry | Array<Entry>> = []
  for (const [at, entry] of entries.entries()) {
    const last = found.at(-1)
    if (!isRepeated(at)) found.push(entry)
    else if (Array.isArray(last)) last.push(entry)
    else found.push([entry])
  }
  return found
}

/** A timeline of more entries is long: it shows how it began and how it stands, and what is between on demand. */
const longFrom = 40
const [shownFirst, shownLast] = [2, 3]

export const isLong = ({ entries }: Timeline): boolean => entries.length > longFrom

type Steps = ReadonlyMap<Entry, number>

const Fold = ({ title, children }: { readonly title: ComponentChildren; readonly children: ComponentChildren }) => (
  <li class="entry folded">
    <span class="entry-mark" aria-hidden="true" />
    <details class="entry-body">
      <summary>{title}</summary>
      <ol class="timeline">{children}</ol>
    </details>
  </li>
)

const renderEntries = (entries: ReadonlyArray<Entry>, steps: Steps) =>
  entries.map((entry, at) => (
    <TimelineEntry key={`${entry.at} ${entry.type} ${at}`} entry={entry} step={steps.get(entry)} />
  ))

/** Renders the entries in their order, with repeats folded. */
const renderFoldedEntries = (entries: ReadonlyArray<Entry>, steps: Steps) =>
  foldEntries(entries).map((one, at) =>
    "type" in one ? (
      <TimelineEntry key={`${one.at} ${one.type} ${at}`} entry={one} step={steps.get(one)} />
    ) : (
      <Fold
        key={`folded ${at}`}
        title={t("{count} entry like those around|{count} entries like those around", { count: one.length })}
      >
        {renderEntries(one, steps)}
      </Fold>
    )
  )

/** The entries between the first and the last ones, folded, with how many there are of each kind. */
const FoldedMiddle = ({ of, steps }: { readonly of: ReadonlyArray<Entry>; readonly steps: Steps }) => (
  <Fold
    title={
      <>
        {t("{count} entry between|{count} entries between", { count: of.length })}
        <span class="dim">
          {[...Map.groupBy(of, ({ type }) => type)].map(
            ([type, own]) => ` · ${labels[type]} ${formatNumber(own.length)}`
          )}
        </span>
      </>
    }
  >
    {renderFoldedEntries(of, steps)}
  </Fold>
)

export const TimelineView = ({ of }: { readonly of: Timeline }) => {
  const [shown, show] = useState<ReadonlySet<Entry["type"]> | undefined>()
  const types = [...new Set(of.entries.map(({ type }) => type))]
  const entries = shown === undefined ? of.entries : of.entries.filter(({ type }) => shown.has(type))
  const steps = new Map(of.entries.filter(({ type }) => type === "transition").map((entry, at) => [entry, at + 1]))
  const toggle = (type: Entry["type"]): void => {
    const next = new Set(shown ?? types)
    if (next.has(type)) next.delete(type)
    else next.add(type)
    show(next.size === types.length ? undefined : next)
  }
  return (
    <>
      <fieldset class="chips">
        <legend class="unseen">{t("Kinds of entries")}</legend>
        {types.map((type) => (
          <label key={type} class="chip">
            <input type="checkbox" checked={shown?.has(type) ?? true} onChange={() => toggle(type)} />
            {labels[type]}
          </label>
        ))}
      </fieldset>
      {of.truncated && (
        <p class="late">{t("Older entries are left out, or their records have been deleted after their time.")}</p>
      )}
      <ol class="timeline">
        {entries.length > longFrom ? (
          <>
            {renderEntries(entries.slice(0, shownFirst), steps)}
            <FoldedMiddle of={entries.slice(shownFirst, -shownLast)} steps={steps} />
            {renderEntries(entries.slice(-shownLast), steps)}
          </>
        ) : (
          renderFoldedEntries(entries, steps)
        )}
      </ol>
    </>
  )
}
