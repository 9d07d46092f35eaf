/** The client of the API: the session is the credential, and every failure is an `ApiError`. */
import type { Approval, DryRun, FieldFault } from "../../client/generated/resources.ts"
import { t } from "./language.ts"
import { base } from "./base.ts"
import { learnTime } from "./clock.ts"
import { readCsrfToken, endSession } from "./session.ts"

/** A refusal, or an answer that did not arrive. */
export class ApiError extends Error {
  /** HTTP status; 0 if no answer arrived: what was asked may have been done. */
  readonly status: number
  readonly code: string
  readonly request_id: string | null
  readonly errors: ReadonlyArray<FieldFault>
  /** Whether the message is the console's, and not the server's. */
  readonly isOwn: boolean
  /** What to do, as the server says it. */
  readonly action: string | null

  constructor(status: number, body: Partial<Envelope<unknown>>) {
    super(body.message ?? t("The server did not answer."))
    this.status = status
    this.isOwn = body.code === undefined
    this.code = body.code ?? (status === 0 ? "no_answer" : "unexpected_answer")
    this.request_id = body.meta?.request_id ?? null
    this.errors = body.meta?.errors ?? []
    this.action = body.meta?.next_steps?.action ?? null
  }
}

/** Converts the failure of a call or a read to an `ApiError`. */
export const toApiError = (failure: unknown): ApiError =>
  failure instanceof ApiError ? failure : new ApiError(0, { message: String(failure) })

export interface Envelope<A> {
  readonly data: A
  readonly code: string
  readonly message: string
  readonly meta: {
    readonly request_id: string
    /** The service's clock. */
    readonly timestamp?: string
    readonly page?: number
    readonly per_page?: number
    readonly total?: number
    readonly has_more?: boolean
    readonly errors?: ReadonlyArray<FieldFault>
    readonly next_steps?: { readonly action: string; readonly docs_url: string }
    /** The act waits for other people. */
    readonly approval?: Approval
    readonly dry_run?: DryRun
  }
}

/** The answer with its text, which tells whether anything changed since the last one. */
export interface Answer<A> extends Envelope<A> {
  readonly text: string
}

/** Whether two answers are the same, except for the time and the id of the request. */
export const isSameAnswer = (a: string, b: string): boolean => {
  const content = (text: string): string => text.replace(/"(?:request_id|timestamp)":"[^"]*"/g, "")
  return content(a) === content(b)
}

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE"
  readonly body?: unknown
  /** The body, where it is a file. Its `type` is the content type. */
  readonly file?: Blob | undefined
  /** The same for every repetition of one act, so that it is done once. */
  readonly idempotencyKey?: string | undefined
  /** The version of what is acted on, as it was shown. */
  readonly version?: string | undefined
  readonly signal?: AbortSignal
}

const parseEnvelope = (text: string): Partial<Envelope<unknown>> => {
  try {
    return JSON.parse(text) as Partial<Envelope<unknown>>
  } catch {
    return { message: t("The server's answer is not JSON. A proxy in front of it may have answered.") }
  }
}

/**
 * Calls the API. `path` is the API's own: `/operator/v1/stuck`, `/v1/wallets?page=2`.
 *
 * Errors: `ApiError`; a 401 ends the session, and the sign-in page appears where the person is.
 */
export const call = async <A>(
  path: string,
  { body, file, idempotencyKey, method, signal, version }: ApiRequest = {}
): Promise<Answer<A>> => {
  const verb = method ?? (body === undefined && file === undefined ? "GET" : "POST")
  const answer = await fetch(`${base}/api${path}`, {
    method: verb,
    credentials: "same-origin",
    cache: "no-store",
    ...(signal === undefined ? {} : { signal }),
    headers: {
      ...(verb === "GET" ? {} : { "x-csrf-token": readCsrfToken() }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(file === undefined ? {} : { "content-type": file.type || "application/octet-stream" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(version === undefined ? {} : { "if-match": `"${version}"` })
    },
    ...(file !== undefined ? { body: file } : body === undefined ? {} : { body: JSON.stringify(body) })
  }).then(
    async (response) => ({ status: response.status, ok: response.ok, text: await response.text() }),
    (error: unknown) => {
      if (signal?.aborted === true) throw error
      throw new ApiError(0, {})
    }
  )
  const envelope = parseEnvelope(answer.text)
  learnTime(envelope.meta?.timestamp)
  if (answer.status === 401) endSession()
  if (!answer.ok || !("data" in envelope)) throw new ApiError(answer.status, envelope)
  return { ...(envelope as Envelope<A>), text: answer.text }
}

/**
 * Reads the pages of a list one after the other, at most so many, as one answer. `has_more`: there are still others. A change between two
 * pages may repeat or leave out a row.
 */
export const callPages = async <A extends ReadonlyArray<unknown>>(
  path: string,
  pages: number,
  request: Pick<ApiRequest, "signal"> = {}
): Promise<Answer<A>> => {
  const first = await call<A>(path, request)
  let last = first
  const data: Array<unknown> = [...first.data]
  const texts = [first.text]
  for (let page = 2; page <= pages && last.meta.has_more === true; page++) {
    last = await call<A>(`${path}${path.includes("?") ? "&" : "?"}page=${page}`, request)
    data.push(...last.data)
    texts.push(last.text)
  }
  return { ...last, data: data as unknown as A, text: texts.join() }
}

/** Makes a new idempotency key. `crypto.randomUUID` is missing where the page is not served over HTTPS. */
export const makeIdempotencyKey = (): string =>
  `console-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`
