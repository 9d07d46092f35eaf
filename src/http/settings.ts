import { Context } from "effect"
import type { Admission } from "../engine/calls/Admission.ts"

/** What the HTTP layer must know of the process it serves in. */
export interface Settings {
  readonly environment: "test" | "live"
  /** Without a slash at the end. */
  readonly base_url: string
  readonly docs_url: string
  /** SHA-256 of the operator's token, hex. */
  readonly operator_token_hash: string
  /** Money-movement writes of a merchant; 0: not limited. */
  readonly rate_per_second: number
  /** Who is let in, where something before the routes asks that too; by default the routes keep their own count. */
  readonly admission?: Admission
}

export class HttpSettings extends Context.Service<HttpSettings, Settings>()("corridor/http/HttpSettings") {}
