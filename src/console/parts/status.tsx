/** A status as a pill. Its sign and its word say as much as its color. */
import { words } from "./text.ts"

export type Tone = "good" | "wait" | "warn" | "bad" | "off"

const tones: Readonly<Record<Tone, string>> = {
  good: "success confirmed active approved resolved delivered released executed credited ok open_for_business published matched explained sealed valid completed",
  wait: "created pending processing awaiting_deposit received in_progress queued submitting issuing quoted requested draft proposed waits_for_approval",
  warn: "temporary_failure held open waiting unknown rerouted retried under_review needs_review in_review frozen not_started degraded",
  bad: "failed rejected returned revoked disabled unavailable suspended exhausted abandoned unmatched invalid declined",
  off: "expired cancelled closed inactive deleted ended dismissed"
}
const toneByStatus = new Map(
  (Object.entries(tones) as Array<[Tone, string]>).flatMap(([tone, names]) =>
    names.split(" ").map((name) => [name, tone] as const)
  )
)
const signs: Readonly<Record<Tone, string>> = { good: "✓", wait: "◔", warn: "!", bad: "✕", off: "–" }

export const findTone = (status: string): Tone => toneByStatus.get(status) ?? "off"

export const StatusPill = ({ status, tone = findTone(status) }: { readonly status: string; readonly tone?: Tone }) => (
  <span class={`pill ${tone}`}>
    <span aria-hidden="true">{signs[tone]}</span> {words(status)}
  </span>
)
