/**
 * The world outside: what a bank's customers, payers and staff do. For tests and demonstrations, from this machine alone,
 * with a token. It is no part of the protocol.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { receive } from "./accounts.ts"
import { BadRequest, type Bank, type Body, isInstant } from "./commands.ts"
import { isAmounts } from "./config.ts"
import { clear, verify } from "./parties.ts"
import { conclude, type Ending, type Payment } from "./payments.ts"
import type { Answer } from "./server.ts"

const payments: Readonly<Record<string, Payment>> = { payouts: "payout", conversions: "conversion", refunds: "refund" }

const endingIn = (operation: Payment, { amount, outcome, reason }: Body): Ending => {
  for (const [name, value] of Object.entries({ amount, reason }))
    if (value !== undefined && typeof value !== "string")
      throw new BadRequest(`${name}: found ${JSON.stringify(value)}; a text is taken`)
  if (amount !== undefined && operation !== "payout")
    throw new BadRequest(`amount: found ${JSON.stringify(amount)}; a ${operation} ends whole`)
  return { outcome: String(outcome), amount, reason }
}

/** `POST /admin/settings`: whether submissions are taken, the rates, and the time of the rates (absent: now). */
const set = ({ db }: Bank, { availability, rates, rates_at }: Body): void => {
  const save = (name: string, value: string): void =>
    db.run("insert into settings values (?, ?) on conflict (name) do update set value = excluded.value", name, value)
  if (availability !== undefined && availability !== "open" && availability !== "closed")
    throw new BadRequest(`availability: found ${JSON.stringify(availability)}; open or closed is taken`)
  if (rates !== undefined && !isAmounts(rates))
    throw new BadRequest(`rates: found ${JSON.stringify(rates)}; an object such as {"NGN":"1500.25"} is taken`)
  if (rates_at !== undefined && !isInstant(rates_at))
    throw new BadRequest(
      `rates_at: found ${JSON.stringify(rates_at)}; an instant such as 2026-01-31T12:00:00Z is taken`
    )
  db.transaction(() => {
    if (availability !== undefined) save("availability", availability)
    if (rates !== undefined || rates_at !== undefined) save("rates", JSON.stringify({ rates, at: rates_at }))
  })
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address)

/** Answers 404 for who may not use it, as if it were not there. */
export const administer = (
  bank: Bank,
  request: IncomingMessage,
  { id, what }: { readonly what: string; readonly id: string },
  read: () => Body
): Answer => {
  const reply = (status: number, body: object): Answer => ({
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const { admin_token } = bank.config
  const given = digest(request.headers.authorization ?? "")
  const isAllowed =
    admin_token !== undefined &&
    isLoopback(request.socket.remoteAddress) &&
    timingSafeEqual(given, digest(`Bearer ${admin_token}`))
  if (!isAllowed || request.method !== "POST") return reply(404, { error: "not found" })
  const body = read()
  const payment = payments[what]
  if (payment !== undefined) conclude(bank, payment, id, endingIn(payment, body))
  else if (what === "payins") return reply(200, receive(bank, body))
  else if (what === "verifications") verify(bank, id, body)
  else if (what === "screenings") clear(bank, id, body)
  else if (what === "settings") set(bank, body)
  else return reply(404, { error: "not found" })
  return reply(200, {})
}
