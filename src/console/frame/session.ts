/** Who is signed in. The browser keeps the session's cookie only; scripts cannot read it. */
import type { ActingOperator, ApiKey } from "../../client/generated/resources.ts"
import { signal } from "@preact/signals"
import { formatList, t } from "./language.ts"
import { words } from "../parts/text.ts"
import { base } from "./base.ts"

type OperatorRole = ActingOperator["role"]
type MerchantRole = ApiKey["role"]

interface SessionOf<Type extends string, Role> {
  readonly type: Type
  readonly name: string
  readonly role: Role
  readonly operator_id: string | null
  readonly key_id: string | null
  readonly merchant_id: string | null
  readonly merchant_name: string | null
  readonly environment: "test" | "live"
  readonly csrf_token: string
  readonly expires_at: string
  readonly server_version: string
}

export type SignedIn = SessionOf<"operator", OperatorRole> | SessionOf<"merchant", MerchantRole>

/** `undefined` until the server has been asked; `null`: nobody is signed in. */
export const session = signal<SignedIn | null | undefined>(undefined)

/** Why the sign-in page is shown, where the person did not ask for it. */
export const signInReason = signal<string | null>(null)

export const readCsrfToken = (): string => session.peek()?.csrf_token ?? ""

/** Ends the session in the console, after it ended on the server: it expired, or its key or operator was revoked. */
export const endSession = (): void => {
  if (session.peek()) signInReason.value = t("Your session has ended. Sign in to continue on this page.")
  session.value = null
}

const requestSession = (init: RequestInit): Promise<Response> =>
  fetch(`${base}/session`, { credentials: "same-origin", cache: "no-store", ...init })

const readSession = async (response: Response): Promise<SignedIn> => {
  const body = (await response.json()) as SignedIn | { readonly data: SignedIn }
  return "data" in body ? body.data : body
}

/** Asks the server who is signed in. */
export const loadSession = async (): Promise<void> => {
  const response = await requestSession({}).catch(() => undefined)
  if (response === undefined)
    signInReason.value = t("The server cannot be reached. Check your connection, then reload.")
  session.value = response?.ok === true ? await readSession(response) : null
}

/** Signs in with an operator's token or a merchant's API key. Returns the reason if that fails, or `null`. */
export const signIn = async (token: string): Promise<string | null> => {
  const response = await requestSession({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token })
  }).catch(() => undefined)
  if (response === undefined) return t("The server cannot be reached. Check your connection, then try again.")
  if (response.ok) {
    signInReason.value = null
    session.value = await readSession(response)
    return null
  }
  if (response.status === 401) return t("This is not a valid operator token or API key. Check for missing characters.")
  if (response.status === 429) return t("Too many attempts. Wait a minute, then try again.")
  const refusal = (await response.json().catch(() => ({}))) as { readonly message?: string }
  return refusal.message ?? t("The server refused the sign-in with status {status}.", { status: response.status })
}

export const signOut = async (): Promise<void> => {
  await requestSession({ method: "DELETE", headers: { "x-csrf-token": readCsrfToken() } }).catch(() => undefined)
  signInReason.value = null
  session.value = null
}

const operatorRoles: ReadonlyArray<OperatorRole> = ["viewer", "support", "treasury", "admin"]

/** Whether the session is an operator's, and not a merchant's. */
export const isOperator = (): boolean => session.value?.type === "operator"

/** Whether the signed-in operator has at least this role. The server decides; this only hides acts that it would refuse. */
export const operatorMay = (least: OperatorRole): boolean => {
  const current = session.value
  return current?.type === "operator" && operatorRoles.indexOf(current.role) >= operatorRoles.indexOf(least)
}

/** Whether an act is offered; a text says which role it needs. */
export type Allowed = boolean | string

const formatRole = (role: string): string => words(role).toLowerCase()

/** Allows an act to operators with at least this role. Otherwise returns the text that names the role. */
export const allowOperator = (least: OperatorRole): Allowed =>
  operatorMay(least) || t("needs the role {roles}", { roles: formatRole(least) })

/** Allows an act to merchant keys with one of these roles. Otherwise returns the text that names them. */
export const allowMerchant = (...roles: ReadonlyArray<MerchantRole>): Allowed =>
  merchantMay(...roles) || t("needs the role {roles}", { roles: formatList(roles.map(formatRole), "disjunction") })

/** Whether the session is a merchant key with one of these roles. */
export const merchantMay = (...roles: ReadonlyArray<MerchantRole>): boolean => {
  const current = session.value
  return current?.type === "merchant" && roles.includes(current.role)
}
