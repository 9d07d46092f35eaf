/** The script of the documentation site. Its pages are complete without: the script adds search, theme and the menu of phones. */
import { render } from "preact"
import { useState } from "preact/hooks"
import "../style/base.css"
import "../style/shell.css"
import "../style/parts.css"
import "../style/machine.css"
import "../docs/docs.css"
import "./site.css"
import { SearchBox } from "../docs/search-box.tsx"
import { addCopyButtons } from "../docs/code.tsx"
import type { Entry } from "../docs/search.ts"
import { Announcements } from "../frame/announce.tsx"
import { ThemeChoice } from "../frame/layout.tsx"

/** The folder of the site: it may be served under any path. */
const base = new URL(".", import.meta.url)

let reading: Promise<ReadonlyArray<Entry>> | undefined

const Search = () => {
  const [entries, setEntries] = useState<ReadonlyArray<Entry>>([])
  return (
    <SearchBox
      entries={entries}
      placeholder="Search"
      open={({ href }) => location.assign(new URL(href, base))}
      onFocus={() => {
        reading ??= fetch(new URL("search.json", base)).then((response) => response.json())
        // Without the index nothing is found, and the next focus reads it again.
        reading.then(setEntries, () => (reading = undefined))
      }}
    />
  )
}

render(<Search />, document.getElementById("site-search")!)
render(<ThemeChoice />, document.getElementById("site-theme")!)
render(<Announcements />, document.getElementById("site-announcements")!)
addCopyButtons(document.getElementById("main")!)

const menu = document.querySelector<HTMLButtonElement>("button.menu")!
menu.hidden = false
menu.addEventListener("click", () => {
  const isOpen = document.querySelector(".shell")!.classList.toggle("open")
  menu.setAttribute("aria-expanded", String(isOpen))
})
document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest" })
