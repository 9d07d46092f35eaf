/**
 * The hosted page of a verification (KYC-11, KYC-12): `GET` shows the form, and `POST` to the same URL submits it.
 */
import { Cause, Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { isSameText } from "../../engine/crypto/secrets.ts"
import type { BadRequest, FieldFault, Unavailable } from "../../engine/ports/errors.ts"
import type { idTypes } from "../../engine/resources/parties/customer.ts"
import {
  type HostedFields,
  HostedVerifications,
  type HostedView
} from "../../engine/work/providers/hosted-verification.ts"
import { escapeHtml, makePageResponse, type Policy, makeSecurityHeaders } from "../docs/html.ts"
import { makeTextDocument } from "../document.ts"
import { countDefect } from "../observability/requests.ts"
import { readBodyBytes, type Request, type Response, sha256 } from "../request.ts"

// The pages need no script: the server renders errors next to their fields and in a summary with links, and keeps the submitted values.
// It never sends a document number back.

/** The stylesheet of the hosted page. Each text colour has a contrast of at least 4.5 to 1 against its background. */
const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #545d69; --line: #767f8b; --back: #f3f5f7; --card: #ffffff; --link: #0b5cad; --on-link: #ffffff; --error: #b3261e; --error-back: #fdecea; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceff2; --dim: #a7b0bb; --line: #7d8793; --back: #101215; --card: #1a1d22; --link: #8ec1fa; --on-link: #101215; --error: #ffb4ab; --error-back: #3b1a18; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--back); font: 1.0625rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 2.5rem auto; padding: 2rem; background: var(--card); border-radius: .75rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.0625rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
a { color: var(--link); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1.5rem; }
dt { color: var(--dim); }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.dim { color: var(--dim); }
.field { margin: 0 0 1.25rem; }
label { display: block; font-weight: 600; }
.hint { display: block; color: var(--dim); }
.fault { display: block; color: var(--error); font-weight: 600; }
input, select { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
[aria-invalid="true"] { border: 2px solid var(--error); }
button { width: 100%; padding: .75rem; font: inherit; font-weight: 600; color: var(--on-link); background: var(--link); border: 0; border-radius: .4rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.summary { padding: 1rem 1.25rem; margin: 0 0 1.5rem; color: var(--error); background: var(--error-back); border-left: .3rem solid var(--error); }
.summary ul { margin: 0; padding-left: 1.25rem; }
.summary a { color: inherit; }
footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9375rem; color: var(--dim); }
@media (max-width: 38rem) { main { margin: 0; padding: 1.25rem; border-radius: 0; min-height: 100vh; } }
`

/** Relative to the page. */
const stylesheetPath = "style.css"

type Name = keyof HostedFields

const documents = {
  passport: "Passport",
  national_id: "National identity card",
  drivers_license: "Driver's licence",
  voters_card: "Voter's card",
  nin: "National identification number (NIN)",
  bvn: "Bank verification number (BVN)",
  residence_permit: "Residence permit",
  tax_id: "Tax identification number"
} as const satisfies Readonly<Record<(typeof idTypes)[number], string>>

const levels = { tier_1: "Level 1", tier_2: "Level 2" } as const

const missing: Readonly<Record<Name, string>> = {
  name: "Enter your full name",
  date_of_birth: "Enter your date of birth",
  document_type: "Choose your identity document",
  document_number: "Enter the number of your document"
}

const wrong: Readonly<Record<Name, string>> = {
  name: "Enter your full name in at most 255 characters",
  date_of_birth: "Enter a real date in the past as month, day and year, such as 01/31/1990",
  document_type: "Choose one of the documents in the list",
  document_number: "Enter the document's number in at most 64 characters"
}

const names = Object.keys(missing) as ReadonlyArray<Name>

/** Maps the errors of a form to messages for the person who filled it in, in the order of its fields. */
const mapFieldMessages = (errors: ReadonlyArray<FieldFault>): ReadonlyMap<Name, string> =>
  new Map(
    names.flatMap((name) => {
      const fault = errors.find(({ field }) => field === name)
      return fault === undefined ? [] : [[name, (fault.code === "required" ? missing : wrong)[name]] as const]
    })
  )

interface Form {
  readonly csrf: string
  readonly fields: HostedFields
  readonly faults: ReadonlyMap<Name, string>
  /** An error of the form as a whole. */
  readonly notice?: string
}

const renderField = (
  name: Name,
  label: string,
  hint: string | null,
  { faults }: Form,
  control: (attributes: string) => string
): string => {
  const fault = faults.get(name)
  const [hinted, faulted] = [`${name}-hint`, `${name}-error`]
  const described = [...(hint === null ? [] : [hinted]), ...(fault === undefined ? [] : [faulted])]
  const isFirst = faults.keys().next().value === name
  return (
    `<div class="field"><label for="${name}">${label}</label>` +
    (hint === null ? "" : `<span class="hint" id="${hinted}">${hint}</span>`) +
    (fault === undefined ? "" : `<span class="fault" id="${faulted}">${escapeHtml(fault)}</span>`) +
    control(
      `id="${name}" name="${name}" required` +
        (described.length === 0 ? "" : ` aria-describedby="${described.join(" ")}"`) +
        (fault === undefined ? "" : ` aria-invalid="true"${isFirst ? " autofocus" : ""}`)
    ) +
    `</div>`
  )
}

const makeTextInput = (more: string, value: string | undefined) => (attributes: string) =>
  `<input type="text" ${attributes} ${more}${value === undefined ? "" : ` value="${escapeHtml(value)}"`}>`

const renderSummary = ({ faults, notice }: Form): string =>
  faults.size === 0 && notice === undefined
    ? ""
    : `<div class="summary" role="alert"><h2>${faults.size === 0 ? "Nothing was sent" : "Some details need another look"}</h2>` +
      (notice === undefined ? "" : `<p>${escapeHtml(notice)}</p>`) +
      (faults.size === 0
        ? ""
        : `<ul>${[...faults].map(([name, fault]) => `<li><a href="#${name}">${escapeHtml(fault)}</a></li>`).join("")}</ul>`) +
      `</div>`

const makePage = (title: string, body: string, status: number, policy: Policy = {}): Response =>
  makePageResponse(title, `<main>${body}</main>`, {
    ...policy,
    inert: true,
    status,
    style: stylesheetPath,
    headers: { "x-robots-tag": "noindex" }
  })

/** Makes the page of the form, empty or with the submitted values. `action` is the URL of the page, relative to itself. */
const makeFormPage = (view: HostedView, action: string, form: Form, status = 200): Response => {
  const { fields } = form
  const isAgain = form.faults.size > 0 || form.notice !== undefined
  const body =
    `<h1>Confirm your identity</h1>` +
    `<p>${escapeHtml(view.merchant_name)} asks you to confirm who you are. You need an identity document at hand.</p>` +
    (`<dl><dt>Asked for by</dt><dd>${escapeHtml(view.merchant_name)}</dd>` +
      `<dt>Verification</dt><dd>${levels[view.tier]}</dd>` +
      `<dt>What it opens</dt><dd>${view.deposit_limit === null ? "Deposits without a limit" : `Deposits of up to ${escapeHtml(view.deposit_limit)}`}</dd></dl>`) +
    renderSummary(form) +
    `<p class="dim">All fields are needed.</p>` +
    `<form method="post" action="${escapeHtml(action)}" novalidate><input type="hidden" name="csrf" value="${escapeHtml(form.csrf)}">` +
    renderField(
      "name",
      "Full name",
      "As it stands on your document",
      form,
      makeTextInput(`autocomplete="name" maxlength="255"`, fields.name)
    ) +
    renderField(
      "date_of_birth",
      "Date of birth",
      "Month, day and year as MM/DD/YYYY, such as 01/31/1990",
      form,
      makeTextInput(`autocomplete="bday" inputmode="numeric" maxlength="10"`, fields.date_of_birth)
    ) +
    renderField(
      "document_type",
      "Identity document",
      null,
      form,
      (attributes: string) =>
        `<select ${attributes}><option value="">Choose a document</option>` +
        Object.entries(documents)
          .map(
            ([value, label]) =>
              `<option value="${value}"${value === fields.document_type ? " selected" : ""}>${escapeHtml(label)}</option>`
          )
          .join("") +
        `</select>`
    ) +
    renderField(
      "document_number",
      "Document number",
      isAgain ? "Enter it again: for your safety it is not kept on this page" : "As printed on your document",
      form,
      makeTextInput(`autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="64"`, undefined)
    ) +
    `<button type="submit">Send for verification</button></form>` +
    `<footer>Your details go to ${escapeHtml(view.merchant_name)} and its verification provider, and are used to confirm your identity.</footer>`
  const title = `${isAgain ? "Error: " : ""}Confirm your identity | ${view.merchant_name}`
  // The origin of a URL, for a content security policy; `undefined` if a policy cannot express it.
  const url = view.redirect_url
  const origin = url === null ? undefined : URL.parse(url)?.origin
  return makePage(title, body, status, {
    form: true,
    sends_to: origin !== undefined && /^https:\/\/[A-Za-z0-9.:[\]-]+$/.test(origin) ? origin : undefined
  })
}

const makeThanksPage = ({ merchant_name, redirect_url }: HostedView, sentence: string): Response =>
  makePage(
    `Thank you | ${merchant_name}`,
    `<h1>Thank you</h1><p>${sentence} There is nothing more to do here.</p>` +
      (redirect_url === null
        ? `<p class="dim">You can close this page.</p>`
        : `<p><a href="${escapeHtml(redirect_url)}">Back to ${escapeHtml(merchant_name)}</a></p>`),
    200
  )

const unknownPage = makePage(
  "Link not found",
  `<h1>There is no such link</h1><p>Check that the whole address was copied, or ask the sender for a new one.</p>`,
  404
)

const failedPage = makePage(
  "Something went wrong",
  `<h1>Something went wrong</h1><p>It is our fault, not yours. Go back and try again in a moment: nothing is lost, and a form that was sent twice counts once.</p>`,
  500
)

/** Derives the CSRF token of a form: it cannot be derived without the token of the link. */
const deriveCsrfToken = (token: string): string => sha256(`corridor verify form\n${token}`)

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

const fieldNames = ["name", "date_of_birth", "document_type", "document_number"] as const

/** Encodes a URL for a `Location` header: unchanged, unless it has characters that a header cannot contain. */
const encodeLocation = (url: string): string => (/^[\x21-\x7e]+$/.test(url) ? url : (URL.parse(url)?.href ?? "/"))

const pages = {
  // The page after the verification has ended. The merchant communicates the outcome.
  ended: (view: HostedView): Response =>
    makeThanksPage(
      view,
      `Your details have been checked, and ${escapeHtml(view.merchant_name)} has been told the outcome.`
    ),
  lapsed: ({ merchant_name }: HostedView): Response =>
    makePage(
      `This link has expired | ${merchant_name}`,
      `<h1>This link has expired</h1><p>Links to confirm your identity can be used for 24 hours. Ask ${escapeHtml(merchant_name)} for a new one.</p>`,
      410
    ),
  // The page while the details are being reviewed.
  submitted: (view: HostedView): Response =>
    makeThanksPage(
      view,
      `Your details have been sent and are being checked. ${escapeHtml(view.merchant_name)} will be told the outcome.`
    )
} as const

/** Makes the page of a link that has ended or expired; `undefined` while the form is open. */
const makeEndedPage = (view: HostedView): Response | undefined =>
  view.link_status === "open" ? undefined : pages[view.link_status](view)

const leaveForm = (view: HostedView): Response =>
  view.redirect_url === null || (view.link_status !== "ended" && view.link_status !== "submitted")
    ? (makeEndedPage(view) ?? failedPage)
    : HttpServerResponse.empty({
        status: 303,
        headers: {
          ...makeSecurityHeaders({ inert: true }),
          location: encodeLocation(view.redirect_url),
          "cache-control": "no-store"
        }
      })

export const verifyRoutes = Effect.gen(function* () {
  const hosted = yield* HostedVerifications

  /** Wraps the handler of a link. Every failure becomes a page. */
  const page = (handle: (token: string, request: Request) => Effect.Effect<Response, Unavailable>) =>
    Effect.gen(function* () {
      const { token } = yield* HttpRouter.params
      const request = yield* HttpServerRequest.HttpServerRequest
      return token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token) ? yield* handle(token, request) : unknownPage
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
        (view) =>
          makeEndedPage(view) ??
          makeFormPage(view, token, { csrf: deriveCsrfToken(token), fields: {}, faults: new Map() })
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
        makeEndedPage(view) ??
        makeFormPage(
          view,
          token,
          {
            csrf: deriveCsrfToken(token),
            fields,
            faults: mapFieldMessages(errors ?? []),
            ...(notice === undefined ? {} : { notice })
          },
          status
        )
    )

  const send = page((token, request) =>
    Effect.gen(function* () {
      const read = yield* Effect.result(readBodyBytes(request))
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
      if (!isSameText(sent.get("csrf") ?? "", deriveCsrfToken(token)))
        return yield* showErrors(
          token,
          fields,
          { notice: "The form was not sent from this page. Check your details and send it again." },
          403
        )
      const view = yield* Effect.result(hosted.submit(token, fields))
      if (Result.isSuccess(view)) return leaveForm(view.success)
      if (view.failure._tag === "BadRequest")
        return yield* showErrors(token, fields, { errors: view.failure.errors }, 400)
      return yield* view.failure
    }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(unknownPage)))
  )

  const stylesheet = makeTextDocument(style, {
    contentType: "text/css; charset=utf-8",
    cacheControl: "public, max-age=300",
    headers: makeSecurityHeaders()
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
