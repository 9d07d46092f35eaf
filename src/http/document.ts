/**
 * Documents: what is the same for everyone. Their bytes are made once, also compressed, and have an `ETag`, so that a response
 * costs no more than its bytes (HTTP-15).
 */
import { createHash } from "node:crypto"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { BoundedMap } from "../engine/ports/bounded-map.ts"

type Response = HttpServerResponse.HttpServerResponse
type Coding = "br" | "gzip" | "identity"

export type Document = (request: HttpServerRequest.HttpServerRequest) => Response

/** Fewer bytes are not compressed: they fit into one packet. */
const compressedMin = 1024

const compress = {
  br: (bytes: Uint8Array) =>
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    }),
  gzip: (bytes: Uint8Array) => gzipSync(bytes)
}

/**
 * Chooses the coding that `Accept-Encoding` prefers (RFC 9110, 12.5.3); of equal ones the smaller. Undefined: no coding, because
 * the header is missing or accepts none of them.
 */
export const chooseCoding = (accepted: string | undefined): Coding => {
  const weights = new Map(
    (accepted ?? "").split(",").flatMap((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      const [, weight = "1"] = /^q=([01](?:\.\d{0,3})?)$/.exec(parameters[0] ?? "") ?? []
      return name === "" ? [] : [[name === "x-gzip" ? "gzip" : name, Number(weight)] as const]
    })
  )
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get("*") ?? 0
  const identity = weights.get("identity") ?? 0
  const [best] = (["br", "gzip"] as const)
    .filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= identity)
    .toSorted((one, other) => weightOf(other) - weightOf(one))
  return best ?? "identity"
}

/** Makes a document. Its bytes are compressed and hashed at the first request. */
export const makeDocument = (
  bytes: Uint8Array,
  options: {
    readonly contentType: string
    readonly cacheControl: string
    readonly headers?: { readonly [name: string]: string }
  }
): Document => {
  const made = new Map<Coding, { readonly tag: string; readonly whole: Response; readonly unchanged: Response }>()
  let hash: string | undefined
  const make = (coding: Coding) => {
    hash ??= createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
    const tag = coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`
    const headers = {
      ...options.headers,
      etag: tag,
      "cache-control": options.cacheControl,
      vary: "accept-encoding"
    }
    const variant = {
      tag,
      whole: HttpServerResponse.uint8Array(coding === "identity" ? bytes : compress[coding](bytes), {
        contentType: options.contentType,
        headers: coding === "identity" ? headers : { ...headers, "content-encoding": coding }
      }),
      unchanged: HttpServerResponse.empty({ status: 304, headers })
    }
    made.set(coding, variant)
    return variant
  }
  return ({ headers }) => {
    const coding = bytes.length < compressedMin ? "identity" : chooseCoding(headers["accept-encoding"])
    const { tag, unchanged, whole } = made.get(coding) ?? make(coding)
    // `If-None-Match` has a list of tags, compared weakly, or `*` (RFC 9110, 13.1.2).
    const given = headers["if-none-match"] ?? ""
    const isNamed = given.trim() === "*" || [...given.matchAll(/"[^"]*"/g)].some(([named]) => named === tag)
    return isNamed ? unchanged : whole
  }
}

export const makeTextDocument = (text: string, options: Parameters<typeof makeDocument>[1]): Document =>
  makeDocument(new TextEncoder().encode(text), options)

/** Makes a function that computes a value once for each of the last `max` keys, also for concurrent callers. A failure is not kept. */
export const memoize = <A>(max: number): ((key: string, make: () => Promise<A>) => Promise<A>) => {
  const kept = new BoundedMap<string, Promise<A>>(max)
  return (key, make) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const making = make()
    kept.set(key, making)
    making.catch(() => {
      if (kept.get(key) === making) kept.delete(key)
    })
    return making
  }
}
