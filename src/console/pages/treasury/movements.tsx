/** The movements of an account's provider that no line of a statement is: to be ticked for a line, or as what is outstanding. */
import type { BankStatementLine, Break, ExternalAccount, Movement } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { added, isZero } from "../../parts/decimal.ts"
import { Field } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { type Column, TableView } from "../../parts/table.tsx"
import { counted } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { type Outstanding, outstandingOf, withoutLine } from "./booked.ts"

/** Days before and behind the break in which a movement is looked for. */
const days = 4
const dayMs = 86_400_000

/** The most pages of 200 that are read of movements, and of lines. */
const pages = 10

/** The most outstanding movements that are shown without a click. */
const shownMax = 5

export const idsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((one) => one !== "")

/** The movements that were made between two times, and the newest lines, as far as they are read: once, because they are many. */
const useRead = (account: ExternalAccount | undefined, after: number, before: number) => {
  const made = queryOf({
    provider: account?.provider,
    created_after: new Date(after).toISOString(),
    created_before: new Date(before).toISOString(),
    per_page: "200"
  })
  // A provider may have several accounts in one currency: a line of another is a line too.
  const lines = queryOf({ currency: account?.currency, per_page: "200" })
  const read = {
    movements: useLoad<ReadonlyArray<Movement>>(account === undefined ? null : `/operator/v1/movements${made}`, {
      pages
    }),
    lines: useLoad<ReadonlyArray<BankStatementLine>>(
      account === undefined ? null : `/operator/v1/statement-lines${lines}`,
      { pages }
    )
  }
  const isCut = read.movements.answer.value?.meta.has_more === true || read.lines.answer.value?.meta.has_more === true
  return { ...read, isCut }
}

const outstandingColumns: ReadonlyArray<Column<Outstanding>> = [
  { title: "Movement", cell: ({ id }) => <Id id={id} brief copy /> },
  { title: "Amount", align: "right", cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
  { title: "Reference", cell: ({ movement }) => movement.reference ?? <span class="dim">none</span> },
  { title: "Merchant", wide: true, cell: ({ movement }) => movement.merchant_name },
  { title: "Made", wide: true, cell: ({ movement }) => <Time at={movement.created_at} /> }
]

/** What the books have since the account began and no statement has yet, of a day and the days before it. */
export const OutstandingMovements = ({ of, date }: { readonly of: ExternalAccount; readonly date: string }) => {
  const { currency } = of
  const at = Date.parse(date)
  const { isCut, lines, movements } = useRead(of, at - days * dayMs, at + 2 * dayMs)
  return (
    <Show of={lines}>
      {(booked) => (
        <Show of={movements}>
          {(all) => {
            const rows = outstandingOf(of, all, booked, date)
            const sum = rows.reduce((total, { amount }) => added(total, amount), "0")
            return (
              <>
                {isCut && <p class="late">Not every movement and line of these days is read.</p>}
                {rows.length === 0 ? (
                  <Empty title="Each movement of these days is on a statement" />
                ) : (
                  <details open={rows.length <= shownMax}>
                    <summary>
                      {counted(rows.length, "movement")} of the last {days} days,{" "}
                      <Money amount={sum} currency={currency} /> together.
                    </summary>
                    <TableView
                      caption="Movements that no line is"
                      columns={outstandingColumns}
                      rows={rows}
                      keyOf={(row) => `${row.direction} ${row.id}`}
                    />
                  </details>
                )}
              </>
            )
          }}
        </Show>
      )}
    </Show>
  )
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
  /** Whether there are more movements of these days, or lines, than were read. */
  readonly isCut: boolean
  readonly rows: ReturnType<typeof withoutLine>
  readonly chosen: ReadonlyArray<string>
  readonly choose: (ids: ReadonlyArray<string>) => void
  /** The sum of the lines. `null`: it is not known. */
  readonly whole: string | null
  readonly of: Break
}) => {
  const cut = isCut && (
    <p class="late whole">Not every movement and line of these days is read. Type the ids of others.</p>
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
  const { isCut, lines, movements } = useRead(account, at - days * dayMs, at + days * dayMs)
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
                rows={withoutLine(all, matched, of)}
                isCut={isCut}
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
