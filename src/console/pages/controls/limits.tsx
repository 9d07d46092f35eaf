/** Limits: how much and how many may move, and what is used of it. */
import type { Limit, OwnLimit } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { DurationField, Field, Select, tickedOf, Ticks } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { amountText } from "../../parts/money.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { PickField } from "../../parts/pick.tsx"
import { StatusPill } from "../../parts/status.tsx"
import type { Column } from "../../parts/table.tsx"
import { durationWords, words } from "../../parts/text.ts"
import { Ago } from "../../parts/time.tsx"
import { limitOperations, limitScopes } from "../../parts/vocabulary.ts"

const windowText = (window: OwnLimit["window"]): string =>
  typeof window === "string"
    ? window === "movement"
      ? "each act"
      : "all time"
    : "rolling" in window
      ? `any ${durationWords(window.rolling)}`
      : `a ${window.calendar} in ${window.time_zone}`

/** A part of a whole. Only the length of the bar is a number of JavaScript. */
const Used = ({ used, max, text }: { readonly used: string; readonly max: string; readonly text: string }) => (
  <div>
    {text}
    <br />
    <meter value={Number(used)} max={Number(max)} aria-label={text} />
  </div>
)

const columns: ReadonlyArray<Column<OwnLimit>> = [
  {
    title: "Limit",
    cell: ({ id, operations, scope, scope_id }) => (
      <>
        <strong>{operations.map(words).join(", ")}</strong>
        <br />
        {scope_id === null ? (
          scope === "platform" ? (
            "Of all"
          ) : (
            `Of each ${words(scope).toLowerCase()}`
          )
        ) : (
          <Id id={scope_id} brief />
        )}
        <br />
        <Id id={id} brief href={null} copy />
      </>
    )
  },
  { title: "Window", cell: ({ window }) => windowText(window) },
  {
    title: "Used",
    cell: ({ currency, max_amount, max_count, used_amount, used_count }) => (
      <>
        {max_amount !== null &&
          (used_amount === null ? (
            <div>at most {amountText(max_amount, currency ?? "")}</div>
          ) : (
            <Used
              used={used_amount}
              max={max_amount}
              text={`${used_amount} of ${amountText(max_amount, currency ?? "")}`}
            />
          ))}
        {max_count !== null &&
          (used_count === null ? (
            <div>at most {max_count} acts</div>
          ) : (
            <Used used={String(used_count)} max={String(max_count)} text={`${used_count} of ${max_count} acts`} />
          ))}
      </>
    )
  },
  {
    title: "Over it",
    cell: ({ action, resets_at }) => (
      <>
        {action === "refuse" ? "Refused" : "Needs an approval"}
        {resets_at !== null && (
          <div class="dim">
            resets <Ago at={resets_at} />
          </div>
        )}
      </>
    )
  }
]

/** Whom a limit is of. Default: each of them. */
const ScopeField = ({ scope }: { readonly scope: Limit["scope"] }) => {
  const about = { name: "id", label: "One of them", hint: "Default: each has the maximum to itself." }
  return scope === "platform" ? null : <PickField of={scope} {...about} />
}

const LimitFields = () => {
  const [scope, setScope] = useState<Limit["scope"]>("merchant")
  const [window, setWindow] = useState("day")
  return (
    <>
      <Select
        name="scope"
        label="Whose acts count together"
        value={scope}
        onValue={(one) => setScope(one as Limit["scope"])}
        choices={limitScopes}
      />
      <ScopeField key={scope} scope={scope} />
      <Ticks name="operations" label="Acts that count" choices={limitOperations} ticked={["payout"]} />
      <Field name="max_amount" label="At most" inputMode="decimal" placeholder="100000.00" />
      <Field name="currency" label="Currency of the amount" list="currency" placeholder="USDC" />
      <Field name="max_count" label="At most so many acts" inputMode="decimal" />
      <Select
        name="window"
        label="In"
        value={window}
        onValue={setWindow}
        choices={[
          ["movement", "Each act"],
          ["rolling", "The time before it"],
          ["day", "A day"],
          ["week", "A week"],
          ["month", "A month"]
        ]}
      />
      {window === "rolling" && <DurationField name="rolling" label="How long" value="PT24H" />}
      {/^(?:day|week|month)$/.test(window) && <Field name="time_zone" label="Time zone" required value="UTC" />}
      <Select
        name="action"
        label="What is over it"
        choices={[
          ["refuse", "Is refused"],
          ["approve", "Needs an approval"]
        ]}
      />
    </>
  )
}

const counts = (text: string | undefined) => (text === undefined ? {} : { max_count: Number(text) })

const CreateLimit = () => (
  <Action<Limit>
    label="Create limit"
    does="It counts from now on, and applies on every node within 5 seconds."
    allowed={allowOperator("treasury")}
    tone="main"
    note="optional"
    fields={<LimitFields />}
    request={({ action, currency, id, max_amount, max_count, note, rolling, scope, time_zone, window, ...filled }) => ({
      path: "/operator/v1/limits",
      body: {
        ...{ action, currency, id, max_amount, note, scope },
        ...counts(max_count),
        operations: tickedOf(filled, "operations"),
        window: window === "movement" ? window : window === "rolling" ? { rolling } : { calendar: window, time_zone }
      }
    })}
  />
)

const Change = ({ of: one }: { readonly of: Limit }) => {
  const path = `/operator/v1/limits/${one.id}`
  const other = one.status === "active" ? "disabled" : "active"
  return (
    <div class="acts">
      <Action<Limit>
        label="Change"
        title="Change this limit"
        does="What was counted stays. A maximum below it refuses every act until the window has room."
        allowed={allowOperator("treasury")}
        note="optional"
        fields={
          <>
            {one.max_amount !== null && (
              <Field name="max_amount" label="At most" value={one.max_amount} inputMode="decimal" />
            )}
            {one.max_count !== null && (
              <Field name="max_count" label="At most so many acts" value={String(one.max_count)} />
            )}
          </>
        }
        request={({ max_count, ...filled }) => ({ path, method: "PATCH", body: { ...filled, ...counts(max_count) } })}
      />
      <Action<Limit>
        label={other === "active" ? "Enable" : "Disable"}
        does={
          other === "active" ? "It applies again, and counts from now on." : "It refuses nothing, and counts nothing."
        }
        allowed={allowOperator("treasury")}
        note="optional"
        request={(filled) => ({ path, method: "PATCH", body: { ...filled, status: other } })}
      />
    </div>
  )
}

export const LimitsPage = () => (
  <ListPage<Limit>
    title="Limits"
    lead="How much and how many may move. No number of callers passes a limit. A limit of each shows what the one under Used by uses."
    actions={<CreateLimit />}
    filters={[
      byStatus(["active", "disabled"]),
      { name: "scope", label: "Scope", options: limitScopes },
      { name: "used_by", label: "Used by", pick: "merchant" }
    ]}
    path="/operator/v1/limits"
    every={10}
    columns={[
      ...columns,
      {
        title: "Change",
        cell: (one) => (
          <>
            <StatusPill status={one.status} tone={one.status === "active" ? "good" : "off"} />
            <Change of={one} />
          </>
        )
      }
    ]}
    empty={["There is no limit", "Balances and tiers decide alone."]}
    unmatched="No limit matches"
  />
)

/** A merchant's own limits. */
export const OwnLimitsPage = () => (
  <ListPage<OwnLimit>
    title="Limits"
    lead="How much and how many you may move, and what is used of it."
    path="/v1/limits"
    every={10}
    columns={columns}
    empty={["There is no limit", "Your balances and the tiers of your customers decide alone."]}
  />
)
