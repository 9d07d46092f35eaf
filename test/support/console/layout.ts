/** The layout of a page without its texts: what stands in it, in its order, and in which twelfths of the screen. */
import type { Page } from "playwright-core"
import { awaitSettled } from "./pages.ts"

/**
 * A line for each part that is seen: headings, filters with their fields, notices with their tone, cards, tables with their columns (`r`: a
 * number) and the most acts of a row, and acts of the page. Fonts change no line.
 */
const partsOf = `(() => {
  const isSeen = (one) => one.checkVisibility() && one.getBoundingClientRect().width > 0
  const placeOf = (one) => {
    const { left, right } = one.getBoundingClientRect()
    return [left, right].map((at) => Math.round((12 * at) / innerWidth)).join("-")
  }
  const acts = (one) => [...one.querySelectorAll("button:not(.copy)")].filter(isSeen).length
  const ownActs = (one) => [...one.querySelectorAll("button:not(.copy)")].filter((button) => isSeen(button) && !button.closest("td")).length
  const lines = {
    H1: () => "h1",
    H2: () => "h2",
    TABLE: (one) => {
      const columns = [...one.querySelectorAll("thead th")].map((th) => (th.classList.contains("number") ? "r" : "l")).join("")
      const rows = [...one.querySelectorAll("tbody tr")]
      const isCards = rows.length > 0 && getComputedStyle(rows[0]).display === "grid"
      return (isCards ? "cards " : "table ") + placeOf(one) + " " + columns + " acts " + Math.max(0, ...rows.map(acts))
    },
    DETAILS: () => "fold"
  }
  const byClass = {
    "page-head": (one) => "head acts " + acts(one),
    filters: (one) => "filters " + one.querySelectorAll("input, select").length,
    notice: (one) => "notice " + [...one.classList].filter((name) => name !== "notice").join(".") + " acts " + acts(one),
    counts: (one) => "counts " + one.children.length,
    card: (one) => "card " + placeOf(one) + " acts " + ownActs(one),
    field: () => "field",
    timeline: () => "timeline"
  }
  const found = []
  for (const one of document.querySelectorAll("main *")) {
    if (!isSeen(one) || one.closest("td, .timeline .timeline, .timeline details")) continue
    const name = Object.keys(byClass).find((name) => one.classList.contains(name))
    const line = name !== undefined ? byClass[name] : lines[one.tagName]
    if (line !== undefined) found.push(line(one))
  }
  return found
})()`

export const layoutOf = async (page: Page, width: number): Promise<ReadonlyArray<string>> => {
  await page.setViewportSize({ width, height: 900 })
  await awaitSettled(page)
  // A screen takes its new size a moment later.
  await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))")
  return page.evaluate(partsOf)
}
