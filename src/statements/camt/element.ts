/** Elements of a camt message: what is kept of them while an entry or a header is read. */
import { quote } from "../text.ts"
import { UnreadableStatement } from "../statement.ts"

export interface Element {
  readonly name: string
  /** The attribute `Ccy`. */
  readonly currency: string | undefined
  readonly parent: Element | undefined
  /** Which one it is among those of its name, from 1. */
  readonly position: number
  readonly line: number
  /** How many elements were kept when it began: those that are dropped with it count no more. */
  readonly before: number
  text: string
  readonly children: Array<Element>
  /** How many children of each name have begun. */
  readonly counts: Map<string, number>
}

/** Elements that occur several times: their place has a number. */
const repeated = new Set(["Stmt", "Rpt", "Ntfctn", "Ntry", "NtryDtls", "TxDtls", "Bal"])

const describePath = ({ name, parent, position }: Element): string => {
  const step = repeated.has(name) ? `${name}[${position}]` : name
  return parent === undefined ? step : `${describePath(parent)}/${step}`
}

/** Describes the place of an element, or of one that is missing below it, for an error. */
export const describePlace = (element: Element, below = ""): string =>
  `${describePath(element)}${below === "" ? "" : `/${below}`}, line ${element.line}`

/** Finds the first element at a path of names below another. */
export const findElement = (element: Element | undefined, path: string): Element | undefined => {
  let found = element
  for (const name of path.split("/")) found = found?.children.find((child) => child.name === name)
  return found
}

/** Reads the text at the first of the paths that has one. */
export const readTextAt = (element: Element | undefined, ...paths: ReadonlyArray<string>): string | null => {
  for (const path of paths) {
    const text = findElement(element, path)?.text.trim() ?? ""
    if (text !== "") return text
  }
  return null
}

export const listChildren = (element: Element | undefined, name: string): ReadonlyArray<Element> =>
  element?.children.filter((child) => child.name === name) ?? []

/** Counts an element and all elements below it. */
export const countElements = ({ children }: Element): number =>
  children.reduce((sum, child) => sum + countElements(child), 1)

/** Refuses a second element of a name that may occur once, in any namespace: the first would be taken for both. */
export const checkOnce = (element: Element, ...names: ReadonlyArray<string>): void => {
  const twice = names.find((name) => (element.counts.get(name) ?? 0) > 1)
  if (twice !== undefined) throw new UnreadableStatement(describePlace(element, twice), `<${twice}> twice`, "one")
}

/** Makes the error about an element, or about one that is missing below it. */
export const makeElementError = (element: Element, below: string, taken: string): UnreadableStatement => {
  const found = below === "" ? element : findElement(element, below)
  return found === undefined
    ? new UnreadableStatement(describePlace(element, below), "nothing", taken)
    : new UnreadableStatement(describePlace(found), quote(found.text.trim()), taken)
}
