/** Identifiers: monospaced, with a button that copies them. */
import { isOperator } from "../frame/session.ts"
import { to } from "../frame/base.ts"
import { Copy } from "./copy.tsx"

export const shortenId = (id: string): string => (id.length <= 20 ? id : `${id.slice(0, 9)}…${id.slice(-6)}`)

export interface IdProps {
  readonly id: string
  /** The page to which it leads. Default: that of the resource; `null`: it is no link. */
  readonly href?: string | null
  /** Shows the beginning and the end only. */
  readonly brief?: boolean
  readonly copy?: boolean
}

/** Finds the URL of a resource's page: an operator's, or a merchant's if there is one. */
export const findPageUrl = (id: string): string | null => {
  const name = encodeURIComponent(id)
  if (id.startsWith("bat_")) return to(`/batches/${name}`)
  if (id.startsWith("cust_")) return to(`/customers/${name}`)
  if (isOperator()) return to(id.startsWith("mer_") ? `/merchants/${name}` : `/resources/${name}`)
  if (/^(?:onr|ofr|con|tfr|txn)_/.test(id)) return to(`/movements/${name}`)
  if (id.startsWith("ben_")) return to(`/beneficiaries/${name}`)
  return id.startsWith("wal_") ? to(`/wallets/${name}`) : null
}

export const Id = ({ id, href = findPageUrl(id), brief = false, copy = !brief }: IdProps) => {
  const text = (
    <code class="id" title={brief ? id : undefined}>
      {brief ? shortenId(id) : id}
    </code>
  )
  return (
    <span class="id-group">
      {href === null ? text : <a href={href}>{text}</a>}
      {copy && <Copy text={id} what={id} />}
    </span>
  )
}

/** A resource's name, with its id in the tooltip; its id if it has no name. */
export const NamedResource = ({ id, title }: { readonly id: string; readonly title: string | null | undefined }) => {
  const href = findPageUrl(id)
  if (title === null || title === undefined) return <Id id={id} brief copy />
  return href === null ? (
    <span title={id}>{title}</span>
  ) : (
    <a href={href} title={id}>
      {title}
    </a>
  )
}
