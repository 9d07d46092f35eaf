/** The options of clients and of calls. */

/** What the client needs of `fetch`. The global one of every runtime fits. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    /** A file is sent as its bytes. */
    readonly body?: string | Uint8Array<ArrayBuffer>
    readonly redirect: "manual"
    readonly signal: AbortSignal
  }
) => Promise<{
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly text: () => Promise<string>
}>

/** Time and chance. Tests replace them. */
export interface Environment {
  /** The time in epoch milliseconds. */
  readonly now: () => number
  /** Runs `run` after `ms` milliseconds. The result cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
  /** A number from 0 to 1, without 1: how much of a backoff is waited. */
  readonly random: () => number
  /** A new idempotency key: 8 to 255 letters, digits, underscores and hyphens that no other call has. */
  readonly makeKey: () => string
}

export interface ConnectionOptions {
  /** The address of the service, without `/v1`, such as `https://corridor.example`. */
  readonly baseUrl: string
  /** Milliseconds that one attempt may take, from 1 to 2,147,483,647. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** How often a call is repeated at most after its first attempt. Default: 3. */
  readonly maxRetries?: number | undefined
  /** Whether unknown members of inputs are rejected with `unknown_field`. Default: false, they are ignored. */
  readonly strict?: boolean | undefined
  /** Headers that each request has, such as those of a gateway, in ASCII. None of those that the client sets itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Default: those of the runtime. */
  readonly environment?: Partial<Environment> | undefined
}

export interface ClientOptions extends ConnectionOptions {
  /** The API key of a merchant, `sk_…`. Never put it into a page or an app that others can read. */
  readonly apiKey: string
}

export interface OperatorClientOptions extends ConnectionOptions {
  /** The token of an operator. */
  readonly token: string
}

export interface CallOptions {
  /** Ends the call. Of a call that may have had an effect, the outcome is then unknown. */
  readonly signal?: AbortSignal | undefined
  /** Default: that of the client. */
  readonly timeoutMs?: number | undefined
  /** Default: that of the client. */
  readonly maxRetries?: number | undefined
  /** Default: that of the client. */
  readonly strict?: boolean | undefined
  /** The request id: 1 to 128 letters, digits, underscores and hyphens. Default: the service chooses one. */
  readonly requestId?: string | undefined
}

export interface DryRunOptions {
  /**
   * Whether the call is decided and not committed. The result is the one that the call would have now, and `dryRunOf` says what it would
   * do. Nothing is written, and no idempotency key is used up. Default: false.
   */
  readonly dryRun?: boolean | undefined
}

export interface CreateOptions extends CallOptions, DryRunOptions {
  /**
   * 8 to 255 letters, digits, underscores and hyphens. Within 24 hours, the same key with the same input returns the first result
   * and has no other effect. Give one that you store with your own record: then a call can be repeated after a crash of your
   * process. Default: a random key, which protects the retries of this call.
   */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions, DryRunOptions {
  /** The version to change, from `versionOf`. If a newer version exists, the call is rejected with `conflict`. */
  readonly ifMatch?: string | undefined
}
