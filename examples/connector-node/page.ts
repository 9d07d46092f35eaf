/** The page that a customer opens to be verified. Opening it and finishing it are told to Corridor. */
import { type Bank, BadRequest } from "./commands.ts"
import { linked, verify } from "./parties.ts"

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const html = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`

export interface Page {
  readonly status: number
  readonly html: string
  readonly location?: string
}

/**
 * A document whose number ends in 0000 is declined, any other is approved: a bank puts its own checks here.
 *
 * `form`: what was sent with POST. Undefined: the page was opened.
 */
export const verificationPage = (bank: Bank, id: string, token: string | null, form?: URLSearchParams): Page => {
  const command = linked(bank, id, token)
  if (command === undefined) return { status: 410, html: html("This link does not hold any more", "") }
  const { customer, redirect_url } = command.content
  const moved = (outcome: string, reason: string | null): void => {
    try {
      verify(bank, id, { outcome, reason })
    } catch (error) {
      // Opened or sent twice: the first counts.
      if (!(error instanceof BadRequest)) throw error
    }
  }
  if (form === undefined) {
    moved("opened", null)
    const text = `<p>${escaped(String(customer.name))}, which document identifies you?</p>`
    const field = `<label>Number <input name="document_number" required></label> <button>Send</button>`
    return { status: 200, html: html("Example Bank verification", `${text}<form method="post">${field}</form>`) }
  }
  const isDeclined = /0000\s*$/.test(form.get("document_number") ?? "")
  moved(isDeclined ? "rejected" : "approved", isDeclined ? "declined" : null)
  const done = html("Thank you", "<p>You can close this page.</p>")
  return typeof redirect_url === "string"
    ? { status: 303, html: done, location: redirect_url }
    : { status: 200, html: done }
}
