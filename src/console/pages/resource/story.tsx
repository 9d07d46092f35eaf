/** The parts of a resource's page that operators and merchants share. */
import type { Fee, Timeline, WaitsFor } from "../../../client/generated/resources.ts"
import { useEffect, useRef } from "preact/hooks"
import { formatList, rich, t } from "../../frame/language.ts"
import { useLoad } from "../../frame/load.ts"
import { announce } from "../../frame/announce.tsx"
import { Recipient } from "../../parts/columns.tsx"
import { amountText } from "../../parts/money.tsx"
import { Card, isNarrow } from "../../parts/page.tsx"
import { findTone } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Ago, Sentence, Time } from "../../parts/time.tsx"
import { LedgerView } from "./ledger.tsx"
import { isLong, TimelineView } from "./timeline.tsx"
import { Said } from "../../parts/said.tsx"

/** Formats the title of a resource: `Offramp, 100.00 USDC to 148,000.00 NGN`, or its name if it has one. */
export const formatTitle = (kind: string, body: Readonly<Record<string, unknown>> | undefined): string => {
  const text = (name: string): string | undefined => {
    const value = body?.[name]
    return typeof value === "string" && value !== "" ? value : undefined
  }
  const named = text("name") ?? text("label")
  const [amount, currency] = [text("source_amount") ?? text("amount"), text("source_currency") ?? text("currency")]
  // The destination's amount may still have the network fee in it.
  const destination = text("received_amount") ?? text("quoted_received_amount") ?? text("destination_amount")
  const to = text("destination_currency")
  if (amount !== undefined && currency !== undefined) {
    const source = amountText(amount, currency)
    return destination !== undefined && to !== undefined && to !== currency
      ? t("{kind}, {source} to {destination}", { kind: words(kind), source, destination: amountText(destination, to) })
      : `${words(kind)}, ${source}`
  }
  return named === undefined ? words(kind) : `${words(kind)}, ${named}`
}

/** The recipient of a payout, in the line of the title, because the facts below may be folded. */
export const RecipientInTitle = ({ of: { beneficiary } }: { readonly of: { readonly beneficiary?: unknown } }) => {
  const { id, name } = (beneficiary ?? {}) as { readonly id?: string; readonly name?: string }
  return id === undefined || name === undefined ? null : (
    <>
      {" · "}
      {rich("to {recipient}", { recipient: <Recipient of={{ beneficiary_id: id, recipient: name }} /> })}
    </>
  )
}

/** The fees of a movement, beside the amount that its recipient receives. */
export const Fees = ({ of: body }: { readonly of: Readonly<Record<string, unknown>> }) => {
  const { line_items = [] } = (body["fee"] ?? {}) as Partial<Fee>
  return line_items.length === 0 ? null : (
    <>
      {" · "}
      {t("fee {amounts}", {
        amounts: formatList(
          line_items.map(({ amount, currency }) => amountText(amount, currency)),
          "conjunction"
        )
      })}
    </>
  )
}

export const Waiting = ({ of }: { readonly of: WaitsFor }) => (
  <section class="notice wait" aria-label={t("What it waits for")}>
    <p class="notice-title">
      <Sentence of={of.sentence} />
    </p>
    <p class="dim">
      {rich("Since {time} ({ago})", { time: <Time at={of.since} exact />, ago: <Ago at={of.since} /> })}
      {of.next_attempt_at !== null && <> · {rich("next attempt {ago}", { ago: <Ago at={of.next_attempt_at} /> })}</>}
      {of.until !== null && <> · {rich("expected until {time}", { time: <Time at={of.until} exact /> })}</>}
      {of.attempts > 0 && <> · {t("submitted once|submitted {count} times", { count: of.attempts })}</>}
    </p>
  </section>
)

/** Why a resource failed or is held, where its money is, and what to do next. */
export const Explained = ({
  of: {
    explanation: { message, money, next_step, provider_reason },
    status
  }
}: {
  readonly of: Pick<Timeline, "explanation" | "status">
}) =>
  message === null && money.length === 0 && next_step === null ? null : (
    <section class={`notice ${findTone(status)}`} aria-label={t("Explanation")}>
      {message !== null && (
        <p class="notice-title">
          <Sentence of={message} />
        </p>
      )}
      {provider_reason !== null && (
        <p class="dim">{rich("The provider's words: {reason}", { reason: <Said>{provider_reason}</Said> })}</p>
      )}
      {money.map(({ account, currency, summary }) => (
        <p key={`${account} ${currency}`}>
          <Sentence of={summary} />
        </p>
      ))}
      {next_step !== null && <p>{rich("Next step: {sentence}", { sentence: <Sentence of={next_step} /> })}</p>}
    </section>
  )

/** Announces each change of the status, once. */
const useSpokenStatus = (timeline: Timeline | undefined): void => {
  const last = useRef<string | undefined>(undefined)
  const status = timeline?.status
  useEffect(() => {
    if (status !== undefined && last.current !== undefined && last.current !== status)
      announce(t("The status is now {status}.", { status: words(status) }))
    last.current = status
  }, [status])
}

/** Reads a resource and its timeline. The resource is read again only when its timeline changes. */
export const useStory = <Body,>(path: string) => {
  const story = useLoad<Timeline>(`${path}/timeline`, { every: 2 })
  const resource = useLoad<Body>(path)
  const timeline = story.answer.value?.data
  useSpokenStatus(timeline)
  const marks = timeline === undefined ? undefined : `${timeline.state} ${timeline.status} ${timeline.entries.length}`
  useEffect(() => {
    if (marks !== undefined) resource.reload()
  }, [marks])
  return {
    timeline,
    body: resource.answer.value?.data,
    error: story.error.value ?? resource.error.value,
    reload: (): void => {
      story.reload()
      resource.reload()
    }
  }
}

/** Whether the parts beside a timeline are folded: on a phone, they would be below a long one, where nobody finds them. */
export const isFoldedBeside = (timeline: Timeline): boolean => isLong(timeline) && isNarrow()

/** The cards of a timeline, and of the money that moved. */
export const StoryCards = ({ of }: { readonly of: Timeline }) => (
  <div>
    <Card title={t("Timeline")}>
      <TimelineView of={of} />
    </Card>
    <Card title={t("Money")} flush isFolded={isFoldedBeside(of)}>
      <LedgerView postings={of.entries.filter((entry) => entry.type === "posting")} />
    </Card>
  </div>
)
