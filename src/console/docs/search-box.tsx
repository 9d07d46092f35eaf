/** The search field, with its results below it. `/` focuses it; arrows choose, Enter opens. */
import { useEffect, useRef, useState } from "preact/hooks"
import { type Entry, cutExcerpt, findHits } from "./search.ts"

export interface SearchBoxProps {
  readonly entries: ReadonlyArray<Entry>
  readonly placeholder: string
  /** Shows the entry that was chosen. */
  readonly open: (entry: Entry) => void
  /** Called when the field gets the focus. */
  readonly onFocus?: () => void
}

export const SearchBox = ({ entries, placeholder, open: show, onFocus }: SearchBoxProps) => {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState(0)
  const results = findHits(entries, text)
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const { tagName } = event.target as HTMLElement
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return
      if (/^(?:INPUT|TEXTAREA|SELECT)$/.test(tagName)) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener("keydown", focus)
    return () => document.removeEventListener("keydown", focus)
  }, [])

  const open = (at: number): void => {
    const entry = results[at]
    if (entry === undefined) return
    setText("")
    show(entry)
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setChosen(Math.min(chosen + 1, results.length - 1)),
    ArrowUp: () => setChosen(Math.max(chosen - 1, 0)),
    Enter: () => open(chosen),
    Escape: () => setText("")
  }
  const isOpen = text.trim() !== ""
  return (
    <div class="search" role="search">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Search the documentation"
        aria-keyshortcuts="/"
        aria-expanded={isOpen}
        aria-controls="results"
        aria-activedescendant={isOpen && results.length > 0 ? `result-${chosen}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        placeholder={placeholder}
        onFocus={onFocus}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          const act = keys[event.key]
          if (act === undefined || !isOpen) return
          event.preventDefault()
          act()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <div id="results" class="results" role="listbox" aria-label="Results" hidden={!isOpen}>
        {results.map((entry, at) => {
          const { href, kind, title } = entry
          const excerpt = cutExcerpt(entry, text)
          return (
            <a
              key={href}
              id={`result-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === chosen}
              href={href}
              onClick={(event) => {
                event.preventDefault()
                open(at)
              }}
            >
              <strong>{title}</strong> <span class="dim">{kind}</span>
              {excerpt !== "" && <span class="excerpt">{excerpt}</span>}
            </a>
          )
        })}
        {results.length === 0 && (
          <p role="option" aria-selected="false" class="dim">
            Nothing has all of these words.
          </p>
        )}
      </div>
    </div>
  )
}
