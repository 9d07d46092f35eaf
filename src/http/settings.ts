import { Context } from "effect"
import type { Admission } from "../engine/calls/Admission.ts"

export interface HttpSettingsShape {
  readonly environment: "test" | "live"
  /** Without a trailing slash. */
  readonly base_url: string
  readonly docs_url: string
  /** SHA-256 of the operator token (hex). */
  readonly operator_token_hash: string
  /** SHA-256 (hex) of the token that `/metrics` requires. Default: an operator's, unless `open_metrics` says that there is none. */
  readonly metrics_token_hash?: string
  /** Whether `/metrics` without a token of its own needs none on loopback. Default: in `test`. */
  readonly open_metrics?: boolean
  /** The rate limit for money-movement writes, per merchant. 0: no limit. */
  readonly rate_per_second: number
  /** Whether `/console` is served. Default: true. */
  readonly console?: boolean
  /** The admission that the routes share with a server that rejects requests earlier. Default: an admission for the routes. */
  readonly admission?: Admission
}

export class HttpSettings extends Context.Service<HttpSettings, HttpSettingsShape>()("corridor/http/HttpSettings") {}
