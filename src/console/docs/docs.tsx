/** The documentation: guides and the reference of every operation, rendered from `/openapi.json`. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { LocationProvider, Route, Router, useLocation } from "preact-iso"
import { Layout, ThemeChoice } from "../frame/layout.tsx"
import { docsBase, loadReference, type ApiReference, makeDocsUrl } from "./document.ts"
import { EventTypePage } from "./event.tsx"
import { GuidePage, ReferenceOverview } from "./guide.tsx"
import { OperationPage } from "./operation.tsx"
import { SearchBox } from "./search-box.tsx"
import { listSearchEntries } from "./search.ts"
import { Titled } from "./text.tsx"

const Missing = () => (
  <>
    <Titled title="No such page" />
    <p>
      The address may be mistyped. Search above, or go to the <a href={makeDocsUrl("")}>first page</a>.
    </p>
  </>
)

const Navigation = ({ reference }: { readonly reference: ApiReference }) => {
  const { path } = useLocation()
  const current = (href: string) => (path === href ? ("page" as const) : undefined)
  return (
    <>
      {[...new Set(reference.guides.map(({ group }) => group))].map((shown, at) => (
        <div key={shown} class="nav-group">
          <p class="nav-title">{shown}</p>
          <ul>
            {reference.guides
              .filter(({ group }) => group === shown)
              .map(({ name, title }) => (
                <li key={name}>
                  <a href={makeDocsUrl(name)} aria-current={current(makeDocsUrl(name))}>
                    {title}
                  </a>
                </li>
              ))}
            {at === 0 && (
              <li>
                <a href={makeDocsUrl("errors")}>Error codes</a>
              </li>
            )}
          </ul>
        </div>
      ))}
      {(reference.spec["tags"] as ReadonlyArray<{ readonly name: string }>).map(({ name }) => {
        const shown = reference.operations.filter(({ tag }) => tag === name)
        const isCurrent = shown.some(({ id }) => path === makeDocsUrl(`operations/${id}`))
        return (
          <details key={name} class="nav-group" open={isCurrent}>
            <summary class="nav-title">{name}</summary>
            <ul>
              {shown.map(({ id, summary }) => (
                <li key={id}>
                  <a href={makeDocsUrl(`operations/${id}`)} aria-current={current(makeDocsUrl(`operations/${id}`))}>
                    {summary}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        )
      })}
      <details class="nav-group" open={path.startsWith(`${makeDocsUrl("events")}/`)}>
        <summary class="nav-title">Events</summary>
        <ul>
          {reference.events.map(({ type }) => (
            <li key={type}>
              <a href={makeDocsUrl(`events/${type}`)} aria-current={current(makeDocsUrl(`events/${type}`))}>
                {type}
              </a>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

const Pages = ({ reference }: { readonly reference: ApiReference }) => {
  const guide = ({ folder = "", name = "" }: { readonly folder?: string; readonly name?: string }) => {
    const shown = reference.guides.find((one) => one.name === `${folder}/${name}`)
    return shown === undefined ? <Missing /> : <GuidePage key={shown.name} guide={shown} />
  }
  const operation = ({ id = "" }: { readonly id?: string }) => {
    const shown = reference.operations.find((one) => one.id === id)
    return shown === undefined ? <Missing /> : <OperationPage key={id} reference={reference} operation={shown} />
  }
  const event = ({ type = "" }: { readonly type?: string }) => {
    const shown = reference.events.find((one) => one.type === type)
    return shown === undefined ? <Missing /> : <EventTypePage key={type} reference={reference} event={shown} />
  }
  return (
    <Router>
      <Route path={makeDocsUrl("")} component={() => <ReferenceOverview reference={reference} />} />
      <Route path={makeDocsUrl("operations/:id")} component={operation} />
      <Route path={makeDocsUrl("events/:type")} component={event} />
      <Route path={makeDocsUrl(":folder/:name")} component={guide} />
      <Route default component={Missing} />
    </Router>
  )
}

const Search = ({ reference }: { readonly reference: ApiReference }) => {
  const { route } = useLocation()
  const entries = useMemo(() => listSearchEntries(reference), [reference])
  return (
    <SearchBox
      entries={entries}
      placeholder="Search operations, events, guides, errors"
      open={({ href, kind }) => {
        if (kind === "Error") return location.assign(href)
        route(href)
        // A heading of the page that is shown. Another page scrolls to it itself, once it is there.
        document.getElementById(href.split("#")[1] ?? "")?.scrollIntoView()
      }}
    />
  )
}

const Frame = ({ reference }: { readonly reference: ApiReference }) => {
  const { path, route } = useLocation()
  // Addresses of earlier versions: `/docs#createTransfer`.
  useEffect(() => {
    const id = location.hash.slice(1)
    if (path === makeDocsUrl("") && reference.operations.some((one) => one.id === id))
      route(makeDocsUrl(`operations/${id}`), true)
  }, [])
  return (
    <Layout
      class="docs"
      name="Corridor API"
      home={makeDocsUrl("")}
      header={<Search reference={reference} />}
      label="Documentation"
      navigation={
        <>
          <Navigation reference={reference} />
          <div class="display">
            <ThemeChoice />
          </div>
        </>
      }
    >
      <Pages reference={reference} />
    </Layout>
  )
}

/** The server makes the pages of errors, so that they can be read without a script, and the Markdown of each page. */
const scope = new RegExp(`^${docsBase.slice(0, -1)}(?!/errors|.*\\.(?:md|txt)$)(?:/|$)`)

export const Docs = () => {
  const [reference, setReference] = useState<ApiReference | undefined>()
  const [failure, setFailure] = useState("")
  useEffect(() => {
    loadReference().then(setReference, (error: unknown) => setFailure(String(error)))
  }, [])
  if (reference !== undefined)
    return (
      <LocationProvider scope={scope}>
        <Frame reference={reference} />
      </LocationProvider>
    )
  return (
    <main class="sign-in" id="main">
      <h1>Corridor API</h1>
      <p role="status">
        {failure === "" ? "Reading the API document…" : `The API document cannot be read: ${failure}. Reload the page.`}
      </p>
    </main>
  )
}
