/** What surrounds every page: navigation, search, who is signed in, and how it is displayed. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso"
import type { PageRoute } from "../routes.tsx"
import { formatNumber, t } from "./language.ts"
import { words } from "../parts/text.ts"
import { base, to } from "./base.ts"
import { LanguageChoice, Layout, ThemeChoice } from "./layout.tsx"
import { operatorMay, type SignedIn, signOut } from "./session.ts"
import { zone } from "./settings.ts"
import { useWaiting } from "./waiting.tsx"

const Environment = ({ environment }: { readonly environment: SignedIn["environment"] }) => (
  <strong
    class={`environment ${environment}`}
    title={environment === "test" ? t("No real money moves") : t("Real money moves")}
  >
    {environment.toUpperCase()}
  </strong>
)

/** Finds the page that the navigation marks: the longest path that begins the current one. */
const findCurrentPage = (pages: ReadonlyArray<PageRoute>, path: string): string | undefined =>
  pages
    .map((page) => page.path)
    .filter((one) => path === one || (one !== "/" && path.startsWith(`${one}/`)))
    .sort((a, b) => b.length - a.length)[0]

const Navigation = ({ pages, session }: Pick<ShellProps, "pages" | "session">) => {
  const { path } = useLocation()
  const waiting = useWaiting(session).value ?? 0
  const shown = pages.filter(({ label, least }) => label !== undefined && (least === undefined || operatorMay(least)))
  const current = findCurrentPage(shown, path.slice(base.length) || "/")
  const groups = [...new Set(shown.map(({ group = "" }) => group))]
  return (
    <>
      {groups.map((group) => (
        <div key={group} class="nav-group">
          {group !== "" && <p class="nav-title">{group}</p>}
          <ul>
            {shown
              .filter((page) => (page.group ?? "") === group)
              .map((page) => (
                <li key={page.path}>
                  <a href={to(page.path)} aria-current={page.path === current ? "page" : undefined}>
                    {page.label}
                    {page.path === "/approvals" && waiting > 0 && (
                      <span
                        class="badge"
                        title={t("{count} approval waiting for you|{count} approvals waiting for you", {
                          count: waiting
                        })}
                      >
                        {formatNumber(waiting)}
                      </span>
                    )}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  )
}

/** The search field; `/` focuses it from anywhere. */
const Search = () => {
  const field = useRef<HTMLInputElement>(null)
  const { query, route } = useLocation()
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      if (document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener("keydown", focus)
    return () => document.removeEventListener("keydown", focus)
  }, [])
  return (
    <form
      class="search"
      role="search"
      aria-label={t("Everything")}
      onSubmit={(event) => {
        event.preventDefault()
        const q = field.current?.value.trim() ?? ""
        if (q !== "") route(to("/search", { q }))
      }}
    >
      <input
        ref={field}
        type="search"
        name="q"
        aria-label={t("Search")}
        aria-keyshortcuts="/"
        placeholder={t("Search: id, reference, hash, name, email, amount")}
        value={query["q"] ?? ""}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  )
}

const Display = () => (
  <div class="display">
    <ThemeChoice />
    <LanguageChoice />
    <label>
      {t("Times")}
      <select
        value={zone.value}
        onChange={({ currentTarget }) => (zone.value = currentTarget.value as "local" | "utc")}
      >
        <option value="local">{t("Local")}</option>
        <option value="utc">UTC</option>
      </select>
    </label>
  </div>
)

export interface ShellProps {
  readonly session: SignedIn
  readonly pages: ReadonlyArray<PageRoute>
  readonly children: ComponentChildren
}

export const Shell = ({ session, pages, children }: ShellProps) => (
  <Layout
    name="Corridor"
    home={to("/")}
    header={
      <>
        <Environment environment={session.environment} />
        <Search />
      </>
    }
    label={t("Console")}
    navigation={
      <>
        <Navigation pages={pages} session={session} />
        <div class="account">
          <p>
            <strong>{session.type === "merchant" ? (session.merchant_name ?? session.name) : session.name}</strong>
            <span class="dim">
              {session.type === "merchant" ? session.name : t("Operator")} · {words(session.role)}
            </span>
          </p>
          <button type="button" class="plain" onClick={() => void signOut()}>
            {t("Sign out")}
          </button>
          <Display />
          <p class="dim version">{t("Corridor {server_version}", { server_version: session.server_version })}</p>
        </div>
      </>
    }
  >
    {children}
  </Layout>
)
