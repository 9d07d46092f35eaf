/** Filters of a list. They are in the URL, so a filtered list can be shared. */
import { t } from "../frame/language.ts"
import { useQuery } from "../frame/location.ts"
import { zone } from "../frame/settings.ts"
import { type Choice, Choices } from "./field.tsx"
import { Pick, type Picked } from "./pick.tsx"
import { type Suggested, Suggestions } from "./suggest.tsx"

export interface Filter {
  /** The member of the URL's query. */
  readonly name: string
  readonly label: string
  /** The values to choose from, or what is typed. */
  readonly options?: ReadonlyArray<Choice>
  /** What is chosen by its name, and filtered by its id. */
  readonly pick?: Picked
  /** What is offered while it is typed. */
  readonly list?: Suggested
  /** What is shown without a choice. Default: "Any". */
  readonly any?: string | undefined
  readonly type?: "text" | "date" | "datetime-local"
  readonly placeholder?: string
  /** What the page shows without a choice, where the field can say it. */
  readonly otherwise?: string
  /** Folded away until it is used. */
  readonly isRare?: boolean
}

/** The days of a list, the last one whole. */
export const period: ReadonlyArray<Filter> = [
  { name: "from", label: t("From"), type: "date" },
  { name: "until", label: t("Until"), type: "date" }
]

const makePickFilter = (of: Picked, label: string): Filter => ({ name: `${of}_id`, label, pick: of })
export const byMerchant = makePickFilter("merchant", t("Merchant"))
export const byCustomer = makePickFilter("customer", t("Customer"))
export const byRecipient = makePickFilter("beneficiary", t("Recipient"))
export const byWallet = makePickFilter("wallet", t("Wallet"))
export const byOperator = makePickFilter("operator", t("Operator"))
export const byCurrency: Filter = { name: "currency", label: t("Currency"), list: "currency", placeholder: "NGN" }
export const byProvider: Filter = { name: "provider", label: t("Provider"), list: "provider" }
export const byStatus = (options: ReadonlyArray<Choice>, any?: string): Filter => ({
  ...{ name: "status", label: t("Status"), options, any }
})

const FilterField = ({ of }: { readonly of: Filter }) => {
  const { name, label, options, pick, list, any = t("Any"), type = "text", placeholder, otherwise = "" } = of
  const { query, set } = useQuery()
  const id = `filter-${name}`
  const choose = (value: string): void => set({ [name]: value.trim() })
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      {pick !== undefined ? (
        <Pick of={pick} id={id} value={query[name] ?? ""} onValue={choose} merchant={query["merchant_id"] ?? ""} />
      ) : options === undefined ? (
        <input
          // The types of Preact know each type of input apart.
          {...(type === "text" ? { type: "text" as const } : { type })}
          id={id}
          name={name}
          value={query[name] ?? otherwise}
          placeholder={placeholder}
          list={list && `${id}-list`}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      ) : (
        <Choices
          attributes={{ id, name }}
          choices={[["", any], ...options]}
          value={query[name] ?? ""}
          onValue={choose}
        />
      )}
      {list !== undefined && <Suggestions of={list} id={`${id}-list`} />}
    </div>
  )
}

export const Filters = ({ of }: { readonly of: ReadonlyArray<Filter> }) => {
  const { query, set } = useQuery()
  const isSet = ({ name }: Filter): boolean => (query[name] ?? "") !== ""
  const fieldsOf = (isRare: boolean) =>
    of.filter((one) => (one.isRare ?? false) === isRare).map((one) => <FilterField key={one.name} of={one} />)
  const rare = fieldsOf(true)
  return (
    <form class="filters" role="search" aria-label={t("Filters")} onSubmit={(event) => event.preventDefault()}>
      {fieldsOf(false)}
      {rare.length > 0 && (
        <details class="more" open={of.some((one) => one.isRare === true && isSet(one))}>
          <summary>{t("More filters")}</summary>
          <div class="filters">{rare}</div>
        </details>
      )}
      {of.some(isSet) && (
        <button
          type="button"
          class="plain"
          onClick={() => set(Object.fromEntries(of.map(({ name }) => [name, undefined])))}
        >
          {t("Clear filters")}
        </button>
      )}
    </form>
  )
}

/** Converts the value of a date and time field, in the person's chosen zone, to UTC. An instant stays the same. */
export const toInstant = (local: string | undefined): string | undefined => {
  if (local === undefined || Number.isNaN(Date.parse(local))) return undefined
  const isZoned = /(?:Z|[+-]\d\d:\d\d)$/.test(local)
  return new Date(zone.value === "utc" && !isZoned ? `${local}Z` : local).toISOString()
}

/** Formats a time to the minute for a field of that type, in the person's chosen zone. */
export const formatMinute = (ms: number): string => {
  const away = zone.value === "utc" ? 0 : new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - away).toISOString().slice(0, 16)
}

/** Finds the beginning of a day in the person's chosen zone, in UTC; `after`: so many days later. An instant stays the same. */
export const findDayStart = (day: string | undefined, after = 0): string | undefined => {
  if (day === undefined || Number.isNaN(Date.parse(day))) return undefined
  if (day.includes("T")) return toInstant(day)
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  const parts = [year, month - 1, date + after] as const
  return new Date(zone.value === "utc" ? Date.UTC(...parts) : new Date(...parts).getTime()).toISOString()
}

/** Finds the last instant of a day. */
export const findDayEnd = (day: string | undefined): string | undefined => {
  const next = findDayStart(day, 1)
  return next === undefined || day?.includes("T") === true ? next : new Date(Date.parse(next) - 1).toISOString()
}
