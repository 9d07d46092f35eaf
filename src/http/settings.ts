import { Context } from "effect"

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
}

export class HttpSettings extends Context.Service<HttpSettings, Settings>()("corridor/http/HttpSettings") {}
