/** What waits for the approval of other people: of operators' acts, or of a merchant's payouts. */
import type { Approval } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { ApiError, type Answer, call } from "../../frame/api.ts"
import { useListed } from "../../frame/listed.ts"
import { useQuery } from "../../frame/location.ts"
import { merchantMay, operatorMay, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { Empty, FailureView } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { counted, words } from "../../parts/text.ts"
import { Ago, Time } from "../../parts/time.tsx"
import { approvalStatuses } from "../../parts/vocabulary.ts"

/** The approvals of the session: an operator's, or a merchant's. */
const approvalsPath = (): string => (session.value?.type === "operator" ? "/operator/v1/approvals" : "/v1/approvals")

/** What is a payment, or many: it goes to a provider after the approval, so that the act itself posts nothing. */
const payments: ReadonlySet<string> = new Set(["transfer", "offramp", "onramp", "batch"])

const nothingPosted = (operation: string): string =>
  payments.has(operation) ? "Nothing is posted at once. What is approved is paid afterwards." : "It moves no money."

const DryRunView = ({ of: { data, meta } }: { readonly of: Answer<Approval> }) => {
  const { postings = [], events = [] } = meta.dry_run ?? {}
  if (data.status === "pending")
    return <p>It would still wait: {counted(data.needed - data.approvals.length, "approval")} more.</p>
  return (
    <>
      {data.refusal !== null && <p class="late">It would be refused: {data.refusal.message}</p>}
      {postings.length + events.length === 0 && data.refusal === null && (
        <p class="dim">{nothingPosted(data.operation)}</p>
      )}
      <ul class="plain-list">
        {postings.map(({ amount, credit, currency, debit }) => (
          <li key={`${debit} ${credit} ${amount}`}>
            <Money amount={amount} currency={currency} /> from <code>{debit}</code> to <code>{credit}</code>
          </li>
        ))}
        {events.map(({ resource_id, type }) => (
          <li key={`${type} ${resource_id}`}>
            The event <code>{type}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

/** What the approval would do now. It is decided by the server, and nothing is written. */
const DryRunOf = ({ id }: { readonly id: string }) => {
  const [found, setFound] = useState<Answer<Approval> | ApiError | undefined>()
  const ask = (): void => {
    void call<Approval>(`${approvalsPath()}/${id}/approve?dry_run=true`, { body: {} }).then(
      setFound,
      (failure: unknown) =>
        setFound(failure instanceof ApiError ? failure : new ApiError(0, { message: String(failure) }))
    )
  }
  return (
    <details onToggle={({ currentTarget }) => void (currentTarget.open && ask())}>
      <summary>What approving would do</summary>
      {found === undefined ? null : found instanceof ApiError ? (
        <FailureView error={found} />
      ) : (
        <DryRunView of={found} />
      )}
    </details>
  )
}

const decisions = [
  ["approve", "The act is done as soon as enough people have approved, as the call of the one who made it.", "main"],
  ["decline", "Nothing of the act is done. A payout fails, and its money goes back.", "danger"]
] as const

export const ApprovalsPage = () => {
  const listed = useListed()
  const { status = "pending" } = useQuery().query
  const mayDecide = operatorMay("support") || merchantMay("approver", "admin")
  return (
    <ListPage<Approval>
      title="Approvals"
      lead="What waits for another person. Nobody approves what they made."
      filters={[{ name: "status", label: "Status", options: [...approvalStatuses.slice(1), "all"], any: "Pending" }]}
      caption="Approvals"
      path={approvalsPath()}
      query={{ status: status === "all" ? undefined : status }}
      every={10}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Waits",
          cell: ({ id, operation, resource_id, status: state }) => (
            <>
              <strong>{words(operation)}</strong> {resource_id !== null && <Id id={resource_id} brief />}
              <br />
              <Id id={id} brief href={null} copy />
              {state === "pending" && mayDecide && <DryRunOf id={id} />}
            </>
          )
        },
        {
          title: "Made by",
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
          title: "Decided",
          cell: ({ approvals, declined_by, needed, refusal, status: state }) => (
            <>
              <StatusPill status={state} /> {approvals.length} of {needed}
              {[...approvals, ...(declined_by === null ? [] : [declined_by])].map(({ at, by, note }) => (
                <div key={at}>
                  {by.name}
                  {note !== null && <div class="quote">{note}</div>}
                </div>
              ))}
              {refusal !== null && <p class="late">{refusal.message}</p>}
            </>
          )
        },
        {
          title: "Until",
          cell: ({ expires_at, status: state }) =>
            state === "pending" ? <Ago at={expires_at} /> : <Time at={expires_at} />
        },
        {
          title: "Decide",
          cell: ({ id, operation, status: state }) =>
            state !== "pending" ? null : (
              <div class="acts">
                {decisions.map(([decision, does, tone]) => (
                  <Action<Approval>
                    key={decision}
                    label={words(decision)}
                    title={`${words(decision)}: ${words(operation).toLowerCase()}`}
                    does={does}
                    allowed={mayDecide}
                    tone={tone}
                    note="optional"
                    request={(filled) => ({ path: `${approvalsPath()}/${id}/${decision}`, body: filled })}
                    done={listed.reload}
                  />
                ))}
              </div>
            )
        }
      ]}
      empty={
        <Empty title={status === "pending" ? "Nothing waits" : "No approval matches"}>Rules say what waits.</Empty>
      }
      listed={listed}
    />
  )
}
