/** The machine of a resource, drawn: its present state is lit, and the path that it took is numbered. */
import type { TimelineTransition } from "../../../client/generated/resources.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import { t } from "../../frame/language.ts"
import { assetUrl } from "../../frame/base.ts"
import { words } from "../../parts/text.ts"

/** The folder of the drawings, set by the build. */
declare const MACHINES: string

const drawings = new Map<string, Promise<Element | undefined>>()

/** Fetches a drawing of a lifecycle. It is static, so it is fetched once; after a failure, the next page fetches it again. */
const fetchDrawing = (kind: string, version: string): Promise<Element | undefined> => {
  const name = `${MACHINES}/${encodeURIComponent(kind)}.${encodeURIComponent(version)}.svg`
  const known = drawings.get(name)
  if (known !== undefined) return known
  const found = fetch(assetUrl(name))
    .then(async (response) =>
      response.ok ? new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement : undefined
    )
    .catch(() => undefined)
  drawings.set(name, found)
  void found.then((drawing) => drawing === undefined && drawings.delete(name))
  return found
}

const highlightPath = (svg: Element, state: string, path: ReadonlyArray<TimelineTransition>): void => {
  // The first state may be left at once: the first transition then names the one that follows.
  const entry = svg.querySelector("[data-state] > .entry")?.parentElement?.getAttribute("data-state") ?? ""
  const begun = path.map((step) => (step.from === null && step.to !== entry ? { ...step, from: entry } : step))
  const visited = new Set(begun.flatMap(({ from, to }) => (from === null ? [to] : [from, to])))
  for (const node of svg.querySelectorAll("[data-state]")) {
    const name = node.getAttribute("data-state") ?? ""
    node.classList.toggle("current", name === state)
    node.classList.toggle("taken", visited.has(name))
  }
  const steps = new Map<string, Array<number>>()
  begun.forEach(({ from, to }, at) => {
    const key = `${from ?? ""}>${to}`
    steps.set(key, [...(steps.get(key) ?? []), at + 1])
  })
  for (const edge of svg.querySelectorAll("[data-edge]")) {
    const taken = steps.get(edge.getAttribute("data-edge") ?? "")
    edge.classList.toggle("taken", taken !== undefined)
    const label = edge.querySelector("text")
    if (label !== null) label.textContent = taken === undefined ? "" : `${taken[0]}${taken.length > 1 ? "+" : ""}`
  }
}

export interface DrawingProps {
  readonly kind: string
  readonly version: string
  readonly state: string
  /** In order. */
  readonly path: ReadonlyArray<TimelineTransition>
}

export const Drawing = ({ kind, version, state, path }: DrawingProps) => {
  const place = useRef<HTMLDivElement>(null)
  const [svg, setSvg] = useState<Element | undefined | null>(null)
  useEffect(() => {
    let isLeft = false
    void fetchDrawing(kind, version).then((drawing) => {
      if (!isLeft) setSvg(drawing === undefined ? undefined : (document.importNode(drawing, true) as Element))
    })
    return () => {
      isLeft = true
    }
  }, [kind, version])
  useEffect(() => {
    if (svg instanceof Element) place.current?.replaceChildren(svg)
  }, [svg])
  useEffect(() => {
    if (svg instanceof Element) highlightPath(svg, state, path)
  }, [svg, state, path])
  return (
    <figure class="drawing">
      {svg === undefined ? (
        <p class="dim">{t("There is no drawing of version {version} of this machine.", { version })}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={t("Drawing of the lifecycle")} ref={place} />
      )}
      <figcaption>
        <details>
          <summary>
            {t("The path as text: {count} step, now {state}|The path as text: {count} steps, now {state}", {
              count: path.length,
              state: words(state)
            })}
          </summary>
          <ol>
            {path.map(({ from, to, event, version: step }) => (
              <li key={step}>
                {from === null
                  ? t("Begun as {to}", { to: words(to) })
                  : from === to
                    ? t("Stayed {to}", { to: words(to) })
                    : `${words(from)} → ${words(to)}`}{" "}
                <code>{event}</code>
              </li>
            ))}
          </ol>
        </details>
      </figcaption>
    </figure>
  )
}
