/** Reads for components: what was loaded, what went wrong, and later states while the page is looked at. */
import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { type Answer, type ApiError, call, callPages, isSameAnswer, toApiError } from "./api.ts"

/** All pages poll in turn: at most one request starts in this time. */
const turnMs = 1000
const longestMs = 60_000

interface Poller {
  readonly every_ms: number
  wait_ms: number
  due: number
  busy: boolean
  readonly run: () => Promise<"changed" | "same" | "failed">
}

const pollers = new Set<Poller>()
let timer: ReturnType<typeof setInterval> | undefined

/** Computes the time until the next poll: longer after an unchanged answer or a failure, short again after a change. */
const computeWait = (poller: Poller, outcome: "changed" | "same" | "failed"): number => {
  if (outcome === "changed") return poller.every_ms
  if (outcome === "same") return Math.min(poller.wait_ms * 1.25, poller.every_ms * 4)
  return Math.min(poller.wait_ms * 2, Math.max(longestMs, poller.every_ms))
}

const runPollers = (): void => {
  // Nothing moves behind an open dialog: what it is about would disappear, with what was typed.
  if (document.visibilityState !== "visible" || document.querySelector("dialog[open]") !== null) return
  const now = performance.now()
  const [next] = [...pollers].filter(({ busy, due }) => !busy && due <= now).sort((a, b) => a.due - b.due)
  if (next === undefined) return
  next.busy = true
  void next.run().then((outcome) => {
    next.wait_ms = computeWait(next, outcome)
    next.due = performance.now() + next.wait_ms
    next.busy = false
  })
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return
  for (const poller of pollers) poller.due = Math.min(poller.due, performance.now())
})

const startPolling = (poller: Poller): (() => void) => {
  pollers.add(poller)
  timer ??= setInterval(runPollers, turnMs)
  return () => {
    pollers.delete(poller)
    if (pollers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** What the page shows now. */
const shown = new Set<() => void>()

/** Reads again everything that the page shows, after an act. */
export const reloadShown = (): void => {
  for (const read of shown) read()
}

export interface LoadedAnswer<A> {
  readonly answer: ReadonlySignal<Answer<A> | undefined>
  readonly error: ReadonlySignal<ApiError | undefined>
  /** A request for other data than is shown is on its way. */
  readonly loading: ReadonlySignal<boolean>
  /** Asks again, at once. */
  readonly reload: () => void
}

export interface LoadOptions {
  /** Seconds between reads while the page is visible. Default: it is read once. */
  readonly every?: number | undefined
  /** The most pages of a list that are read as one. Default: 1. */
  readonly pages?: number
  /** Whether an act leaves it as it is: it is read after something else that the act changes. */
  readonly isLater?: boolean
}

const cutQuery = (path: string | null): string => path?.split("?")[0] ?? ""

/**
 * Reads a path of the API, and again when the path changes. `null` reads nothing. While only the query changes, the earlier data
 * stays; another path begins without data.
 */
export const useLoad = <A>(
  path: string | null,
  { every, pages = 1, isLater = false }: LoadOptions = {}
): LoadedAnswer<A> => {
  const state = useMemo(() => {
    const answer = signal<Answer<A> | undefined>(undefined)
    const error = signal<ApiError | undefined>(undefined)
    const loading = signal(path !== null)
    return { answer, error, loading, shown: "", latest: 0, reload: () => {} }
  }, [])
  useEffect(() => {
    const { answer, error, loading } = state
    const aborter = new AbortController()
    if (cutQuery(path) !== state.shown) answer.value = undefined
    state.shown = cutQuery(path)
    error.value = undefined
    if (path === null) return
    const request = { signal: aborter.signal }
    const read = async (): Promise<"changed" | "same" | "failed"> => {
      const number = ++state.latest
      try {
        const next = await (pages === 1
          ? call<A>(path, request)
          : callPages<A & ReadonlyArray<unknown>>(path, pages, request))
        if (number !== state.latest) return "same"
        const same = answer.peek() !== undefined && isSameAnswer(answer.peek()!.text, next.text)
        if (!same) answer.value = next
        error.value = undefined
        return same ? "same" : "changed"
      } catch (failure) {
        if (aborter.signal.aborted || number !== state.latest) return "same"
        error.value = toApiError(failure)
        return "failed"
      } finally {
        if (number === state.latest) loading.value = false
      }
    }
    loading.value = true
    void read()
    const poller =
      every === undefined
        ? undefined
        : {
            every_ms: every * 1000,
            wait_ms: every * 1000,
            due: performance.now() + every * 1000,
            busy: false,
            run: read
          }
    const stop = poller === undefined ? undefined : startPolling(poller)
    const reload = (): void => {
      if (poller !== undefined) poller.wait_ms = poller.every_ms
      void read()
    }
    state.reload = reload
    if (!isLater) shown.add(reload)
    return () => {
      shown.delete(reload)
      aborter.abort()
      stop?.()
    }
  }, [path, every])
  return useMemo(
    () => ({ answer: state.answer, error: state.error, loading: state.loading, reload: () => state.reload() }),
    []
  )
}
