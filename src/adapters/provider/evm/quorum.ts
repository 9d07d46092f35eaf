/**
 * The JSON-RPC nodes of a chain, and what a quorum of them answers alike. A node that is away, serves another chain, or says
 * something else than the others counts as no answer.
 */
import { Effect } from "effect"
import { type EIP1193RequestFn, hexToNumber, http } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { limitFetch, RPC_MAX_BYTES } from "../../../protocol/bounded-fetch.ts"

export type NodeAsk = EIP1193RequestFn

export interface QuorumOptions {
  readonly chain_id: number
  readonly rpc_urls: ReadonlyArray<string>
  /** The number of nodes that must agree. */
  readonly quorum: number
  readonly timeout_ms: number
}

/** How a node is reached. */
export type Connect = (url: string, timeout_ms: number) => NodeAsk

/** A URL may have a credential in it: no redirect is followed, and no answer is read without a bound. */
const answers = { fetchFn: limitFetch(RPC_MAX_BYTES), maxResponseBodySize: RPC_MAX_BYTES }

const connectOverHttp: Connect = (url, timeout_ms) =>
  http(url, { retryCount: 0, timeout: timeout_ms, ...answers })({}).request as NodeAsk

export const makeQuorumFault = (message: string, cause?: unknown): ProviderFault =>
  new ProviderFault({ message, ...(cause === undefined ? {} : { cause }) })

/** How long the answers of other nodes are waited for, once there are enough. */
const graceMs = 250

/** A node can answer with a page. */
const reasonMax = 200

/** Decodes percent-encoding. Returns the text itself where it is malformed. */
const decodeUri = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Describes an error of viem: its first line, with the status of the answer, and without the parts of URLs that may be a credential. */
export const describeFailure = (cause: unknown, urls: ReadonlyArray<string>): string => {
  const { details, status } = cause as { readonly details?: string; readonly status?: number }
  const text = details ?? (cause instanceof Error ? cause.message : String(cause))
  const line = text.trim().split("\n", 1)[0]!
  // What may be a credential in a URL, as it is there and as an error may show it.
  const safe = urls
    .flatMap((text) => {
      const { password, pathname, search, searchParams, username } = new URL(text)
      const parts = [username, password, ...pathname.split("/"), ...search.split(/[?&=]/)]
      const written = parts.filter(({ length }) => length >= 6).flatMap((part) => [part, decodeUri(part)])
      return [...written, ...[...searchParams.values()].filter(({ length }) => length >= 6)]
    })
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, secret) => left.replaceAll(secret, "…"), line)
  return `${status === undefined ? "" : `HTTP ${status}: `}${safe.slice(0, reasonMax)}`
}

/** Connects to the nodes. Each is first asked which chain it serves. */
const connectNodes = ({ chain_id, rpc_urls, timeout_ms }: QuorumOptions, connect: Connect) =>
  rpc_urls.map((url, index) => {
    const request = connect(url, timeout_ms)
    let served: Promise<void> | undefined
    const serve = async (): Promise<void> => {
      const found = hexToNumber(await request({ method: "eth_chainId" }))
      if (found !== chain_id) throw new TypeError(`rpc_urls[${index}] serves the chain ${found}, not ${chain_id}`)
    }
    return async <A>(read: (ask: NodeAsk) => Promise<A>): Promise<A> => {
      served ??= serve()
      try {
        await served
      } catch (cause) {
        served = undefined
        throw cause
      }
      return read(request)
    }
  })

export const makeQuorum = (options: QuorumOptions, connect: Connect = connectOverHttp) => {
  const { quorum, rpc_urls } = options
  const nodes = connectNodes(options, connect)

  /** The nodes whose last answer took longer than {@link graceMs} after enough others had answered: nobody waits for them. */
  const late = new Set<number>()

  /** The answers of the nodes; at least `least`. Once so many have answered, the others have {@link graceMs}. */
  const all = <A>(what: string, least: number, read: (ask: NodeAsk) => Promise<A>) =>
    Effect.gen(function* () {
      const given: Array<A> = []
      const reasons: Array<unknown> = []
      const enough = Promise.withResolvers<void>()
      const open = new Set(nodes.keys())
      const asked = nodes.map(async (node, at) => {
        try {
          given.push(await node(read))
          late.delete(at)
          if (given.length >= least) enough.resolve()
        } catch (cause) {
          reasons.push(cause)
        }
        open.delete(at)
      })
      yield* Effect.promise(() => Promise.race([Promise.all(asked), enough.promise]))
      const others = Effect.promise(() => Promise.all(asked.filter((_, at) => !late.has(at))))
      yield* Effect.raceFirst(others, Effect.sleep(graceMs))
      for (const at of open) late.add(at)
      if (given.length >= least) return [...given]
      return yield* makeQuorumFault(
        `${given.length} of ${nodes.length} nodes answer ${what}, ${least} are required`,
        reasons[0]
      )
    })

  /** What a quorum of nodes answers alike. It does not wait for the others. */
  const agreed = <A>(what: string, read: (ask: NodeAsk) => Promise<A>): Effect.Effect<A, ProviderFault> =>
    Effect.tryPromise({
      try: () =>
        new Promise<A>((resolve, reject) => {
          const votes = new Map<string, number>()
          let left = nodes.length
          let reason: unknown
          const close = (): void => {
            left -= 1
            if (left > 0) return
            const answered = [...votes.values()].reduce((sum, count) => sum + count, 0)
            reject(
              answered >= quorum
                ? makeQuorumFault(`the nodes disagree about ${what}`)
                : makeQuorumFault(`${answered} of ${nodes.length} nodes answer ${what}, ${quorum} are required`, reason)
            )
          }
          for (const node of nodes)
            node(read).then(
              (answer) => {
                const text = JSON.stringify(answer)
                const count = (votes.get(text) ?? 0) + 1
                votes.set(text, count)
                if (count >= quorum) resolve(answer)
                close()
              },
              (cause: unknown) => {
                reason = cause
                close()
              }
            )
        }),
      catch: (cause) => (cause instanceof ProviderFault ? cause : makeQuorumFault(`no answer for ${what}`, cause))
    })

  return {
    all,
    agreed,
    /** What each node answers, with its host, for people: a URL may contain a credential. */
    each: <A>(read: (ask: NodeAsk) => Promise<A>) =>
      Effect.promise(() =>
        Promise.all(
          nodes.map(async (node, at) => {
            const found = await node(read).then(
              (answer) => ({ answer }),
              (cause: unknown) => ({ reason: describeFailure(cause, rpc_urls) })
            )
            return { node: `rpc_urls[${at}] (${new URL(rpc_urls[at]!).host})`, ...found }
          })
        )
      )
  }
}
