/**
 * The hosted page of a verification (KYC-11, KYC-12): `GET` shows the form, and `POST` to the same URL submits it.
 */
import { Cause, Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { BadRequest, Unavailable } from "../../engine/ports/errors.ts"
import {
  type HostedFields,
  HostedVerifications,
  type HostedView
} from "../../engine/work/providers/hosted-verification.ts"
import { sameText } from "../../engine/crypto/secrets.ts"
import { policy } from "../docs/html.ts"
import { textDocument } from "../document.ts"
import { bytesOf, sha256 } from "../request.ts"
import { countDefect } from "../observability/requests.ts"
import {
  makeEndedPage,
  failedPage,
  mapFieldMessages,
  formPage,
  makeLapsedPage,
  makeSubmittedPage,
  unknownPage
} from "./page.ts"
import { style } from "./style.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The CSRF token of a form: it cannot be derived without the token of the link. */
const csrfOf = (token: string): string => sha256(`corridor verify form\n${token}`)

const isToken = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text)

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

const fieldNames = ["name", "date_of_birth", "document_type", "document_number"] as const

/** The URL for a `Location` header: unchanged, or encoded if it has characters that a header cannot contain. */
const location = (url: string): string => (/^[\x21-\x7e]+$/.test(url) ? url : (URL.parse(url)?.href ?? "/"))

const pages = { ended: makeEndedPage, lapsed: makeLapsedPage, submitted: makeSubmittedPage } as const

/** The page of a link that has ended or expired; `undefined` while the form is open. */
const pageUnlessOpen = (view: HostedView): Response | undefined =>
  view.link_status === "open" ? undefined : pages[view.link_status](view)

const leave = (view: HostedView): Response =>
  view.redirect_url === null || (view.link_status !== "ended" && view.link_status !== "submitted")
    ? (pageUnlessOpen(view) ?? failedPage)
    : HttpServerResponse.empty({
        status: 303,
        headers: { ...policy({ inert: true }), location: location(view.redirect_url), "cache-control": "no-store" }
      })

export const verifyRoutes = Effect.gen(function* () {
  const hosted = yield* HostedVerifications

  /** Wraps the handler of a link. Every failure becomes a page. */
  const page = (
    handle: (token: string, request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Response, Unavailable>
  ) =>
    Effect.gen(function* () {
      const { token } = yield* HttpRouter.params
      const request = yield* HttpServerRequest.HttpServerRequest
      return isToken(token) ? yield* handle(token, request) : unknownPage
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : Effect.as(Effect.andThen(countDefect, Effect.logError("a verification page failed", cause)), failedPage)
      )
    )

  // A HEAD is of a program that looks whether the link leads anywhere, not of its customer.
  const show = page((token, { method }) =>
    (method === "HEAD" ? hosted.view(token) : hosted.open(token)).pipe(
      Effect.map(
        (view) => pageUnlessOpen(view) ?? formPage(view, token, { csrf: csrfOf(token), fields: {}, faults: new Map() })
      ),
      Effect.catchTag("NotFound", () => Effect.succeed(unknownPage))
    )
  )

  /** The form with the submitted values and its errors. */
  const showErrors = (
    token: string,
    fields: HostedFields,
    { errors, notice }: { readonly errors?: BadRequest["errors"]; readonly notice?: string },
    status: number
  ) =>
    Effect.map(
      hosted.open(token),
      (view) =>
        pageUnlessOpen(view) ??
        formPage(
          view,
          token,
          {
            csrf: csrfOf(token),
            fields,
            faults: mapFieldMessages(errors ?? []),
            ...(notice === undefined ? {} : { notice })
          },
          status
        )
    )

  const send = page((token, request) =>
    Effect.gen(function* () {
      const read = yield* Effect.result(bytesOf(request))
      const isForm = formType.test(request.headers["content-type"] ?? "")
      if (Result.isFailure(read) || !isForm)
        return yield* showErrors(token, {}, { notice: "The form could not be read. Fill it in again." }, 400)
      const sent = new URLSearchParams(new TextDecoder().decode(read.success))
      // The trimmed fields of a form. Empty fields are absent.
      const fields = Object.fromEntries(
        fieldNames.flatMap((name) => {
          const value = sent.get(name)?.trim() ?? ""
          return value === "" ? [] : [[name, value]]
        })
      )
      if (!sameText(sent.get("csrf") ?? "", csrfOf(token)))
        return yield* showErrors(
          token,
          fields,
          { notice: "The form was not sent from this page. Check your details and send it again." },
          403
        )
      const view = yield* Effect.result(hosted.submit(token, fields))
      if (Result.isSuccess(view)) return leave(view.success)
      if (view.failure._tag === "BadRequest")
        return yield* showErrors(token, fields, { errors: view.failure.errors }, 400)
      return yield* view.failure
    }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(unknownPage)))
  )

  const stylesheet = textDocument(style, {
    contentType: "text/css; charset=utf-8",
    cacheControl: "public, max-age=300",
    headers: policy()
  })

  return [
    HttpRouter.route(
      "GET",
      "/verify/style.css",
      Effect.map(Effect.service(HttpServerRequest.HttpServerRequest), stylesheet)
    ),
    HttpRouter.route("GET", "/verify/:token", show),
    HttpRouter.route("POST", "/verify/:token", send, { uninterruptible: true })
  ]
})
