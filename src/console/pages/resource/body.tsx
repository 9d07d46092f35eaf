/** The members of a resource's body, as a person reads them. */
import type { ComponentChildren } from "preact"
import { t } from "../../frame/language.ts"
import { Id, NamedResource } from "../../parts/id.tsx"
import { formatDecimal, Money } from "../../parts/money.tsx"
import { Facts } from "../../parts/page.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { NameMatchPill } from "../merchant/beneficiaries.tsx"

type Body = Readonly<Record<string, unknown>>

/** Whether a value is the id of a resource: a prefix and a ULID. */
const isId = (value: string): boolean => /^[a-z]{2,7}_[0-9a-z]{26}$/i.test(value)

/** Finds the currency of an amount, in the member beside it. */
const findCurrency = (body: Body, name: string): string | undefined => {
  const side = /^(source|destination|(?:quoted_)?received)_amount$/.exec(name)?.[1]
  const member = side === undefined ? "currency" : `${side === "source" ? side : "destination"}_currency`
  const found = body[member]
  return typeof found === "string" ? found : undefined
}

const isObject = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value)

/** How ids are shown: as links, and by the names of what they name. */
interface Naming {
  readonly link?: boolean
  readonly titles?: ReadonlyMap<string, string | null>
}

const formatMember = (body: Body, name: string, value: unknown, { link = true, titles }: Naming): ComponentChildren => {
  if (value === null || value === undefined || value === "") return null
  if (typeof value === "boolean") return value ? t("Yes") : t("No")
  if (typeof value === "number") return String(value)
  if (Array.isArray(value) && typeof value[0] === "string") return value.map(words).join(", ")
  // An address is one line.
  if (name === "address" && isObject(value)) return Object.values(value).filter(Boolean).join(", ")
  if (typeof value !== "string") return null
  if (/_at$|_until$|_since$/.test(name)) return <Time at={value} exact />
  if (name === "name_match") return <NameMatchPill of={value} />
  if (name === "status" || name.endsWith("_status")) return <StatusPill status={value} />
  if (/(?:^|_)rate$/.test(name)) return formatDecimal(value)
  const currency = name.endsWith("amount") ? findCurrency(body, name) : undefined
  if (currency !== undefined) return <Money amount={value} currency={currency} />
  if (isId(value) && typeof titles?.get(value) === "string")
    return <NamedResource id={value} title={titles.get(value)} />
  if (isId(value)) return <Id id={value} brief {...(link ? {} : { href: null })} />
  return value
}

const skipped = new Set(["id", "created_at", "updated_at", "source_currency", "destination_currency", "currency"])

/** Objects in a body of which people know the members. Others are in the JSON. */
const nested = new Set([
  "customer",
  "beneficiary",
  "payment_instrument",
  "details",
  "deposit_instruction",
  "provider",
  "profile"
])

type Value = readonly [string, ComponentChildren]

const listFacts = (part: Body, naming: Naming, isInner = false): ReadonlyArray<Value> =>
  Object.entries(part)
    .filter(
      ([name]) =>
        (isInner && !/^(?:created|updated)_at$/.test(name)) ||
        !skipped.has(name) ||
        (name === "currency" && !("amount" in part))
    )
    .map(([name, value]) => [words(name), formatMember(part, name, value, naming)])

/** The members of a body, those of inner objects under headings of their own, and all of it as JSON. */
export const BodyFacts = ({ body, ...naming }: Naming & { readonly body: Body }) => (
  <>
    <Facts of={listFacts(body, naming)} />
    {Object.entries(body)
      .filter(
        ([name, value]) => isObject(value) && (nested.has(name) || name === "metadata") && Object.keys(value).length > 0
      )
      .map(([name, value]) => (
        <section key={name}>
          <h3 class="part">{words(name)}</h3>
          <Facts of={listFacts(value as Body, naming, true)} />
        </section>
      ))}
    <details class="json">
      <summary>{t("Body as JSON")}</summary>
      <pre tabIndex={0}>{JSON.stringify(body, null, 2)}</pre>
    </details>
  </>
)
