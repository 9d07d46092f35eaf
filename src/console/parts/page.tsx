/** The frame of a page: its heading, title, actions, and cards. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso"

let isFirst = true

export interface PageProps {
  readonly title: string
  /** Shown instead of `title` in the heading, where it needs more than text. */
  readonly heading?: ComponentChildren
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export const Page = ({ title, heading, lead, actions, children }: PageProps) => {
  const focus = useRef<HTMLHeadingElement>(null)
  const { path } = useLocation()
  useEffect(() => {
    document.title = `${title} · Corridor`
  }, [title])
  useEffect(() => {
    // After a navigation the reading position is the new page, except where it loads for the first time.
    if (!isFirst) focus.current?.focus({ preventScroll: true })
    isFirst = false
  }, [path])
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1} ref={focus}>
            {heading ?? title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export const Card = ({
  title,
  actions,
  children,
  flush = false,
  isFolded = false
}: {
  readonly title?: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  /** Without padding, for tables. */
  readonly flush?: boolean
  /** Its title alone, until it is opened. */
  readonly isFolded?: boolean
}) => {
  const name = flush ? "card flush" : "card"
  return isFolded ? (
    <details class={name}>
      <summary class="card-head">
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  ) : (
    <section class={name}>
      {title !== undefined && (
        <header class="card-head">
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

/** Whether the window is so narrow that a row of a table is a card, and columns are stacked: the width of the stylesheet. */
export const isNarrow = (): boolean => window.matchMedia("(max-width: 52rem)").matches

/** A list of names with their values. Absent values are left out. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [string, ComponentChildren]> }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
