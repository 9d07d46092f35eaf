/** The movements that lines of a statement are: those of the account's provider around their day, to be ticked. */
import type { BankStatementLine, Break, ExternalAccount, Movement } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { added, isZero } from "../../parts/decimal.ts"
import { Field } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { Show } from "../../parts/states.tsx"
import { Time } from "../../parts/time.tsx"
import { resourceOf } from "../movements.tsx"

/** Days before and behind the break in which a movement is looked for. */
const days = 4
const dayMs = 86_400_000

export const idsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((one) => one !== "")

const paid = new Set<string>(["success", "returned"])
const received = new Set<string>(["received", "processing", "success", "confirmed", "returned"])

/** What a bank has booked of a movement in this direction. `null`: nothing in this currency, or nothing yet. */
const bookedOf = (one: Movement, { currency, direction }: Break): string | null => {
  const isPayin = one.type === "onramp" || one.type === "deposit"
  if (isPayin !== (direction === "credit")) return null
  if (!(isPayin ? received : paid).has(one.status)) return null
  if (isPayin) return one.source_currency === currency ? one.source_amount : null
  return one.destination_currency === currency ? (one.received_amount ?? one.destination_amount) : null
}

const offered = (
  movements: ReadonlyArray<Movement>,
  lines: ReadonlyArray<BankStatementLine>,
  of: Break
): ReadonlyArray<{ readonly id: string; readonly amount: string; readonly movement: Movement }> => {
  const matched = new Set(lines.flatMap(({ matches }) => matches.map(({ resource_id }) => resource_id)))
  return movements.flatMap((movement) => {
    const [id, amount] = [resourceOf(movement), bookedOf(movement, of)]
    return amount === null || matched.has(id) ? [] : [{ id, amount, movement }]
  })
}

/** What is missing to the sum of the lines, or too much of it. */
const Left = ({ of, currency }: { readonly of: string; readonly currency: string }) =>
  isZero(of) ? (
    <>The sums are equal.</>
  ) : of.startsWith("-") ? (
    <>
      <Money amount={of.slice(1)} currency={currency} /> too much.
    </>
  ) : (
    <>
      <Money amount={of} currency={currency} /> left.
    </>
  )

/** The offered movements as ticks, with their sum beside what the lines have. */
const Ticked = ({
  rows,
  isCut,
  chosen,
  choose,
  whole,
  of: { currency }
}: {
  /** Whether these days have more movements than were read. */
  readonly isCut: boolean
  readonly rows: ReturnType<typeof offered>
  readonly chosen: ReadonlyArray<string>
  readonly choose: (ids: ReadonlyArray<string>) => void
  /** The sum of the lines. `null`: it is not known. */
  readonly whole: string | null
  readonly of: Break
}) => {
  const cut = isCut && (
    <p class="late whole">Only the newest movements of these days are read. Type the ids of others.</p>
  )
  if (rows.length === 0) return cut || <p class="dim">Each movement of these days is matched already.</p>
  const sum = rows.reduce((total, { amount, id }) => (chosen.includes(id) ? added(total, amount) : total), "0")
  return (
    <fieldset>
      <legend>Movements of these days without a line</legend>
      {cut}
      <p class="whole">
        Ticked: <Money amount={sum} currency={currency} /> of <Money amount={whole} currency={currency} />
      </p>
      <p class="whole dim">{whole !== null && <Left of={added(whole, sum, -1)} currency={currency} />}</p>
      <p class="whole">
        <button type="button" onClick={() => choose(rows.map(({ id }) => id))}>
          Tick all {rows.length}
        </button>
      </p>
      <div class="choices">
        {rows.map(({ amount, id, movement: { created_at, merchant_name, reference } }) => (
          <label key={id} class="tick">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) =>
                choose(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            <Money amount={amount} currency={currency} /> <span>{reference ?? <Id id={id} brief href={null} />}</span>{" "}
            <span class="dim">
              {merchant_name} <Time at={created_at} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Movements by their ids, which are typed, or ticked among those of these days that no line is yet. */
export const MovementsField = ({
  of,
  whole,
  account,
  hint
}: {
  readonly of: Break
  /** The sum of the lines. `null`: it is not known. */
  readonly whole: string | null
  readonly account: ExternalAccount | undefined
  readonly hint: string
}) => {
  const named = of.resources.length > 0 ? of.resources : of.candidates.map((one) => one.resource_id)
  const [text, setText] = useState(named.join(" "))
  const [ticks, setTicks] = useState(0)
  const at = Date.parse(of.since)
  const around = queryOf({
    provider: account?.provider,
    created_after: new Date(at - days * dayMs).toISOString(),
    created_before: new Date(at + days * dayMs).toISOString(),
    per_page: "200"
  })
  const movements = useLoad<ReadonlyArray<Movement>>(account === undefined ? null : `/operator/v1/movements${around}`)
  const lines = useLoad<ReadonlyArray<BankStatementLine>>(
    `/operator/v1/statement-lines?external_account_id=${of.external_account_id}&status=matched&per_page=200`
  )
  const choose = (ids: ReadonlyArray<string>): void => {
    setText(ids.join(" "))
    setTicks(ticks + 1)
  }
  return (
    <>
      {/* A tick writes the ids anew: the field is another one then. */}
      <Field key={ticks} name="resource_ids" label="Movements" value={text} onValue={setText} hint={hint} />
      <Show of={lines}>
        {(matched) => (
          <Show of={movements}>
            {(all) => (
              <Ticked
                rows={offered(all, matched, of)}
                isCut={(movements.answer.value?.meta.total ?? 0) > all.length}
                chosen={idsIn(text)}
                choose={choose}
                whole={whole}
                of={of}
              />
            )}
          </Show>
        )}
      </Show>
    </>
  )
}
