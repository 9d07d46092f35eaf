/** What the options of every chain have in common. This file loads nothing. */
import { formerlyFault } from "../../../engine/ports/provider-registry.ts"

export interface NamedChain {
  readonly name: string
  readonly formerly?: ReadonlyArray<string>
  readonly rpc_urls: ReadonlyArray<string>
  readonly tokens: { readonly [currency: string]: unknown }
}

/** Finds the first invalid option that all chains have, as one sentence. A URL may contain a credential, so the sentence shows none. */
export const findChainOptionFault = ({ formerly, name, rpc_urls, tokens }: NamedChain): string | undefined => {
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name))
    return `name is ${JSON.stringify(name)}; it must be a word of a-z, 0-9, _ and -`
  const wrongNames = formerlyFault({ name, formerly })
  if (wrongNames !== undefined) return wrongNames
  if (rpc_urls.length === 0) return "rpc_urls is empty; at least one URL is required"
  const wrong = rpc_urls.findIndex((one) => !URL.canParse(one) || !/^https?:$/.test(new URL(one).protocol))
  if (wrong >= 0) return `rpc_urls[${wrong}] is no URL of a JSON-RPC node; it must begin with http:// or https://`
  return Object.keys(tokens).length === 0 ? "tokens is empty; at least one token is required" : undefined
}
