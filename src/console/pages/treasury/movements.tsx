/** The movements of an account's provider that no line of a statement is: to be ticked for a line, or as what is outstanding. */
import type { BankStatementLine, Break, ExternalAccount, Movement } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { rich, t } from "../../frame/language.ts"
import { queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { add, isZero } from "../../parts/decimal.ts"
import { Around, useField } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { Pick } from "../../parts/pick.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { type Column, TableView } from "../../parts/table.tsx"
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
  { title: t("Movement"), cell: ({ id }) => <Id id={id} brief copy /> },
  { title: t("Amount"), align: "right", cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
  { title: t("Reference"), cell: ({ movement }) => movement.reference ?? <span class="dim">{t("none")}</span> },
  { title: t("Merchant"), cell: ({ movement }) => movement.merchant_name },
  { title: t("Made"), cell: ({ movement }) => <Time at={movement.created_at} /> }
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
            const sum = rows.reduce((total, { amount }) => add(total, amount), "0")
            return (
              <>
                {isCut && <p class="late">{t("Not every movement and line of these days is read.")}</p>}
                {rows.length === 0 ? (
                  <Empty title={t("Each movement of these days is on a statement")} />
                ) : (
                  <details open={rows.length <= shownMax}>
                    <summary>
                      {rich(
                        "{count} movement of the last {days} days, {money} together.|{count} movements of the last {days} days, {money} together.",
                        { count: rows.length, days, money: <Money amount={sum} currency={currency} /> }
                      )}
                    </summary>
                    <TableView
                      caption={t("Movements that no line is")}
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
    <>{t("The sums are equal.")}</>
  ) : of.startsWith("-") ? (
    <>{rich("{money} too much.", { money: <Money amount={of.slice(1)} currency={currency} /> })}</>
  ) : (
    <>{rich("{money} left.", { money: <Money amount={of} currency={currency} /> })}</>
  )

/** A movement to tick. `amount` null: it is not read. */
interface Offered {
  readonly id: string
  readonly amount: string | null
  readonly movement?: Movement
}

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
  readonly rows: ReadonlyArray<Offered>
  readonly chosen: ReadonlyArray<string>
  readonly choose: (ids: ReadonlyArray<string>) => void
  /** The sum of the lines. `null`: it is not known. */
  readonly whole: string | null
  readonly of: Break
}) => {
  const ticked = rows.filter(({ id }) => chosen.includes(id))
  const sum = ticked.reduce((total, { amount }) => add(total, amount ?? "0"), "0")
  const isKnown = whole !== null && ticked.every(({ amount }) => amount !== null)
  return (
    <fieldset>
      <legend>{t("Movements of these days without a line")}</legend>
      {isCut && (
        <p class="late whole">
          {t("Not every movement and line of these days is read. Add others by their references.")}
        </p>
      )}
      {rows.length === 0 ? (
        !isCut && <p class="dim whole">{t("Each movement of these days is matched already.")}</p>
      ) : (
        <>
          <p class="whole">
            {rich("Ticked: {sum} of {whole}", {
              sum: <Money amount={sum} currency={currency} />,
              whole: <Money amount={whole} currency={currency} />
            })}
          </p>
          <p class="whole dim">{isKnown && <Left of={add(whole, sum, -1)} currency={currency} />}</p>
          <p class="whole">
            <button type="button" onClick={() => choose(rows.map(({ id }) => id))}>
              {t("Tick all {rows}", { rows: rows.length })}
            </button>
          </p>
        </>
      )}
      <div class="choices">
        {rows.map(({ amount, id, movement }) => (
          <label key={id} class="tick">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) =>
                choose(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            <Money amount={amount} currency={currency} />{" "}
            <span>{movement?.reference ?? <Id id={id} brief href={null} />}</span>{" "}
            {movement !== undefined && (
              <span class="dim">
                {movement.merchant_name} <Time at={movement.created_at} />
              </span>
            )}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Movements to tick: those that the break names, those of these days that no line is yet, and others that are found by their references. */
export const MovementsField = ({
  of,
  whole,
  account
}: {
  readonly of: Break
  /** The sum of the lines. `null`: it is not known. */
  readonly whole: string | null
  readonly account: ExternalAccount | undefined
}) => {
  const named = of.resources.length > 0 ? of.resources : of.candidates.map((one) => one.resource_id)
  const [chosen, choose] = useState<ReadonlyArray<string>>([...new Set(named)])
  const [offered, offer] = useState(chosen)
  const field = useField("resource_ids", false)
  const at = Date.parse(of.since)
  const { isCut, lines, movements } = useRead(account, at - days * dayMs, at + days * dayMs)
  const amountOf = (id: string): string | null =>
    of.candidates.find(({ resource_id }) => resource_id === id)?.amount ?? null
  return (
    <>
      <input type="hidden" name="resource_ids" value={chosen.join(" ")} />
      <Show of={lines}>
        {(matched) => (
          <Show of={movements}>
            {(all) => {
              const free = withoutLine(all, matched, of)
              const others = offered.filter((id) => free.every((one) => one.id !== id))
              const rows = [...others.map((id): Offered => ({ id, amount: amountOf(id) })), ...free]
              return <Ticked {...{ rows, isCut, chosen, choose, whole, of }} />
            }}
          </Show>
        )}
      </Show>
      <Around label={t("Another movement")} field={field}>
        <Pick
          key={offered.length}
          of="movement"
          id={field.id}
          value=""
          onValue={(id) => {
            if (id === "" || chosen.includes(id)) return
            offer([...offered, id])
            choose([...chosen, id])
          }}
        />
      </Around>
    </>
  )
}
