/**
 * The pages of a hosted verification. They need no script: the server renders errors next to their fields and in a summary
 * with links, and keeps the submitted values. It never sends a document number back.
 */
import type { HttpServerResponse } from "effect/http"
import type { FieldFault } from "../../engine/ports/errors.ts"
import type { idTypes } from "../../engine/resources/parties/customer.ts"
import type { HostedFields, HostedView } from "../../engine/work/providers/hosted-verification.ts"
import { escape, page, type Policy } from "../docs/html.ts"

/** Relative to the page. */
const style = "style.css"

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

/** The errors of a form, in the order of its fields, as messages for the person who filled it in. */
export const mapFieldMessages = (errors: ReadonlyArray<FieldFault>): ReadonlyMap<Name, string> =>
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

const field = (
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
    (fault === undefined ? "" : `<span class="fault" id="${faulted}">${escape(fault)}</span>`) +
    control(
      `id="${name}" name="${name}" required` +
        (described.length === 0 ? "" : ` aria-describedby="${described.join(" ")}"`) +
        (fault === undefined ? "" : ` aria-invalid="true"${isFirst ? " autofocus" : ""}`)
    ) +
    `</div>`
  )
}

const makeTextInput = (more: string, value: string | undefined) => (attributes: string) =>
  `<input type="text" ${attributes} ${more}${value === undefined ? "" : ` value="${escape(value)}"`}>`

const choice = (chosen: string | undefined) => (attributes: string) =>
  `<select ${attributes}><option value="">Choose a document</option>` +
  Object.entries(documents)
    .map(([value, label]) => `<option value="${value}"${value === chosen ? " selected" : ""}>${escape(label)}</option>`)
    .join("") +
  `</select>`

const summary = ({ faults, notice }: Form): string =>
  faults.size === 0 && notice === undefined
    ? ""
    : `<div class="summary" role="alert"><h2>${faults.size === 0 ? "Nothing was sent" : "Some details need another look"}</h2>` +
      (notice === undefined ? "" : `<p>${escape(notice)}</p>`) +
      (faults.size === 0
        ? ""
        : `<ul>${[...faults].map(([name, fault]) => `<li><a href="#${name}">${escape(fault)}</a></li>`).join("")}</ul>`) +
      `</div>`

const requestSummary = ({ deposit_limit_usd, merchant_name, tier }: HostedView): string =>
  `<dl><dt>Asked for by</dt><dd>${escape(merchant_name)}</dd>` +
  `<dt>Verification</dt><dd>${levels[tier]}</dd>` +
  `<dt>What it opens</dt><dd>${deposit_limit_usd === null ? "Deposits without a limit" : `Deposits of up to USD ${deposit_limit_usd} in all`}</dd></dl>`

const document = (
  title: string,
  body: string,
  status: number,
  policy: Policy = {}
): HttpServerResponse.HttpServerResponse =>
  page(title, `<main>${body}</main>`, {
    ...policy,
    inert: true,
    status,
    style,
    headers: { "x-robots-tag": "noindex" }
  })

/** The form, empty or with the submitted values. `action` is the URL of the page, relative to itself. */
export const formPage = (
  view: HostedView,
  action: string,
  form: Form,
  status = 200
): HttpServerResponse.HttpServerResponse => {
  const { fields } = form
  const isAgain = form.faults.size > 0 || form.notice !== undefined
  const body =
    `<h1>Confirm your identity</h1>` +
    `<p>${escape(view.merchant_name)} asks you to confirm who you are. You need an identity document at hand.</p>` +
    requestSummary(view) +
    summary(form) +
    `<p class="dim">All fields are needed.</p>` +
    `<form method="post" action="${escape(action)}" novalidate><input type="hidden" name="csrf" value="${escape(form.csrf)}">` +
    field(
      "name",
      "Full name",
      "As it stands on your document",
      form,
      makeTextInput(`autocomplete="name" maxlength="255"`, fields.name)
    ) +
    field(
      "date_of_birth",
      "Date of birth",
      "Month, day and year as MM/DD/YYYY, such as 01/31/1990",
      form,
      makeTextInput(`autocomplete="bday" inputmode="numeric" maxlength="10"`, fields.date_of_birth)
    ) +
    field("document_type", "Identity document", null, form, choice(fields.document_type)) +
    field(
      "document_number",
      "Document number",
      isAgain ? "Enter it again: for your safety it is not kept on this page" : "As printed on your document",
      form,
      makeTextInput(`autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="64"`, undefined)
    ) +
    `<button type="submit">Send for verification</button></form>` +
    `<footer>Your details go to ${escape(view.merchant_name)} and its verification provider, and are used to confirm your identity.</footer>`
  const title = `${isAgain ? "Error: " : ""}Confirm your identity | ${view.merchant_name}`
  // The origin of a URL, for a content security policy; `undefined` if a policy cannot express it.
  const url = view.redirect_url
  const origin = url === null ? undefined : URL.parse(url)?.origin
  return document(title, body, status, {
    form: true,
    sends_to: origin !== undefined && /^https:\/\/[A-Za-z0-9.:[\]-]+$/.test(origin) ? origin : undefined
  })
}

const thanks = ({ merchant_name, redirect_url }: HostedView, sentence: string): HttpServerResponse.HttpServerResponse =>
  document(
    `Thank you | ${merchant_name}`,
    `<h1>Thank you</h1><p>${sentence} There is nothing more to do here.</p>` +
      (redirect_url === null
        ? `<p class="dim">You can close this page.</p>`
        : `<p><a href="${escape(redirect_url)}">Back to ${escape(merchant_name)}</a></p>`),
    200
  )

/** The page after the verification has ended. The merchant communicates the outcome. */
export const makeEndedPage = (view: HostedView): HttpServerResponse.HttpServerResponse =>
  thanks(view, `Your details have been checked, and ${escape(view.merchant_name)} has been told the outcome.`)

/** The page while the details are being reviewed. */
export const makeSubmittedPage = (view: HostedView): HttpServerResponse.HttpServerResponse =>
  thanks(
    view,
    `Your details have been sent and are being checked. ${escape(view.merchant_name)} will be told the outcome.`
  )

export const makeLapsedPage = ({ merchant_name }: HostedView): HttpServerResponse.HttpServerResponse =>
  document(
    `This link has expired | ${merchant_name}`,
    `<h1>This link has expired</h1><p>Links to confirm your identity can be used for 24 hours. Ask ${escape(merchant_name)} for a new one.</p>`,
    410
  )

export const unknownPage = document(
  "Link not found",
  `<h1>There is no such link</h1><p>Check that the whole address was copied, or ask the sender for a new one.</p>`,
  404
)

export const failedPage = document(
  "Something went wrong",
  `<h1>Something went wrong</h1><p>It is our fault, not yours. Go back and try again in a moment: nothing is lost, and a form that was sent twice counts once.</p>`,
  500
)
