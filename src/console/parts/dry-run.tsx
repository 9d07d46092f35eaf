/** What a call would write: its postings and events. */
import type { DryRun } from "../../client/generated/resources.ts"
import { rich } from "../frame/language.ts"
import { Money } from "./money.tsx"

export const DryRunWrites = ({ of: { events, postings } }: { readonly of: Pick<DryRun, "postings" | "events"> }) => (
  <ul class="plain-list">
    {postings.map(({ amount, credit, currency, debit }) => (
      <li key={`${debit} ${credit} ${amount}`}>
        {rich("{money} from {debit} to {credit}", {
          money: <Money amount={amount} currency={currency} />,
          debit: <code>{debit}</code>,
          credit: <code>{credit}</code>
        })}
      </li>
    ))}
    {events.map(({ resource_id, type }) => (
      <li key={`${type} ${resource_id}`}>{rich("The event {type}", { type: <code>{type}</code> })}</li>
    ))}
  </ul>
)
