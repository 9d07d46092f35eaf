/** The keys of a list: j and k take a row from anywhere on the page, and the key of an act opens it for the row. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

const moveByKey = (event: KeyboardEvent, list: HTMLElement): void => {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select") !== null) return
  if (document.querySelector("dialog[open]") !== null) return
  // Elsewhere on the page, arrows scroll it.
  const step = event.key.length > 1 && !list.contains(target) ? undefined : steps[event.key]
  const rows = [...list.querySelectorAll<HTMLElement>("tbody tr")]
  const at = rows.indexOf(target.closest("tr")!)
  const chosen = step === undefined ? rows[at] : rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]
  if (step !== undefined && chosen !== undefined) {
    event.preventDefault()
    chosen.tabIndex = -1
    chosen.focus()
    return
  }
  const button = chosen?.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`)
  if (button === null || button === undefined) return
  event.preventDefault()
  button.click()
}

/** Keeps the focus in the list when the focused row is removed, as a resolved one is: the row in its place gets the focus. */
const keepFocus = (list: HTMLElement): (() => void) => {
  const rowsOf = (): ReadonlyArray<HTMLElement> => [...list.querySelectorAll<HTMLElement>("tbody tr")]
  let row: HTMLElement | null = null
  let at = 0
  const hold = ({ target }: FocusEvent): void => {
    row = (target as HTMLElement).closest("tr")
    at = row === null ? 0 : rowsOf().indexOf(row)
  }
  const leave = ({ relatedTarget }: FocusEvent): void =>
    // Who leaves the list by a click leaves a row that is still there.
    queueMicrotask(() => {
      if (relatedTarget === null && row?.isConnected === true && document.activeElement === document.body) row = null
    })
  const observer = new MutationObserver(() => {
    if (row === null || row.isConnected || document.activeElement !== document.body) return
    const rows = rowsOf()
    const next = rows[Math.min(at, rows.length - 1)] ?? list
    next.tabIndex = -1
    next.focus({ preventScroll: true })
  })
  list.addEventListener("focusin", hold)
  list.addEventListener("focusout", leave)
  observer.observe(list, { childList: true, subtree: true })
  return () => {
    list.removeEventListener("focusin", hold)
    list.removeEventListener("focusout", leave)
    observer.disconnect()
  }
}

/** Keyboard navigation of the rows in `children`, a list. A page has one. */
export const RowKeys = ({ children }: { readonly children: ComponentChildren }) => {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (list.current !== null) moveByKey(event, list.current)
    }
    document.addEventListener("keydown", listen)
    const forget = list.current === null ? undefined : keepFocus(list.current)
    return () => {
      document.removeEventListener("keydown", listen)
      forget?.()
    }
  }, [])
  return <div ref={list}>{children}</div>
}
