/** Lines of statements: what a bank says of a booking. */
import type { BankStatementLine } from "../../../client/generated/resources.ts"
import { queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
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

/** The newest open lines by their ids, of one account or of all. */
export const useOpenLines = (external_account_id: string | undefined) => {
  const read = (status: string) =>
    useLoad<ReadonlyArray<BankStatementLine>>(
      `/operator/v1/statement-lines${queryOf({ external_account_id, status, per_page: "200" })}`,
      { every: 30 }
    )
  const both = [read("unmatched"), read("proposed")]
  return {
    open: new Map(both.flatMap(({ answer }) => answer.value?.data ?? []).map((line) => [line.id, line])),
    reload: (): void => {
      for (const one of both) one.reload()
    }
  }
}

/** The amount with the sign of its direction. */
export const LineAmount = ({ of: { amount, currency, direction } }: { readonly of: BankStatementLine }) => (
  <Money amount={direction === "debit" ? `-${amount}` : amount} currency={currency} />
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
      {ids.length > shown && <li class="dim">and {ids.length - shown} more</li>}
    </ul>
  )
