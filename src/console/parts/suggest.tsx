/** What is suggested while a word is typed: the currencies and the providers that there are. */
import { isOperator } from "../frame/session.ts"
import type { ConfiguredProvider, Currency, Rate } from "../../client/generated/resources.ts"
import { useLoad } from "../frame/load.ts"

/** Words that are typed, with those that there are as suggestions. */
const suggestions = {
  currency: {
    operator: "/operator/v1/rates",
    merchant: "/v1/currencies",
    of: (row: unknown) => (row as Rate).currency ?? (row as Currency).code
  },
  provider: { operator: "/operator/v1/providers", of: (row: unknown) => (row as ConfiguredProvider).name }
} as const
export type Suggested = keyof typeof suggestions

/** Reads the known currencies or providers, for suggestions. */
export const useSuggestions = (of: Suggested | undefined): ReadonlyArray<string> => {
  const source: { readonly operator: string; readonly merchant?: string; readonly of: (row: unknown) => string } =
    suggestions[of ?? "currency"]
  const path = of === undefined ? undefined : isOperator() ? source.operator : source.merchant
  const { answer } = useLoad<ReadonlyArray<unknown>>(path === undefined ? null : `${path}?per_page=200`)
  return [...new Set((answer.value?.data ?? []).map(source.of))]
}

/** The suggestions of an input whose `list` is `id`. */
export const Suggestions = ({ of, id }: { readonly of: Suggested; readonly id: string }) => (
  <datalist id={id}>
    {useSuggestions(of).map((one) => (
      <option key={one} value={one} />
    ))}
  </datalist>
)
