/** What a page shows instead of data: it loads, there is none, it failed. Each says what to do. */
import type { ComponentChildren } from "preact"
import type { Answer, ApiError } from "../frame/api.ts"
import type { LoadedAnswer } from "../frame/load.ts"
import { rich, t } from "../frame/language.ts"
import { Copy } from "./copy.tsx"
import { Fault, Said } from "./said.tsx"

export const Loading = ({ what = t("Loading…"), rows = 3 }: { readonly what?: string; readonly rows?: number }) => (
  <div class="loading" aria-busy="true">
    <span class="unseen">{what}</span>
    {Array.from({ length: rows }, (_, index) => (
      <span key={index} class="bone" aria-hidden="true" />
    ))}
  </div>
)

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children !== undefined && <div class="dim">{children}</div>}
  </div>
)

const adviseOnError = (error: ApiError): ComponentChildren => {
  if (error.status === 0) return t("Check your connection. This page tries again by itself.")
  // The advice to programs names members of the response.
  if (error.code === "invalid_input" && error.errors.every(({ code }) => code !== "limit_exceeded"))
    return t("Correct what is named, and send it again.")
  if (error.action !== null) return <Said>{error.action}</Said>
  if (error.status === 403) return t("Ask an admin for a role that may see this.")
  return t("Reload the page. If it fails again, send the request id to your operator.")
}

/**
 * A failure with its code, what to do, and the request id for support. `atFields`: the fields that show their own faults. Each
 * sentence is shown once.
 */
export const FailureView = ({
  error,
  retry,
  atFields = []
}: {
  readonly error: ApiError
  readonly retry?: () => void
  readonly atFields?: ReadonlyArray<string>
}) => {
  const others = error.errors.filter(({ field }) => !atFields.includes(field))
  const isRepeated = error.errors.some(({ message }) => message === error.message)
  return (
    <div class="failure" role="alert">
      <p class="failure-title">
        {isRepeated ? (
          others.length < error.errors.length ? (
            t("The request was refused: see the marked field.")
          ) : (
            t("The request was refused.")
          )
        ) : (
          <Fault of={error} />
        )}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code>{field}</code>: <Said>{message}</Said>
            </li>
          ))}
        </ul>
      )}
      <p>{adviseOnError(error)}</p>
      <p class="dim">
        <code>{error.code}</code>
        {error.request_id !== null && (
          <>
            {" · "}
            {rich("request {id}", { id: <code>{error.request_id}</code> })}{" "}
            <Copy text={error.request_id} what={t("request id")} />
          </>
        )}
      </p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {t("Try again")}
        </button>
      )}
    </div>
  )
}

/** The notice that a page shows earlier data, because it could not be read again. */
export const StaleNotice = ({ error }: { readonly error: ApiError }) => (
  <p class="late">{rich("Not up to date: {message}", { message: <Fault of={error} /> })}</p>
)

/** Whether the request was refused: then the earlier data answers another request. */
const isRefused = (error: ApiError): boolean => error.status >= 400 && error.status < 500 && error.status !== 429

/** Shows loaded data. If a later read fails, it keeps the data and says so. */
export const Show = <A,>({
  of,
  rows,
  children
}: {
  readonly of: LoadedAnswer<A>
  readonly rows?: number
  readonly children: (data: A, meta: Answer<A>["meta"]) => ComponentChildren
}) => {
  const { answer, error, loading, reload } = of
  if (answer.value === undefined)
    return error.value === undefined ? <Loading rows={rows ?? 3} /> : <FailureView error={error.value} retry={reload} />
  if (error.value !== undefined && isRefused(error.value)) return <FailureView error={error.value} retry={reload} />
  return (
    <div class={loading.value ? "stale" : undefined} aria-busy={loading.value}>
      {error.value !== undefined && <StaleNotice error={error.value} />}
      {children(answer.value.data, answer.value.meta)}
    </div>
  )
}
