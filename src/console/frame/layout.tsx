/** The layout of every page: a header, the navigation, which a phone shows on request, and the page. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { language, languages, readPreferredLanguage, t } from "./language.ts"
import { storeChoice } from "./stored.ts"
import { theme, type Theme } from "./settings.ts"
import { Announcements } from "./announce.tsx"

export interface LayoutProps {
  /** The name beside the mark, and where it leads. */
  readonly name: string
  readonly home: string
  readonly header: ComponentChildren
  readonly navigation: ComponentChildren
  /** What the navigation is called. */
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}

export const Layout = ({ name, home, header, navigation, label, class: more = "", children }: LayoutProps) => {
  const [isOpen, setOpen] = useState(false)
  const { url } = useLocation()
  useEffect(() => setOpen(false), [url])
  return (
    <div class={["shell", more, isOpen ? "open" : ""].filter((one) => one !== "").join(" ")}>
      <a class="skip" href="#main">
        {t("Skip to the page")}
      </a>
      <header class="top">
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          {t("Menu")}
        </button>
        <a class="brand" href={home}>
          <span class="brand-mark" aria-hidden="true" /> {name}
        </a>
        {header}
      </header>
      {/* A link to the page that is shown leads to it too: on a phone the navigation covers it. */}
      <nav
        id="navigation"
        class="side"
        aria-label={label}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest("a") !== null) setOpen(false)
        }}
      >
        {navigation}
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Announcements />
    </div>
  )
}

/** The choice of a language. It loads the page again, in a console of that language. */
export const LanguageChoice = () => (
  <label>
    {t("Language")}
    <select
      value={language}
      onChange={({ currentTarget }) => {
        storeChoice("corridor.language", currentTarget.value, readPreferredLanguage())
        location.reload()
      }}
    >
      {Object.entries(languages).map(([code, { name }]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  </label>
)

export const ThemeChoice = () => (
  <label>
    {t("Theme")}
    <select value={theme.value} onChange={({ currentTarget }) => (theme.value = currentTarget.value as Theme)}>
      <option value="auto">{t("Auto")}</option>
      <option value="light">{t("Light")}</option>
      <option value="dark">{t("Dark")}</option>
    </select>
  </label>
)
