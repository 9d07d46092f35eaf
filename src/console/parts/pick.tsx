/** Choices among what exists, by name: nobody types an id. One that is pasted is taken. */
import { useEffect, useRef, useState } from "preact/hooks"
import { queryOf } from "../frame/base.ts"
import { useLoad } from "../frame/load.ts"
import { session } from "../frame/session.ts"
import { Around, type FieldProps, useField } from "./field.tsx"
import { short } from "./id.tsx"

interface Named {
  readonly id: string
  readonly name?: string
  readonly title?: string
  readonly label?: string | null
  readonly currency?: string
  readonly customer?: { readonly name: string }
}

/** What is chosen among: where it is listed for operators and merchants, and whether a search finds it by name. */
const sources = {
  merchant: { operator: "/operator/v1/merchants", isSearched: true },
  customer: { operator: "/operator/v1/customers", merchant: "/v1/customers", isSearched: true },
  beneficiary: { merchant: "/v1/beneficiaries", isSearched: true },
  wallet: { merchant: "/v1/wallets", isSearched: false },
  operator: { operator: "/operator/v1/operators", isSearched: false }
} as const satisfies Readonly<
  Record<string, { readonly operator?: string; readonly merchant?: string; readonly isSearched: boolean }>
>
export type Picked = keyof typeof sources

const side = (): "operator" | "merchant" => (session.value?.type === "operator" ? "operator" : "merchant")
const searchPath = (): string => (side() === "operator" ? "/operator/v1/search" : "/v1/search")

const isId = (text: string): boolean => /^[a-z]{2,7}_\w+$/.test(text)

/** A wallet is told by its label or its customer, and its currency. */
const nameOf = ({ currency, customer, id, label, name, title }: Named): string => {
  const own = label ?? name ?? title ?? customer?.name ?? id
  return customer !== undefined && currency !== undefined ? `${own}, ${currency}` : own
}
const textOf = (one: Named): string => `${nameOf(one)} · ${short(one.id)}`

/** What can be chosen, as far as it has been typed, and what the chosen id is called. */
const useNamed = (of: Picked, typed: string, value: string) => {
  const { isSearched, ...lists } = sources[of]
  const q = typed.trim()
  const isLooking = isSearched && q.length >= 3
  const list = (lists as Readonly<Record<string, string | undefined>>)[side()]
  const found = useLoad<ReadonlyArray<Named>>(
    isLooking
      ? `${searchPath()}${queryOf({ q, kind: of, per_page: 20 })}`
      : list === undefined
        ? null
        : `${list}${queryOf({ per_page: isSearched ? 20 : 200 })}`
  )
  const options = found.answer.value?.data ?? []
  const isKnown = options.some(({ id }) => id === value)
  const own = useLoad<ReadonlyArray<Named>>(
    value === "" || isKnown ? null : `${searchPath()}${queryOf({ q: value, per_page: 1 })}`
  )
  const chosen = [...options, ...(own.answer.value?.data ?? [])].find(({ id }) => id === value)
  return { options, chosen }
}

export interface PickProps {
  readonly of: Picked
  /** The chosen id; empty without one. */
  readonly value: string
  readonly onValue: (id: string) => void
  readonly id: string
  readonly required?: boolean
  readonly attributes?: object
}

/** A field with suggestions, whose value is the id of what is chosen. */
export const Pick = ({ of, value, onValue, id, required = false, attributes = {} }: PickProps) => {
  const [typed, setTyped] = useState("")
  const input = useRef<HTMLInputElement>(null)
  const { chosen, options } = useNamed(of, typed, value)
  const text = chosen === undefined ? value : textOf(chosen)
  useEffect(() => {
    if (input.current !== null && document.activeElement !== input.current) input.current.value = text
  }, [text])
  const choose = (given: string, isOver: boolean): void => {
    setTyped(given)
    const known = options.find((one) => textOf(one) === given)
    const next = known?.id ?? (isId(given.trim()) ? given.trim() : "")
    input.current?.setCustomValidity(given.trim() === "" || next !== "" ? "" : "Choose one of the list.")
    if (known !== undefined || isOver) onValue(next)
  }
  return (
    <>
      <input
        ref={input}
        {...attributes}
        id={id}
        type="text"
        list={`${id}-list`}
        autocomplete="off"
        required={required}
        defaultValue={text}
        placeholder="Name"
        onInput={({ currentTarget }) => choose(currentTarget.value, false)}
        onChange={({ currentTarget }) => choose(currentTarget.value, true)}
      />
      <datalist id={`${id}-list`}>
        {options.map((one) => (
          <option key={one.id} value={textOf(one)} />
        ))}
      </datalist>
    </>
  )
}

/** The same as a field of a form: the request has the id. */
export const PickField = ({
  of,
  name,
  label,
  hint,
  required = false,
  value = ""
}: FieldProps & { readonly of: Picked }) => {
  const field = useField(name, hint !== undefined)
  const { name: _, ...attributes } = field.attributes
  const [id, setId] = useState(value ?? "")
  return (
    <Around label={label} hint={hint} required={required} field={field}>
      <Pick of={of} value={id} onValue={setId} id={field.id} required={required} attributes={attributes} />
      <input type="hidden" name={name} value={id} />
    </Around>
  )
}
