/** What waits for the approval of other people: of operators' acts, or of a merchant's payouts. */
import type { Approval } from "../../../client/generated/resources.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import { rich, t } from "../../frame/language.ts"
import { announce } from "../../frame/announce.tsx"
import { type Answer, ApiError, call, makeIdempotencyKey, toApiError } from "../../frame/api.ts"
import { reloadShown, useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { type Allowed, allowMerchant, allowOperator, isOperator, session } from "../../frame/session.ts"
import { Action, Needs } from "../../parts/action.tsx"
import { DryRunWrites } from "../../parts/dry-run.tsx"
import { Recipient } from "../../parts/columns.tsx"
import { byRecipient, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { Facts } from "../../parts/page.tsx"
import { FailureView, Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { type Column, TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Ago, Time } from "../../parts/time.tsx"
import { approvalStatuses } from "../../parts/vocabulary.ts"
import { RowKeys } from "../../parts/row-keys.tsx"
import { BatchSums } from "../merchant/batches.tsx"
import { Fault, Said } from "../../parts/said.tsx"

/** Makes the API path of the session's approvals: an operator's, or a merchant's. */
const makeApprovalsPath = (): string => (isOperator() ? "/operator/v1/approvals" : "/v1/approvals")

/** What is a payment, or many: it goes to a provider after the approval, so that the act itself posts nothing. */
const payments: ReadonlySet<string> = new Set(["transfer", "offramp", "onramp", "batch"])

const describePostings = (operation: string): string =>
  payments.has(operation)
    ? t("Nothing is posted at once. What is approved is paid afterwards.")
    : t("It moves no money.")

const DryRunView = ({ of: { data, meta } }: { readonly of: Answer<Approval> }) => {
  const { postings = [], events = [] } = meta.dry_run ?? {}
  const batch = data.operation === "batch" && data.resource_id !== null && <BatchSums id={data.resource_id} />
  if (data.status === "pending")
    return (
      <>
        <p>
          {t("It would still wait: {count} approval more.|It would still wait: {count} approvals more.", {
            count: data.needed - data.approvals.length
          })}
        </p>
        {batch}
      </>
    )
  return (
    <>
      {data.refusal !== null && (
        <p class="late">{rich("It would be refused: {message}", { message: <Said>{data.refusal.message}</Said> })}</p>
      )}
      {postings.length + events.length === 0 && data.refusal === null && (
        <p class="dim">{describePostings(data.operation)}</p>
      )}
      {batch}
      <DryRunWrites of={{ postings, events }} />
    </>
  )
}

/** A button that shows what the approval would do now. The server decides that, and writes nothing. */
const DryRunOf = ({ id }: { readonly id: string }) => {
  const [found, setFound] = useState<Answer<Approval> | ApiError | undefined>()
  const ask = (): void => {
    void call<Approval>(`${makeApprovalsPath()}/${id}/approve?dry_run=true`, { body: {} })
      .catch(toApiError)
      .then(setFound)
  }
  return (
    <details onToggle={({ currentTarget }) => void (currentTarget.open && ask())}>
      <summary>{t("What approving would do")}</summary>
      {found === undefined ? null : found instanceof ApiError ? (
        <FailureView error={found} />
      ) : (
        <DryRunView of={found} />
      )}
    </details>
  )
}

const decisions = [
  [
    "approve",
    t("The act is done as soon as enough people have approved, as the call of the one who made it."),
    "main",
    "a"
  ],
  ["decline", t("Nothing of the act is done. A payout fails, and its money goes back."), "danger", "d"]
] as const
type Decision = (typeof decisions)[number]

/** Requires a note from a person who declines. */
const requireNote = (decision: Decision[0]) => (decision === "decline" ? "required" : "optional")

const allowDecision = (): Allowed => (isOperator() ? allowOperator("support") : allowMerchant("approver", "admin"))

/** Whether the session is of the side that decides: a merchant sees the operators' approvals, but cannot decide them. */
const isOwnSide = ({ side }: Approval): boolean => side === session.value?.type

/** The amounts of an act, and its recipient. */
const ActSummary = ({ of: { amounts, operation, ...payout } }: { readonly of: Approval }) => (
  <>
    {amounts.map(({ amount, currency }, at) => {
      const money = <Money amount={amount} currency={currency} />
      return <div key={currency}>{at > 0 && operation !== "batch" ? rich("as {money}", { money }) : money}</div>
    })}
    {payout.recipient !== null && <div>{rich("to {recipient}", { recipient: <Recipient of={payout} /> })}</div>}
  </>
)

/** What was asked, as it was sent: read when it is looked at. */
const Asked = ({ of: id }: { readonly of: string }) => (
  <Show of={useLoad<Approval>(`${makeApprovalsPath()}/${id}`)} rows={1}>
    {({ request }) =>
      request !== null && (
        <Facts
          of={Object.entries(request.body).map(([name, value]) => [
            words(name),
            typeof value === "string" ? value : JSON.stringify(value)
          ])}
        />
      )
    }
  </Show>
)

/** What became of one of several that were decided together. Undefined: it is not decided yet. */
type Decided = Answer<Approval> | ApiError | undefined

const DecisionView = ({ of }: { readonly of: Decided }) =>
  of === undefined ? null : of instanceof ApiError ? (
    <p class="late">{of.status === 0 ? t("No answer: it may be decided. Send again.") : <Fault of={of} />}</p>
  ) : (
    <>
      <StatusPill status={of.data.status} />{" "}
      {t("{approved} of {needed}", { approved: of.data.approvals.length, needed: of.data.needed })}
      {of.data.refusal !== null && (
        <p class="late">
          <Said>{of.data.refusal.message}</Said>
        </p>
      )}
    </>
  )

/** Makes the columns of several decided acts, each with the result of its decision. */
const makeDecisionColumns = (found: ReadonlyMap<string, Decided>): ReadonlyArray<Column<Approval>> => [
  {
    title: t("Act"),
    cell: ({ id, operation, resource_id }) => (
      <>
        {words(operation)} {resource_id !== null && <Id id={resource_id} brief />}
        <Asked of={id} />
      </>
    )
  },
  { title: t("Amount"), cell: (one) => <ActSummary of={one} /> },
  { title: t("Made by"), cell: ({ made_by }) => made_by.name },
  { title: t("Result"), cell: ({ id }) => <DecisionView of={found.get(id)} /> }
]

/** The progress of an approval, with the people who have decided. */
const DecidedBy = ({ of: { approvals, declined_by, needed, refusal, status } }: { readonly of: Approval }) => (
  <>
    <StatusPill status={status} /> {t("{approved} of {needed}", { approved: approvals.length, needed })}
    {[...approvals, ...(declined_by === null ? [] : [declined_by])].map(({ at, by, note }) => (
      <div key={at}>
        {by.name}
        {note !== null && <div class="quote">{note}</div>}
      </div>
    ))}
    {refusal !== null && (
      <p class="late">
        <Said>{refusal.message}</Said>
      </p>
    )}
  </>
)

/** A dialog that decides the ticked acts, one after the other. The result of each is shown beside it; a failure does not stop the others. */
const DecideTicks = ({
  decision: [decision, does, tone],
  ticked,
  done
}: {
  readonly decision: Decision
  readonly ticked: ReadonlyArray<Approval>
  readonly done: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  // What is decided stays as it was when the dialog was opened. One opening is one act for each, as of a single decision.
  const [{ chosen, key }, setOpening] = useState({ chosen: [] as ReadonlyArray<Approval>, key: "" })
  const [found, setFound] = useState<ReadonlyMap<string, Decided>>(new Map())
  const [isSending, setSending] = useState(false)
  const open = (): void => {
    setOpening({ chosen: ticked, key: makeIdempotencyKey() })
    setFound(new Map())
    dialog.current?.showModal()
  }
  const send = async (note: string): Promise<void> => {
    setSending(true)
    const results = new Map(found)
    for (const { id } of chosen) {
      const before = results.get(id)
      if (before !== undefined && !(before instanceof ApiError && before.status === 0)) continue
      const body = note === "" ? {} : { note }
      results.set(
        id,
        await call<Approval>(`${makeApprovalsPath()}/${id}/${decision}`, {
          body,
          idempotencyKey: `${key}-${id}`
        }).catch(toApiError)
      )
      setFound(new Map(results))
    }
    setSending(false)
    const failed = [...results.values()].filter((one) => one instanceof ApiError).length
    announce(
      t("{decision}: {done} done, {failed} refused.", {
        decision: words(decision),
        done: results.size - failed,
        failed
      })
    )
  }
  const closed = (): void => {
    setOpening({ chosen: [], key: "" })
    reloadShown()
    done()
  }
  const isOver = found.size > 0 && [...found.values()].every((one) => !(one instanceof ApiError && one.status === 0))
  return (
    <>
      <button type="button" class={tone} onClick={open} disabled={ticked.length === 0}>
        {t("{decision} ticked ({ticked})", { decision: words(decision), ticked: ticked.length })}
      </button>
      <dialog ref={dialog} aria-label={t("{decision} several", { decision: words(decision) })} onClose={closed}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void send(String(new FormData(event.currentTarget).get("note") ?? "").trim())
          }}
        >
          <h2>
            {t("{decision} {count} act|{decision} {count} acts", { decision: words(decision), count: chosen.length })}
          </h2>
          <p class="does">
            {does} {t("Each is decided by itself.")}
          </p>
          <TableView caption={t("The acts")} rows={chosen} columns={makeDecisionColumns(found)} />
          {found.size === 0 && (
            <label>
              {requireNote(decision) === "optional"
                ? t("Note (optional), for each of them")
                : t("Note, for each of them")}
              <textarea name="note" rows={3} maxLength={500} required={requireNote(decision) === "required"} />
            </label>
          )}
          <div class="buttons">
            <button type="button" class={isOver ? "main" : "plain"} onClick={() => dialog.current?.close()}>
              {isOver ? t("Close") : t("Cancel")}
            </button>
            {!isOver && (
              <button type="submit" class={tone} disabled={isSending}>
                {isSending
                  ? t("{done} of {all}…", { done: found.size, all: chosen.length })
                  : found.size > 0
                    ? t("Send again")
                    : words(decision)}
              </button>
            )}
          </div>
        </form>
      </dialog>
    </>
  )
}

/** Keeps the ticked acts of the shown page. */
const useTicks = (shownBy: string) => {
  const [ticked, setTicked] = useState<ReadonlyMap<string, Approval>>(new Map())
  // What is not seen any more is not decided.
  useEffect(() => setTicked(new Map()), [shownBy])
  const toggle = (one: Approval): void => {
    const next = new Map(ticked)
    if (!next.delete(one.id)) next.set(one.id, one)
    setTicked(next)
  }
  return { ticked, toggle, clear: (): void => setTicked(new Map()) }
}

const makeColumns = (
  mayDecide: boolean,
  ticked: ReadonlyMap<string, Approval>,
  toggle: (one: Approval) => void,
  clear: () => void
): ReadonlyArray<Column<Approval>> => [
  ...(mayDecide
    ? [
        {
          title: t("Tick"),
          cell: (one: Approval) =>
            one.status === "pending" &&
            isOwnSide(one) && (
              <input
                type="checkbox"
                aria-label={t("Tick {operation} {id}", { operation: words(one.operation).toLowerCase(), id: one.id })}
                aria-keyshortcuts="x"
                checked={ticked.has(one.id)}
                onChange={() => toggle(one)}
              />
            )
        }
      ]
    : []),
  {
    title: t("Waits"),
    cell: (one) => (
      <>
        <strong>{words(one.operation)}</strong> {one.resource_id !== null && <Id id={one.resource_id} brief />}
        <br />
        <Id id={one.id} brief href={null} copy />
        {one.status === "pending" && mayDecide && isOwnSide(one) && <DryRunOf id={one.id} />}
      </>
    )
  },
  { title: t("Amount"), cell: (one) => <ActSummary of={one} /> },
  {
    title: t("Made by"),
    cell: ({ created_at, made_by }) => (
      <>
        {made_by.name}
        <div class="dim">
          <Time at={created_at} />
        </div>
      </>
    )
  },
  {
    title: t("Decided"),
    cell: (one) => <DecidedBy of={one} />
  },
  {
    title: t("Until"),
    cell: ({ expires_at, status }) => (status === "pending" ? <Ago at={expires_at} /> : <Time at={expires_at} />)
  },
  {
    title: t("Decide"),
    cell: (one) =>
      one.status !== "pending" ? null : !mayDecide ? (
        <Needs acts={decisions.map(([decision]) => words(decision))} role={allowDecision()} />
      ) : isOwnSide(one) ? (
        <div class="acts">
          {decisions.map(([decision, does, tone, shortcut]) => (
            <Action<Approval>
              key={decision}
              label={words(decision)}
              title={t("{name}: {text}", { name: words(decision), text: words(one.operation).toLowerCase() })}
              does={
                <>
                  <ActSummary of={one} />
                  <Asked of={one.id} />
                  {does}
                </>
              }
              allowed
              tone={tone}
              note={requireNote(decision)}
              shortcut={shortcut}
              request={(filled) => ({ path: `${makeApprovalsPath()}/${one.id}/${decision}`, body: filled })}
              done={clear}
            />
          ))}
        </div>
      ) : (
        <span class="dim">{t("The operators decide")}</span>
      )
  }
]

export const ApprovalsPage = () => {
  const { query } = useQuery()
  const { status = "pending" } = query
  const mayDecide = allowDecision() === true
  const { clear, ticked, toggle } = useTicks(JSON.stringify(query))
  return (
    <RowKeys>
      <ListPage<Approval>
        title={t("Approvals")}
        lead={t(
          "What waits for another person. Nobody approves what they made. Keys: j and k take a row, x ticks it, a and d open its acts."
        )}
        actions={
          mayDecide &&
          status === "pending" && (
            <>
              {decisions.map((decision) => (
                <DecideTicks key={decision[0]} decision={decision} ticked={[...ticked.values()]} done={clear} />
              ))}
            </>
          )
        }
        filters={[byStatus([...approvalStatuses.slice(1), "all"], t("Pending")), byRecipient]}
        path={makeApprovalsPath()}
        query={{ status: status === "all" ? undefined : status }}
        every={10}
        columns={makeColumns(mayDecide, ticked, toggle, clear)}
        empty={[status === "pending" ? t("Nothing waits") : t("No approval matches"), t("Rules say what waits.")]}
      />
    </RowKeys>
  )
}
