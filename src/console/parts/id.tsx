/** Identifiers: monospaced, with a button that copies them. */
import { useState } from "preact/hooks"
import { announce } from "../frame/announce.tsx"
import { to } from "../frame/base.ts"
import { session } from "../frame/session.ts"

export const short = (id: string): string => (id.length <= 20 ? id : `${id.slice(0, 9)}…${id.slice(-6)}`)

/** Copies a text. `navigator.clipboard` is missing where the page is not served over HTTPS. */
const copied = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [state, setState] = useState<"" | "copied" | "failed">("")
  const copy = async (): Promise<void> => {
    const done = await copied(text)
    setState(done ? "copied" : "failed")
    announce(done ? `Copied ${what}.` : `The browser does not allow copying here. Select the text instead.`)
    setTimeout(() => setState(""), 2000)
  }
  return (
    <button type="button" class="copy" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={() => void copy()}>
      {state === "copied" ? "✓" : state === "failed" ? "!" : <span class="copy-sign" aria-hidden="true" />}
    </button>
  )
}

export interface IdProps {
  readonly id: string
  /** The page to which it leads. Default: that of the resource; `null`: it is no link. */
  readonly href?: string | null
  /** Shows the beginning and the end only. */
  readonly brief?: boolean
  readonly copy?: boolean
}

/** The page of a resource: an operator's, or a merchant's where there is one. */
export const pageOf = (id: string): string | null => {
  const name = encodeURIComponent(id)
  if (id.startsWith("bat_")) return to(`/batches/${name}`)
  if (session.value?.type === "operator") return to(id.startsWith("mer_") ? `/merchants/${name}` : `/resources/${name}`)
  if (/^(?:onr|ofr|con|tfr|txn)_/.test(id)) return to(`/movements/${name}`)
  if (id.startsWith("ben_")) return to(`/beneficiaries/${name}`)
  if (id.startsWith("wal_")) return to(`/wallets/${name}`)
  return id.startsWith("cust_") ? to(`/customers/${name}`) : null
}

export const Id = ({ id, href = pageOf(id), brief = false, copy = !brief }: IdProps) => {
  const text = (
    <code class="id" title={brief ? id : undefined}>
      {brief ? short(id) : id}
    </code>
  )
  return (
    <span class="id-group">
      {href === null ? text : <a href={href}>{text}</a>}
      {copy && <Copy text={id} what={id} />}
    </span>
  )
}
