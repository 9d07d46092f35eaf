import { Context } from "effect"
import type { Admission } from "../engine/calls/Admission.ts"

/**
 * How long a connection is kept without a request, in seconds, if it is not set: longer than most load balancers keep theirs (60 to 120 s).
 * Who reuses a connection must be who closes it. Otherwise a request meets a closed connection, and its outcome is unknown.
 */
export const keepAliveSeconds = 130

/** How long a peer may take to read a response, in seconds, if it is not set. */
export const sendSeconds = 120

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
