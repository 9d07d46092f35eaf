/** What a call would write: its postings and events. */
import type { DryRun } from "../../client/generated/resources.ts"
import { Money } from "./money.tsx"

export const WouldWrite = ({ of: { events, postings } }: { readonly of: Pick<DryRun, "postings" | "events"> }) => (
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
)
