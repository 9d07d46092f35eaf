/** Checks of people: screening of beneficiaries, and verification of customers on a page of the bank's own. */
import { randomBytes } from "node:crypto"
import {
  BadRequest,
  type Bank,
  type Body,
  type Command,
  find,
  lookUp,
  once,
  type Request,
  type Result,
  update
} from "./commands.ts"
import { record } from "./events.ts"

/** A bank asks its sanctions lists here. These words let a test choose. */
const screened = (name: string): string =>
  /\bsanctioned\b/i.test(name) ? "refused" : /\breview\b/i.test(name) ? "held" : "cleared"

/** `POST /screen`: the id is the screening's. `held`: the verdict follows as an event. */
export const screen = (bank: Bank, request: Request): Result => {
  const found = once(bank, "screen", request, ({ name }) => ({ status: screened(name) }))
  if (typeof found === "string") throw new BadRequest(`id: the screening ${request.id} is known with other content`)
  return { status: found.status }
}

/** The verdict on a held screening. */
export const clear = (bank: Bank, screening_id: string, body: Body): void => {
  const { cleared } = body
  if (typeof cleared !== "boolean")
    throw new BadRequest(`cleared: found ${JSON.stringify(cleared)}; true or false is taken`)
  bank.db.transaction(() => {
    const command = find(bank.db, "screen", screening_id)
    if (command?.status !== "held") throw new BadRequest(`id: no held screening has the id ${screening_id}`)
    const { merchant_id, resource_id } = command.content
    update(bank.db, command, cleared ? "cleared" : "refused", {})
    record(bank, "screened", { merchant_id, resource_id, screening_id, cleared })
  })
}

const lifetime_ms = 24 * 60 * 60 * 1000

/** Starts a verification. Its page is at `base_url`, under a token that nobody can guess. */
export const verification = (bank: Bank, request: Request, base_url: string): Result => {
  const token = randomBytes(32).toString("base64url")
  const found = once(bank, "verification", request, () => ({
    status: "pending",
    result: {
      token,
      hosted_url: `${base_url}/verify/${encodeURIComponent(request.id)}?token=${token}`,
      expires_at: new Date(Date.now() + lifetime_ms).toISOString()
    }
  }))
  if (typeof found === "string") return { status: found }
  const { expires_at, hosted_url } = found.result
  return { status: "started", hosted_url, expires_at }
}

export const verificationStatus = (bank: Bank, request: Request): Result => {
  const found = lookUp(bank, "verification", request)
  if (found === undefined) return { status: "absent" }
  return found.status === "rejected"
    ? { status: "rejected", reason: found.result["reason"] ?? null }
    : { status: found.status }
}

const next: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["opened", "approved", "rejected"],
  opened: ["approved", "rejected"]
}

/** Moves a verification, and tells Corridor. Errors: throws {@link BadRequest} for an outcome that cannot follow. */
export const verify = (bank: Bank, id: string, { outcome, reason = null }: Body): void =>
  bank.db.transaction(() => {
    const command = find(bank.db, "verification", id)
    if (command === undefined) throw new BadRequest(`id: no verification has the id ${id}`)
    const taken = next[command.status] ?? []
    if (!taken.includes(outcome))
      throw new BadRequest(
        `outcome: found ${JSON.stringify(outcome)}; the verification is ${command.status}, and ${taken.length === 0 ? "none" : taken.join(", ")} is taken`
      )
    const { merchant_id, resource_id } = command.content
    update(bank.db, command, outcome, { ...command.result, reason })
    record(bank, "verification", { merchant_id, resource_id, outcome, reason })
  })

/** The verification of a link, while the link holds. */
export const linked = ({ db }: Bank, id: string, token: string | null): Command | undefined => {
  const command = find(db, "verification", id)
  const holds =
    command !== undefined && command.result["token"] === token && Date.parse(command.result["expires_at"]) > Date.now()
  return holds ? command : undefined
}
