/**
 * The envelope of every response (ENVELOPE-1 to ENVELOPE-12), and the documentation of each error code. A response is rendered once, as text, so that the stored bytes
 * are the bytes sent.
 */
import { Schema } from "effect"
import { type Code, codes, retryAfterMs, statuses } from "../engine/calls/codes.ts"
import type { AboutCall } from "../engine/calls/executor.ts"
import type { Listed } from "../engine/calls/list.ts"
import { FileResponse } from "../engine/calls/operation.ts"
import { describe, Optional } from "../engine/input/schemas.ts"
import type { Warning } from "../engine/input/validation.ts"
import { iso } from "../engine/ports/Time.ts"
import { type Fault, FieldFault, type Refusal } from "../engine/ports/errors.ts"
import { ApprovalBody } from "../engine/representations/controls/approval.ts"
import { DryRunBody } from "../engine/representations/dry-run.ts"
import { countOf, flagOf, textOf, timeOf, urlOf } from "../engine/representations/members.ts"

/** `action`: a short imperative for the developer (ENVELOPE-12). `about`: the description of the code in the documentation. */
interface WireError {
  readonly action: string
  readonly about: string
}

export const wire = {
  bad_request: {
    action: "Correct the fields in meta.errors and send the request again.",
    about: "A required field is missing, or a field has the wrong type, format, length or value."
  },
  invalid_input: {
    action: "Correct the values in meta.errors or in the message and send the request again.",
    about: "The request is well-formed, but a value in it is not valid for the operation."
  },
  invalid_amount_precision: {
    action: "Send the amount with at most as many decimals as the currency has.",
    about: "The amount has more decimals than its currency. Trailing zeros do not count."
  },
  prohibited_country: {
    action: "Use a country that is not on the compliance list of prohibited countries.",
    about: "The country is on the compliance list of prohibited countries."
  },
  account_resolution_failed: {
    action: "Check the account number and the bank with the account holder.",
    about: "The provider could not resolve the bank account."
  },
  authentication_failed: {
    action: "Send a valid API key of this environment as Authorization: Bearer <API_KEY>.",
    about: "The API key is missing, malformed, unknown, revoked or belongs to another environment."
  },
  merchant_inactive: {
    action: "Complete the verification of the merchant, or ask the operator to activate the merchant.",
    about: "The API key is valid, but its merchant is not active."
  },
  forbidden: {
    action: "Use a key whose role allows the operation, or ask the operator to enable the feature.",
    about: "The role of the key does not allow the operation, or the feature is disabled."
  },
  forbidden_key_role: {
    action: "Request a role that is not above the role of the calling key.",
    about: "A key cannot create a key with a role above its own."
  },
  resource_access_required: {
    action: "Request access with POST /v1/currencies/{code}/access-requests.",
    about: "The currency is gated, and the merchant has no active grant for it."
  },
  not_found: {
    action: "Check the id and the path.",
    about: "The resource does not exist for this merchant, or the route does not exist."
  },
  invalid_status: {
    action: "Read the resource and act on its current status.",
    about: "The current status of the resource does not allow the operation."
  },
  conflict: {
    action: "Read the resource again and repeat the change with its current version.",
    about: "The resource was modified after you read it."
  },
  duplicate_resource: {
    action: "Use a new value, or read the resource that has this value.",
    about: "A unique value is already in use: a reference, or a quote that was executed."
  },
  idempotency_conflict: {
    action: "Use a new Idempotency-Key for a new request.",
    about: "The Idempotency-Key was used with another method, path or body."
  },
  idempotency_in_progress: {
    action: "Wait a moment and repeat the request with the same Idempotency-Key.",
    about: "The first request with this Idempotency-Key is still running."
  },
  api_key_limit_exceeded: {
    action: "Revoke an unused key, then create the new key.",
    about: "The merchant has the maximum number of active API keys."
  },
  access_already_granted: {
    action: "Use the currency. Access is granted.",
    about: "The merchant already has an active grant for the currency."
  },
  ledger_insufficient_funds: {
    action: "Fund the wallet or lower the amount.",
    about: "The available balance of the wallet is below the amount."
  },
  rate_limited: {
    action: "Wait for the time in Retry-After, then retry with backoff, jitter and the same Idempotency-Key.",
    about:
      "The merchant exceeds its rate of money-movement writes, or the service has reached its limit of concurrent requests."
  },
  internal_error: {
    action: "Retry with backoff and the same Idempotency-Key. If the error persists, report the request_id.",
    about: "An internal error occurred."
  },
  external_service_unavailable: {
    action: "Retry later with backoff and the same Idempotency-Key.",
    about: "An external service, such as payshap, does not respond."
  }
} as const satisfies Record<Code, WireError>

export const toHttpStatus = (code: string): number => (code === "ok" ? 200 : (statuses[code as Code] ?? 500))

/** Computes after how many seconds a client should retry; `undefined` if a retry does not help. */
export const computeRetryAfter = (error: Refusal | Fault): number | undefined => {
  const wait = retryAfterMs(error)
  return wait === undefined ? undefined : Math.max(1, Math.ceil(wait / 1000))
}

const NextSteps = Schema.Struct({
  action: textOf(
    "What to do, as a short instruction.",
    "Correct the fields in meta.errors and send the request again."
  ),
  docs_url: urlOf("The page that explains the error.", "https://pay.example.com/docs/errors/bad_request")
}).annotate({ identifier: "NextSteps", description: "How to resolve the error, and the page that explains it." })

const WarningBody = Schema.Struct({
  field: textOf("The name of the unknown member.", "referense"),
  message: textOf(
    "A sentence with the nearest known name.",
    "`referense` is not a field of this request. Did you mean `reference`?"
  )
}).annotate({
  identifier: "Warning",
  description:
    "An unknown member of the request, which was ignored, and the nearest known name. " +
    "With Prefer: handling=strict, the request is rejected instead."
})

const base = {
  request_id: textOf("The id of the request. Also sent as X-Request-Id.", "req_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  timestamp: timeOf("When the response was made."),
  version: describe(Schema.Literal("1"), "The version of the API."),
  warnings: Optional(Schema.Array(WarningBody), "The unknown members of the request. Absent if there are none.")
}

/** What a dry run adds to the meta (DRYRUN-1). */
const dryRun = {
  dry_run: Optional(DryRunBody, "What the call would do. Only with `dry_run=true`: then nothing of it was written.")
}

const Meta = Schema.Struct({
  ...base,
  ...dryRun,
  approval: Optional(
    ApprovalBody,
    "The approval that the act waits for. Nothing of the act is done yet, except that the money of a payout is reserved. Absent: it does not wait."
  )
}).annotate({ identifier: "Meta", description: "About the response." })

const ListMeta = Schema.Struct({
  ...base,
  page: countOf("The page that this is, from 1.", 1),
  per_page: countOf("The number of items per page.", 50),
  total: countOf("The number of items on all pages.", 128),
  has_more: flagOf("Whether another page exists.")
}).annotate({ identifier: "ListMeta", description: "About the response, and the place of this page in the list." })

export const ErrorMeta = Schema.Struct({
  ...base,
  ...dryRun,
  errors: Optional(
    Schema.Array(FieldFault.annotate({ identifier: "FieldFault", description: "An invalid field." })),
    "The invalid fields. Only with `bad_request` and `invalid_input`."
  ),
  next_steps: NextSteps
}).annotate({ identifier: "ErrorMeta", description: "About the response, and how to resolve the error." })

const message = textOf("For developers and logs, not for end users.", "OK")
const success = {
  status: describe(Schema.Literal(true), "`true`: the call succeeded. It is not the status of a resource."),
  message,
  code: describe(Schema.Literal("ok"), "`ok`.")
}

/** The envelope of one payload. */
export const Ok = <S extends Schema.Top>(data: S) => Schema.Struct({ ...success, data, meta: Meta })

/** The envelope of a page of a list. */
export const ListOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ ...success, data: describe(Schema.Array(item), "The items of this page."), meta: ListMeta })

/** The envelope of every failure. */
export const Failure = Schema.Struct({
  status: describe(Schema.Literal(false), "`false`: the call failed."),
  message: describe(message, "For developers and logs, not for end users.", "The API key is missing or invalid."),
  code: describe(Schema.Literals(codes), "The stable code of the error: branch on it."),
  data: describe(Schema.Null, "Null."),
  meta: ErrorMeta
})

const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

type Warnings = ReadonlyArray<Warning>

/** Makes the `meta` that all responses have. */
const makeMeta = (request_id: string, at: number, warnings: Warnings, { approval, dry_run }: AboutCall = {}) => ({
  request_id,
  // The time of a response. It never fails: a clock outside the calendar must not cause a response without an
  // envelope.
  timestamp: iso(Math.min(Math.max(at || 0, 0), latest)),
  version: "1",
  ...(warnings.length === 0 ? {} : { warnings }),
  ...(dry_run === undefined ? {} : { dry_run }),
  ...(approval === undefined ? {} : { approval })
})

const renderSuccess = (data: unknown, meta: object): string =>
  JSON.stringify({ status: true, message: "OK", code: "ok", data, meta })

export const renderOk = (
  data: unknown,
  request_id: string,
  at: number,
  warnings: Warnings = [],
  about?: AboutCall
): string => renderSuccess(data, makeMeta(request_id, at, warnings, about))

export const renderList = (
  { items, page, per_page, total }: Listed<unknown>,
  request_id: string,
  at: number,
  warnings: Warnings
): string =>
  renderSuccess(items, {
    ...makeMeta(request_id, at, warnings),
    ...{ page, per_page, total, has_more: page * per_page < total }
  })

/**
 * Advises on an exceeded limit: to wait until there is room again, or to request less where waiting does not help. Undefined: no
 * limit is exceeded.
 */
const adviseOnLimits = (errors: ReadonlyArray<FieldFault> = []): string | undefined => {
  const over = errors.filter(({ code }) => code === "limit_exceeded")
  if (over.length === 0) return undefined
  const until = over.map(({ resets_at }) => resets_at)
  if (until.includes(null)) return "Lower the amount, or ask for a higher limit: waiting makes no room."
  // Of a limit of the platform a merchant learns only that it is reached.
  return until.includes(undefined)
    ? "Wait and send the request again with a new Idempotency-Key, or lower the amount."
    : `Wait until ${until.toSorted().at(-1)} and send the request again with a new Idempotency-Key, or lower the amount.`
}

export const renderError = (
  code: Code,
  message: string,
  errors: ReadonlyArray<FieldFault> | undefined,
  docs_url: string,
  request_id: string,
  at: number,
  warnings: Warnings = [],
  about?: AboutCall
): string =>
  JSON.stringify({
    status: false,
    message,
    code,
    data: null,
    meta: {
      ...makeMeta(request_id, at, warnings, about),
      ...(errors === undefined ? {} : { errors }),
      next_steps: { action: adviseOnLimits(errors) ?? wire[code].action, docs_url: `${docs_url}/errors/${code}` }
    }
  })

const fileStart = '{"file":'

/** Renders a file as the text of a response that can be stored, and parsed by {@link parseFile} and {@link parseEnvelope}. */
export const renderFile = ({ format, text }: FileResponse, request_id: string): string =>
  JSON.stringify({ file: format, text, code: "ok", meta: { request_id } })

/** Parses the text of a file that {@link renderFile} made; `undefined` for an envelope. */
export const parseFile = (text: string): FileResponse | undefined => {
  if (!text.startsWith(fileStart)) return undefined
  const stored = JSON.parse(text) as { readonly file: string; readonly text: string }
  return new FileResponse(stored.file, stored.text)
}

export const parseEnvelope = (text: string): { readonly code: string; readonly request_id: string } => {
  const { code, meta } = JSON.parse(text) as { code: string; meta: { request_id: string } }
  return { code, request_id: meta.request_id }
}
