/** Choices among what exists, by name: nobody types an id. One that is pasted is taken. */
import { useEffect, useRef, useState } from "preact/hooks"
import { isOperator } from "../frame/session.ts"
import { t } from "../frame/language.ts"
import { queryOf } from "../frame/base.ts"
import { useLoad } from "../frame/load.ts"
import { Around, type FieldProps, useField } from "./field.tsx"
import { shortenId } from "./id.tsx"
import { amountText } from "./money.tsx"
import { words } from "./text.ts"

interface Named {
  readonly id: string
  readonly name?: string
  readonly title?: string
  readonly label?: string | null
  readonly kind?: string
  readonly prefix?: string
  readonly amount?: string | null
  readonly currency?: string | null
  readonly customer?: { readonly name: string }
}

const movements: ReadonlyArray<string> = ["onramp", "offramp", "conversion", "transfer", "deposit"]

/**
 * What is chosen among: where it is listed for operators and merchants, and whether a search finds it by name or reference, of its own kind
 * or of `kinds`. What an operator finds below a merchant is chosen after its merchant.
 */
const sources = {
  merchant: { operator: "/operator/v1/merchants", isSearched: true },
  customer: { operator: "/operator/v1/customers", merchant: "/v1/customers", isSearched: true },
  beneficiary: { merchant: "/v1/beneficiaries", isSearched: true },
  wallet: { operator: "/operator/v1/merchants/:id/wallets", merchant: "/v1/wallets", isSearched: false },
  api_key: { operator: "/operator/v1/merchants/:id/api-keys", merchant: "/v1/api-keys", isSearched: false },
  movement: { isSearched: true, kinds: movements },
  resource: { isSearched: true, kinds: null },
  operator: { operator: "/operator/v1/operators", isSearched: false }
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly operator?: string
      readonly merchant?: string
      readonly isSearched: boolean
      readonly kinds?: ReadonlyArray<string> | null
    }
  >
>
export type Picked = keyof typeof sources

const findSide = (): "operator" | "merchant" => (isOperator() ? "operator" : "merchant")
const makeSearchPath = (): string => (findSide() === "operator" ? "/operator/v1/search" : "/v1/search")

const isId = (text: string): boolean => /^[a-z]{2,7}_\w+$/.test(text)

/** Whether an operator chooses the merchant first, because the resource belongs to one. */
const isChosenByMerchant = (of: Picked): boolean => {
  const source = sources[of]
  return findSide() === "operator" && "operator" in source && source.operator.includes(":id")
}

/** Formats the name of a resource: a wallet by its label or its customer, and its currency; a movement by its reference and amount. */
const formatName = ({ amount, currency, customer, id, label, name, prefix, title }: Named): string => {
  const own = label ?? name ?? title ?? customer?.name ?? prefix ?? id
  if (typeof amount === "string") return `${own}, ${amountText(amount, currency ?? "")}`
  return customer !== undefined && typeof currency === "string" ? `${own}, ${currency}` : own
}
const formatNameAndId = (one: Named): string => `${formatName(one)} · ${shortenId(one.id)}`

/** Reads the suggestions for the typed text, and the name of the chosen id. */
const useName = (of: Picked, typed: string, value: string, merchant: string) => {
  const { isSearched, kinds, ...lists }: (typeof sources)[Picked] & { readonly kinds?: ReadonlyArray<string> | null } =
    sources[of]
  const q = typed.trim()
  const isLooking = isSearched && q.length >= 3
  const whole = (lists as Readonly<Record<string, string | undefined>>)[findSide()]
  const list = merchant === "" && isChosenByMerchant(of) ? undefined : whole?.replace(":id", merchant)
  const found = useLoad<ReadonlyArray<Named>>(
    isLooking
      ? `${makeSearchPath()}${queryOf({ q, kind: kinds === undefined ? of : undefined, per_page: kinds === undefined ? 20 : 50 })}`
      : list === undefined
        ? null
        : `${list}${queryOf({ per_page: isSearched ? 20 : 200 })}`
  )
  const options = (found.answer.value?.data ?? []).filter(({ kind }) => !kinds || kinds.includes(kind ?? ""))
  const isKnown = options.some(({ id }) => id === value)
  const own = useLoad<ReadonlyArray<Named>>(
    value === "" || isKnown ? null : `${makeSearchPath()}${queryOf({ q: value, per_page: 1 })}`
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
  /** Whose it is, for an operator, where it is chosen after its merchant. */
  readonly merchant?: string
}

/** A field with suggestions by name, whose value is the id of the chosen resource. */
export const Pick = ({ of, value, onValue, id, required = false, attributes = {}, merchant = "" }: PickProps) => {
  const [typed, setTyped] = useState("")
  const input = useRef<HTMLInputElement>(null)
  const { chosen, options } = useName(of, typed, value, merchant)
  const text = chosen === undefined ? value : formatNameAndId(chosen)
  useEffect(() => {
    if (input.current !== null && document.activeElement !== input.current) input.current.value = text
  }, [text])
  const choose = (given: string, isOver: boolean): void => {
    const known = [...options, ...(chosen === undefined ? [] : [chosen])].find((one) => formatNameAndId(one) === given)
    // A search for the text of what was chosen would find nothing, and the field would lose it.
    if (known === undefined) setTyped(given)
    const next = known?.id ?? (isId(given.trim()) ? given.trim() : "")
    input.current?.setCustomValidity(given.trim() === "" || next !== "" ? "" : t("Choose one of the list."))
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
        placeholder={"kinds" in sources[of] ? t("Reference or name") : t("Name")}
        onInput={({ currentTarget }) => choose(currentTarget.value, false)}
        onChange={({ currentTarget }) => choose(currentTarget.value, true)}
      />
      <datalist id={`${id}-list`}>
        {options.map((one) => (
          <option key={one.id} value={formatNameAndId(one)} />
        ))}
      </datalist>
    </>
  )
}

/** {@link Pick} as a field of a form: the request has the id. */
export const PickField = ({
  of,
  name,
  label,
  hint,
  required = false,
  value = "",
  onValue
}: FieldProps & { readonly of: Picked }) => {
  const field = useField(name, hint !== undefined)
  const { name: _, ...attributes } = field.attributes
  const [id, setId] = useState(value ?? "")
  const [merchant, setMerchant] = useState("")
  const isAfter = isChosenByMerchant(of)
  const own = `${field.id}-merchant`
  return (
    <>
      {isAfter && (
        <div class="field">
          <label for={own}>{t("Merchant of the {of}", { of: words(of).toLowerCase() })}</label>
          <Pick of="merchant" value={merchant} onValue={setMerchant} id={own} />
        </div>
      )}
      <Around label={label} hint={hint} required={required} field={field}>
        <Pick
          key={merchant}
          of={of}
          value={id}
          onValue={(chosen) => {
            setId(chosen)
            onValue?.(chosen)
          }}
          id={field.id}
          required={required}
          attributes={attributes}
          merchant={merchant}
        />
        <input type="hidden" name={name} value={id} />
      </Around>
    </>
  )
}
