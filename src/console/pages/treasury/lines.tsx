/** Lines of statements: what a bank says of a booking. */
import type { BankStatementLine, Closing } from "../../../client/generated/resources.ts"
import { useContext } from "preact/hooks"
import { t } from "../../frame/language.ts"
import { queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { FieldFaults } from "../../parts/field.tsx"
import { Show } from "../../parts/states.tsx"

/** Whom it names, its text, and the names that the bank gives it. */
export const LineText = ({
  of: { bank_reference, counterparty, end_to_end_id, remittance, transaction_hash }
}: {
  readonly of: BankStatementLine
}) => (
  <>
    {counterparty.name ?? counterparty.account}
    {remittance !== null && (
      <div class={counterparty.name === null && counterparty.account === null ? undefined : "dim"}>{remittance}</div>
    )}
    {[bank_reference, end_to_end_id, transaction_hash]
      .filter((one) => one !== null)
      .map((one) => (
        <div key={one} class="dim">
          <code>{one}</code>
        </div>
      ))}
  </>
)

/** The newest lines of breaks by their ids, of one account or of all: the open ones, and with `isAll` the newest of any status. */
export const useLines = (external_account_id: string | undefined, isAll: boolean) => {
  const read = (status: string | undefined, isRead = true) =>
    useLoad<ReadonlyArray<BankStatementLine>>(
      isRead ? `/operator/v1/statement-lines${queryOf({ external_account_id, status, per_page: "200" })}` : null,
      { every: 30, isLater: true }
    )
  const reads = [read(undefined, isAll), read("unmatched"), read("proposed")]
  return {
    lines: new Map(reads.flatMap(({ answer }) => answer.value?.data ?? []).map((line) => [line.id, line])),
    reload: (): void => {
      for (const one of reads) one.reload()
    }
  }
}

/** The amount with the sign of its direction. */
export const LineAmount = ({ of: { amount, currency, direction } }: { readonly of: BankStatementLine }) => (
  <Money amount={direction === "debit" ? `-${amount}` : amount} currency={currency} />
)

/** Says that a line is of a closed day, which what is undone does not change. */
export const ClosedDayOf = ({ line: id }: { readonly line: string }) => {
  const line = useLoad<BankStatementLine>(`/operator/v1/statement-lines/${id}`).answer.value?.data
  const of = queryOf({ external_account_id: line?.external_account_id, date: line?.accounted_on })
  const closings = useLoad<ReadonlyArray<Closing>>(line === undefined ? null : `/operator/v1/closings${of}`)
  return closings.answer.value === undefined || closings.answer.value.data.length === 0 ? null : (
    <p class="late">
      {t("{date} is closed, and its figures stay. The line is open until it is resolved again.", {
        date: line?.accounted_on ?? ""
      })}
    </p>
  )
}

/** Lines to tick: those of a break, and others that are open, folded. The form has the ids of the ticked ones. */
export const LinesField = ({
  ids,
  others,
  known,
  ticked,
  tick
}: {
  readonly ids: ReadonlyArray<string>
  readonly others: ReadonlyArray<BankStatementLine>
  readonly known: ReadonlyMap<string, BankStatementLine>
  readonly ticked: ReadonlyArray<string>
  readonly tick: (ids: ReadonlyArray<string>) => void
}) => {
  const box = (id: string, line: BankStatementLine | undefined) => (
    <label key={id} class="tick">
      <input
        type="checkbox"
        checked={ticked.includes(id)}
        onChange={({ currentTarget }) =>
          tick(currentTarget.checked ? [...ticked, id] : ticked.filter((one) => one !== id))
        }
      />
      {line === undefined ? <LineRead id={id} /> : <LineSummary of={line} />}
    </label>
  )
  const faults = useContext(FieldFaults).filter(({ field }) => field === "line_ids")
  return (
    <>
      <fieldset>
        <legend>{t("Lines")}</legend>
        <div class="choices">{ids.map((id) => box(id, known.get(id)))}</div>
        {others.length > 0 && (
          <details class="whole">
            <summary>
              {t("{count} other open line of the account|{count} other open lines of the account", {
                count: others.length
              })}
            </summary>
            <div class="choices">{others.map((line) => box(line.id, line))}</div>
          </details>
        )}
        {faults.map(({ message }) => (
          <p key={message} class="field-error">
            {message}
          </p>
        ))}
      </fieldset>
      <input type="hidden" name="line_ids" value={ticked.join(" ")} />
    </>
  )
}

const LineSummary = ({ of }: { readonly of: BankStatementLine }) => (
  <span>
    {of.booked_on}: <LineAmount of={of} />
    <LineText of={of} />
  </span>
)

const LineRead = ({ id }: { readonly id: string }) => (
  <Show of={useLoad<BankStatementLine>(`/operator/v1/statement-lines/${id}`)} rows={1}>
    {(line) => <LineSummary of={line} />}
  </Show>
)

const LineOf = ({ id }: { readonly id: string }) => {
  const line = useLoad<BankStatementLine>(`/operator/v1/statement-lines/${id}`)
  return (
    <li>
      <Show of={line} rows={1}>
        {(one) => (
          <>
            {one.booked_on}: <LineAmount of={one} />
            <div>
              <LineText of={one} />
            </div>
          </>
        )}
      </Show>
      <Id id={id} brief copy />
    </li>
  )
}

/** The most lines that a dialog shows: each is read by itself. */
const shown = 5

/** The lines that an act is about. */
export const LinesOf = ({ ids }: { readonly ids: ReadonlyArray<string> }) =>
  ids.length === 0 ? null : (
    <ul class="plain-list">
      {ids.slice(0, shown).map((id) => (
        <LineOf key={id} id={id} />
      ))}
      {ids.length > shown && <li class="dim">{t("and {count} more", { count: ids.length - shown })}</li>}
    </ul>
  )
