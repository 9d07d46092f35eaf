/** Events of providers, as an application passes them on. */
import { Effect } from "effect"
import { InvalidOption } from "../engine/input/options.ts"
import type { ReportedEvent } from "../engine/ports/Provider.ts"
import { type ReceivedEvent, receiveCallback, receiveToldEvent } from "../engine/work/providers/provider-inputs.ts"

/** Headers of a request: of Node, of the web standard, or any object. Names may have any case. */
export type CallbackHeaders =
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  | { readonly entries: () => Iterable<readonly [string, string]> }

export interface ProviderCalls {
  /**
   * Handles a callback of a provider: `POST /providers/<name>/events`. `body`: the bytes as they were sent, or their text.
   *
   * Errors: `not_found` for an unknown provider; `authentication_failed` if the signature is invalid. A signed body that is
   * no event is recorded as an exception, and `event_id` may be null; `internal_error` or `external_service_unavailable` if nothing was written: respond with 500, and
   * the provider sends it again. A parsed body is a `TypeError`.
   */
  readonly receive: (name: string, headers: CallbackHeaders, body: string | Uint8Array) => Promise<ReceivedEvent>
  /**
   * Handles an event of a provider that this process has learned by other means. It is not verified: the caller is trusted.
   *
   * Errors: `not_found` for an unknown provider; `bad_request` for an event with invalid or unknown members, each in
   * `errors`; `internal_error` or `external_service_unavailable` if nothing was written: tell it again.
   */
  readonly tell: (name: string, event: ReportedEvent) => Promise<ReceivedEvent>
}

const flattenHeaders = (headers: CallbackHeaders): { readonly [name: string]: string | undefined } => {
  const pairs = typeof headers.entries === "function" ? [...headers.entries()] : Object.entries(headers)
  return Object.fromEntries(
    pairs.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : (value as string)])
  )
}

export const receiveProviderCallback = (name: string, headers: CallbackHeaders, body: string | Uint8Array) => {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return bytes instanceof Uint8Array
    ? receiveCallback(name, flattenHeaders(headers), Effect.succeed(bytes))
    : // A body that was parsed has other bytes than those that were signed.
      Effect.die(
        new InvalidOption(
          `providers.receive: body is ${Array.isArray(body) ? "a list" : `of type ${typeof body}`}; it takes the bytes as they were sent, or their text`
        )
      )
}

export const receiveReportedEvent = (name: string, event: ReportedEvent) => receiveToldEvent(name, event)
