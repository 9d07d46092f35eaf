/**
 * The envelope of every response (ENVELOPE-1 to ENVELOPE-12). A response is rendered once, as text, so that the stored bytes
 * are the bytes sent.
 */
import { Schema } from "effect"
import { FieldFault } from "../engine/ports/errors.ts"
import { Timestamp } from "../engine/input/schemas.ts"
import type { Listed } from "../engine/calls/list.ts"
import { iso } from "../engine/ports/Time.ts"
import type { Warning } from "../engine/input/validation.ts"
import { type Code, codes, wire } from "./errors.ts"

export const NextSteps = Schema.Struct({ action: Schema.String, docs_url: Schema.String }).annotate({
  identifier: "NextSteps",
  description: "How to resolve the error, and the page that explains it."
})

const WarningBody = Schema.Struct({ field: Schema.String, message: Schema.String }).annotate({
  identifier: "Warning",
  description:
    "An unknown member of the request, which was ignored, and the nearest known name. " +
    "With Prefer: handling=strict, the request is rejected instead."
})

const base = {
  request_id: Schema.String.annotate({
    description: "Also sent as X-Request-Id.",
    examples: ["req_01j9z3k4m5n6p7q8r9s0t1v2w3"]
  }),
  timestamp: Timestamp,
  version: Schema.Literal("1"),
  warnings: Schema.optionalKey(Schema.Array(WarningBody))
}

export const Meta = Schema.Struct(base).annotate({ identifier: "Meta" })

export const ListMeta = Schema.Struct({
  ...base,
  page: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  has_more: Schema.Boolean
}).annotate({ identifier: "ListMeta" })

export const ErrorMeta = Schema.Struct({
  ...base,
  errors: Schema.optionalKey(Schema.Array(FieldFault.annotate({ identifier: "FieldFault" }))),
  next_steps: NextSteps
}).annotate({ identifier: "ErrorMeta" })

const success = { status: Schema.Literal(true), message: Schema.String, code: Schema.Literal("ok") }

/** The envelope of one payload. */
export const Ok = <S extends Schema.Top>(data: S) => Schema.Struct({ ...success, data, meta: Meta })

/** The envelope of a page of a list. */
export const ListOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ ...success, data: Schema.Array(item), meta: ListMeta })

/** The envelope of every failure. */
export const Failure = Schema.Struct({
  status: Schema.Literal(false),
  message: Schema.String.annotate({ description: "For developers and logs, not for end users." }),
  code: Schema.Literals(codes),
  data: Schema.Null,
  meta: ErrorMeta
})

const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The time of a response. It never fails: a clock outside the calendar must not cause a response without an envelope. */
const timeOf = (at: number): string => iso(Math.min(Math.max(at || 0, 0), latest))

type Warnings = ReadonlyArray<Warning>

/** The meta that all responses share. */
const metaOf = (request_id: string, at: number, warnings: Warnings) => ({
  request_id,
  timestamp: timeOf(at),
  version: "1",
  ...(warnings.length === 0 ? {} : { warnings })
})

export const renderOk = (data: unknown, request_id: string, at: number, warnings: Warnings = []): string =>
  JSON.stringify({
    status: true,
    message: "OK",
    code: "ok",
    data,
    meta: metaOf(request_id, at, warnings)
  })

export const renderList = (
  { items, page, per_page, total }: Listed<unknown>,
  request_id: string,
  at: number,
  warnings: Warnings = []
): string =>
  JSON.stringify({
    status: true,
    message: "OK",
    code: "ok",
    data: items,
    meta: {
      ...metaOf(request_id, at, warnings),
      page,
      per_page,
      total,
      has_more: page * per_page < total
    }
  })

export const renderError = (
  code: Code,
  message: string,
  errors: ReadonlyArray<FieldFault> | undefined,
  docs_url: string,
  request_id: string,
  at: number,
  warnings: Warnings = []
): string =>
  JSON.stringify({
    status: false,
    message,
    code,
    data: null,
    meta: {
      ...metaOf(request_id, at, warnings),
      ...(errors === undefined ? {} : { errors }),
      next_steps: { action: wire[code].action, docs_url: `${docs_url}/errors/${code}` }
    }
  })

/** The code and the request id of a stored response. */
export const readStored = (text: string): { readonly code: string; readonly request_id: string } => {
  const { code, meta } = JSON.parse(text) as { code: string; meta: { request_id: string } }
  return { code, request_id: meta.request_id }
}
