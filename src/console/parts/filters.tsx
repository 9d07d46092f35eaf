/** Filters of a list. They are in the URL, so a filtered list can be shared. */
import { useQuery } from "../frame/location.ts"
import type { Choice } from "./field.tsx"
import { words } from "./text.ts"

export interface Filter {
  /** The member of the URL's query. */
  readonly name: string
  readonly label: string
  /** The values to choose from, or what is typed. */
  readonly options?: ReadonlyArray<Choice>
  /** What is shown without a choice. Default: "Any". */
  readonly any?: string
  readonly type?: "text" | "date" | "datetime-local"
  readonly placeholder?: string
  /** What the page shows without a choice, where the field can say it. */
  readonly otherwise?: string
}

/** The days of a list, the last one whole. */
export const period: ReadonlyArray<Filter> = [
  { name: "from", label: "From", type: "date" },
  { name: "until", label: "Until", type: "date" }
]

export const Filters = ({ of }: { readonly of: ReadonlyArray<Filter> }) => {
  const { query, set } = useQuery()
  const isFiltered = of.some(({ name }) => (query[name] ?? "") !== "")
  return (
    <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {of.map(({ name, label, options, any = "Any", type = "text", placeholder, otherwise = "" }) => (
        <div key={name} class="filter">
          <label for={`filter-${name}`}>{label}</label>
          {options === undefined ? (
            <input
              // The types of Preact know each type of input apart.
              {...(type === "text" ? { type: "text" as const } : { type })}
              id={`filter-${name}`}
              name={name}
              value={query[name] ?? otherwise}
              placeholder={placeholder}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value.trim() })}
            />
          ) : (
            <select
              id={`filter-${name}`}
              name={name}
              value={query[name] ?? ""}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            >
              <option value="">{any}</option>
              {options.map((option) => {
                const [value, text] = typeof option === "string" ? [option, words(option)] : option
                return (
                  <option key={value} value={value}>
                    {text}
                  </option>
                )
              })}
            </select>
          )}
        </div>
      ))}
      {isFiltered && (
        <button
          type="button"
          class="plain"
          onClick={() => set(Object.fromEntries(of.map(({ name }) => [name, undefined])))}
        >
          Clear filters
        </button>
      )}
    </form>
  )
}

/** A day of a date filter as the beginning of that day in the reader's zone, in UTC; the day after with `after`. */
export const dayStart = (day: string | undefined, after = false): string | undefined => {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + (after ? 1 : 0)).toISOString()
}
