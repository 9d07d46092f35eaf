/** Limits: how much and how many may move, and what is used of it. */
import type { Limit, ListedLimit, OwnLimit } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { rich, t } from "../../frame/language.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { DurationField, Field, Select, ticksOf, Ticks } from "../../parts/field.tsx"
import { Merchant } from "../../parts/columns.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { amountText } from "../../parts/money.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { PickField } from "../../parts/pick.tsx"
import { StatusPill } from "../../parts/status.tsx"
import type { Column } from "../../parts/table.tsx"
import { describeDuration, words } from "../../parts/text.ts"
import { Ago } from "../../parts/time.tsx"
import { limitOperations, limitScopes } from "../../parts/vocabulary.ts"

const calendarWindows = {
  day: "a day in {time_zone}",
  week: "a week in {time_zone}",
  month: "a month in {time_zone}"
} as const

const formatWindow = (window: OwnLimit["window"]): string =>
  typeof window === "string"
    ? window === "movement"
      ? t("each act")
      : t("all time")
    : "rolling" in window
      ? t("any {duration}", { duration: describeDuration(window.rolling) })
      : t(calendarWindows[window.calendar], { time_zone: window.time_zone })

/** A bar of the used part of a maximum. Only its length is a JavaScript number. */
const UsedBar = ({ used, max, text }: { readonly used: string; readonly max: string; readonly text: string }) => (
  <div>
    {text}
    <br />
    <meter value={Number(used)} max={Number(max)} aria-label={text} />
  </div>
)

/** What a limit applies to: the resource that it names, and for operators its merchant by name. */
const Scope = ({ scope, scope_id, ...limit }: OwnLimit & Partial<ListedLimit>) => {
  if (scope_id === null)
    return scope === "platform" ? t("Of all") : t("Of each {scope}", { scope: words(scope).toLowerCase() })
  return (
    <>
      {scope !== "merchant" && <Id id={scope_id} brief />} {limit.merchant_id && <Merchant of={limit} />}
    </>
  )
}

const columns: ReadonlyArray<Column<OwnLimit & Partial<ListedLimit>>> = [
  {
    title: t("Limit"),
    cell: (limit) => (
      <>
        <strong>{limit.operations.map(words).join(", ")}</strong>
        <br />
        <Scope {...limit} />
        <br />
        <Id id={limit.id} brief href={null} copy />
      </>
    )
  },
  { title: t("Window"), cell: ({ window }) => formatWindow(window) },
  {
    title: t("Used"),
    cell: ({ currency, max_amount, max_count, used_amount, used_count }) => (
      <>
        {max_amount !== null &&
          (used_amount === null ? (
            <div>{t("at most {amount}", { amount: amountText(max_amount, currency ?? "") })}</div>
          ) : (
            <UsedBar
              used={used_amount}
              max={max_amount}
              text={t("{used_amount} of {amount}", { used_amount, amount: amountText(max_amount, currency ?? "") })}
            />
          ))}
        {max_count !== null &&
          (used_count === null ? (
            <div>{t("at most {count} act|at most {count} acts", { count: max_count })}</div>
          ) : (
            <UsedBar
              used={String(used_count)}
              max={String(max_count)}
              text={t("{used} of {count} act|{used} of {count} acts", { used: used_count, count: max_count })}
            />
          ))}
      </>
    )
  },
  {
    title: t("Over it"),
    cell: ({ action, resets_at }) => (
      <>
        {action === "refuse" ? t("Refused") : t("Needs an approval")}
        {resets_at !== null && <div class="dim">{rich("resets {ago}", { ago: <Ago at={resets_at} /> })}</div>}
      </>
    )
  }
]

/** The field for the one resource that a limit applies to. Default: each of them. */
const ScopeField = ({ scope }: { readonly scope: Limit["scope"] }) => {
  const about = { name: "id", label: t("One of them"), hint: t("Default: each has the maximum to itself.") }
  return scope === "platform" ? null : <PickField of={scope} {...about} />
}

const LimitFields = () => {
  const [scope, setScope] = useState<Limit["scope"]>("merchant")
  const [window, setWindow] = useState("day")
  return (
    <>
      <Select
        name="scope"
        label={t("Whose acts count together")}
        value={scope}
        onValue={(one) => setScope(one as Limit["scope"])}
        choices={limitScopes}
      />
      <ScopeField key={scope} scope={scope} />
      <Ticks name="operations" label={t("Acts that count")} choices={limitOperations} ticked={["payout"]} />
      <Field name="max_amount" label={t("At most")} inputMode="decimal" placeholder="100000.00" />
      <Field name="currency" label={t("Currency of the amount")} list="currency" placeholder="USDC" />
      <Field name="max_count" label={t("At most so many acts")} inputMode="decimal" />
      <Select
        name="window"
        label={t("In")}
        value={window}
        onValue={setWindow}
        choices={[
          ["movement", t("Each act")],
          ["rolling", t("The time before it")],
          ["day", t("A day")],
          ["week", t("A week")],
          ["month", t("A month")]
        ]}
      />
      {window === "rolling" && <DurationField name="rolling" label={t("How long")} value="PT24H" />}
      {/^(?:day|week|month)$/.test(window) && <Field name="time_zone" label={t("Time zone")} required value="UTC" />}
      <Select
        name="action"
        label={t("What is over it")}
        choices={[
          ["refuse", t("Is refused")],
          ["approve", t("Needs an approval")]
        ]}
      />
    </>
  )
}

/** Parses the number of a field; an empty field stays empty. */
const parseNumber = (text: string | undefined) => text && Number(text)

const CreateLimit = () => (
  <Action<Limit>
    label={t("Create limit")}
    does={t("It counts from now on, and applies on every node within 5 seconds.")}
    allowed={allowOperator("treasury")}
    tone="main"
    note="optional"
    fields={<LimitFields />}
    request={({ action, currency, id, max_amount, max_count, note, rolling, scope, time_zone, window, ...filled }) => ({
      path: "/operator/v1/limits",
      body: {
        ...{ action, currency, id, max_amount, note, scope },
        max_count: parseNumber(max_count),
        operations: ticksOf(filled, "operations"),
        window: window === "movement" ? window : window === "rolling" ? { rolling } : { calendar: window, time_zone }
      }
    })}
  />
)

const ChangeLimit = ({ of: one }: { readonly of: Limit }) => {
  const path = `/operator/v1/limits/${one.id}`
  const other = one.status === "active" ? "disabled" : "active"
  return (
    <div class="acts">
      <Action<Limit>
        label={t("Change")}
        title={t("Change this limit")}
        does={t("What was counted stays. A maximum below it refuses every act until the window has room.")}
        allowed={allowOperator("treasury")}
        note="optional"
        fields={
          <>
            {one.max_amount !== null && (
              <Field name="max_amount" label={t("At most")} value={one.max_amount} inputMode="decimal" />
            )}
            {one.max_count !== null && (
              <Field name="max_count" label={t("At most so many acts")} value={String(one.max_count)} />
            )}
          </>
        }
        request={({ max_count, ...filled }) => ({
          path,
          method: "PATCH",
          body: { ...filled, max_count: parseNumber(max_count) }
        })}
      />
      <Action<Limit>
        label={other === "active" ? t("Enable") : t("Disable")}
        does={
          other === "active"
            ? t("It applies again, and counts from now on.")
            : t("It refuses nothing, and counts nothing.")
        }
        allowed={allowOperator("treasury")}
        note="optional"
        request={(filled) => ({ path, method: "PATCH", body: { ...filled, status: other } })}
      />
    </div>
  )
}

export const LimitsPage = () => (
  <ListPage<ListedLimit>
    title={t("Limits")}
    lead={t(
      "How much and how many may move. No number of callers passes a limit. A limit of each shows what the one under Used by uses."
    )}
    actions={<CreateLimit />}
    filters={[
      byStatus(["active", "disabled"]),
      { name: "scope", label: t("Scope"), options: limitScopes },
      { name: "used_by", label: t("Used by"), pick: "merchant" }
    ]}
    path="/operator/v1/limits"
    every={10}
    columns={[
      ...columns,
      {
        title: t("Change"),
        cell: (one) => (
          <>
            <StatusPill status={one.status} tone={one.status === "active" ? "good" : "off"} />
            <ChangeLimit of={one} />
          </>
        )
      }
    ]}
    empty={[t("There is no limit"), t("Balances and tiers decide alone.")]}
    unmatched={t("No limit matches")}
  />
)

/** Shows a merchant the limits on its own acts, without those of the platform, and what is used of each. Nothing is changed there. */
export const OwnLimitsPage = () => (
  <ListPage<OwnLimit>
    title={t("Limits")}
    lead={t("How much and how many you may move, and what is used of it.")}
    path="/v1/limits"
    every={10}
    columns={columns}
    empty={[t("There is no limit"), t("Your balances and the tiers of your customers decide alone.")]}
  />
)
