/** `corridor doctor` and `corridor rescan` with adapters of a chain: each thing that an adapter depends on, broken alone. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { evmProvider } from "../../src/adapters/provider/evm.ts"
import { solanaProvider } from "../../src/adapters/provider/solana.ts"
import { localSigner } from "../../src/adapters/signer/local.ts"
import { checkAdapters } from "../../src/cli/adapters.ts"
import { adapter, type ProviderAdapter } from "../../src/engine/ports/adapter.ts"
import { loadOptionalPeer } from "../../src/engine/ports/optional-peer.ts"
import { Provider } from "../../src/engine/ports/Provider.ts"
import type { Config } from "../../src/http/config/config.ts"
import { type EvmChain, optionsFor, startChain } from "../support/chains/evm-world.ts"
import { type RpcProxy, startProxy } from "../support/chains/rpc-proxy.ts"
import { corridor } from "../support/cli/command-line.ts"
import { kmsSigner } from "../../src/adapters/signer/kms.ts"
import { ed25519Service } from "../adapters/signer/support.ts"
import { covers } from "../support/repository/covers.ts"

let chain: EvmChain
let proxy: RpcProxy
const folder = mkdtempSync(join(tmpdir(), "corridor-adapters-"))

beforeAll(async () => {
  chain = await startChain()
  await chain.finalize()
  proxy = await startProxy(chain.url)
})
afterAll(async () => {
  await proxy.stop()
  await chain.stop()
  rmSync(folder, { recursive: true, force: true })
})

const signer = localSigner({ keys: { hot: { curve: "secp256k1" }, other: { curve: "ed25519" } } })
const base = (more: object = {}) => evmProvider({ signer, ...optionsFor(chain, more) })

const checked = (...providers: ReadonlyArray<ProviderAdapter>) =>
  Effect.runPromise(checkAdapters({ providers } as unknown as Config))

/** The lines of what is wrong. */
const wrong = async (...providers: ReadonlyArray<ProviderAdapter>) =>
  (await checked(...providers)).filter(({ status }) => status === "fail").map(({ sentence }) => sentence)

const hostOf = (url: string) => new URL(url).host

describe("an adapter that is asked", () => {
  covers("CLI-17")
  it("says of each node, token and key that it can be used, and what it believes", async () => {
    const found = await checked(base())
    expect(found.map(({ sentence, status }) => `${status} ${sentence.replace(/block is \d+/, "block is N")}`)).toEqual([
      `ok base: rpc_urls[0] (${hostOf(chain.url)}) serves the chain 8453; its final block is N`,
      "ok base: tokens.USDC has 6 decimals, and its balances at the final block can be read",
      "ok base: tokens.USDT has 18 decimals, and its balances at the final block can be read",
      "ok base: the signer has the key hot",
      expect.stringMatching(/^warn base believes a single node: with a quorum of 1/)
    ])
    const several = await checked(base({ rpc_urls: [chain.url, `${chain.url}/`, proxy.url] }))
    expect(several.filter(({ status }) => status !== "ok")).toEqual([])
    expect(several).toHaveLength(6)
  })

  covers("CLI-17")
  it.each([
    [
      "nodes of another chain",
      { chain_id: 1 },
      [/serves the chain 8453, not 1/, /USDC .* cannot be read/, /USDT .* cannot be read/]
    ],
    [
      "a node that is not there",
      { rpc_urls: ["http://127.0.0.1:9/secret-key"] },
      [/rpc_urls\[0\] \(127.0.0.1:9\) cannot be used/, /USDC .* cannot be read/, /USDT .* cannot be read/]
    ],
    [
      "a key that the signer does not have",
      { hot_wallet: "cold" },
      [/hot_wallet is cold, which the signer does not have/]
    ],
    [
      "a key of another curve",
      { hot_wallet: "other", signer: kmsSigner({ client: ed25519Service() }) },
      [/hot_wallet is other, a key of ed25519; it takes one of secp256k1/]
    ]
  ] as const)("names %s", async (_, more, expected) => {
    const found = await wrong(base(more))
    expect(found).toEqual(expected.map((one) => expect.stringMatching(one)))
    expect(found.join()).not.toContain("secret-key")
  })

  covers("CLI-17")
  it("that has silent nodes costs their time limit once, however many adapters and tokens there are", async () => {
    let [asked, open, most] = [0, 0, 0]
    const silent = createServer((_, response) => {
      asked++
      most = Math.max(most, ++open)
      response.once("close", () => open--)
    })
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const one = base({ rpc_urls: [url], rpc_timeout_ms: 1500 })
    const found = await wrong(one, one, one)
    silent.close()
    silent.closeAllConnections()
    expect(found).toHaveLength(9)
    // All of them wait at the same time.
    expect([asked > 2, most]).toEqual([true, asked])
  })

  covers("CLI-17")
  it("says what a node answers in place of JSON in one line, with its status and without its credential", async () => {
    const page = createServer((request, response) => {
      response.writeHead(503).end(`${request.url} is busy${" again".repeat(5000)}\n<html>`)
    })
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/v2/secret-key?token=other-secret`
    const found = await wrong(base({ rpc_urls: [url] }))
    page.close()
    page.closeAllConnections()
    expect(found[0]).toMatch(/cannot be used: HTTP 503: "?\/v2\/…\?token=… is busy again/)
    for (const line of found) {
      expect(line.length).toBeLessThan(450)
      expect(line).not.toMatch(/secret|<html>/)
    }
  })

  covers("CLI-17")
  it("names one of several nodes", async () => {
    proxy.treat = () => "away"
    const found = await wrong(base({ rpc_urls: [chain.url, proxy.url, `${chain.url}/`] }))
    proxy.treat = () => "pass"
    expect(found).toEqual([expect.stringContaining(`base: rpc_urls[1] (${hostOf(proxy.url)}) cannot be used`)])
  })

  covers("CLI-17")
  it("names a token with other decimals, one that is none, and a node without the state of its final block", async () => {
    const none = `0x${"77".repeat(20)}`
    expect(
      await wrong(
        base({ tokens: { USDC: { address: chain.usdc, decimals: 2 }, USDT: { address: none, decimals: 18 } } })
      )
    ).toEqual([
      `base: tokens.USDC.decimals is 2; the token at ${chain.usdc} has 6`,
      expect.stringContaining(`base: tokens.USDT at ${none} cannot be read`)
    ])
    proxy.treat = ({ method, params }) =>
      method === "eth_call" && typeof params[1] === "object"
        ? { error: { code: -32000, message: "missing trie node" } }
        : "pass"
    expect(await wrong(base({ rpc_urls: [proxy.url] }))).toEqual([
      expect.stringMatching(/USDC .* cannot be read: .*missing trie node/),
      expect.stringMatching(/USDT .* cannot be read: .*missing trie node/)
    ])
    proxy.treat = () => "pass"
  })

  covers("CLI-17")
  it("names a package that is not installed, and asks the others", async () => {
    const missing = adapter(
      "provider",
      Layer.effect(
        Provider,
        Effect.promise(() =>
          loadOptionalPeer("viem", "corridor/adapters/provider/evm", () => import("viem-is-not-here" as string))
        ) as Effect.Effect<Provider["Service"]>
      )
    )
    const found = await checked(missing, base())
    expect(found[0]).toEqual({
      status: "fail",
      sentence:
        "providers[0] cannot start: corridor/adapters/provider/evm requires the package viem, which is not installed: npm install viem"
    })
    expect(found.filter(({ status }) => status === "ok")).toHaveLength(4)
  })

  covers("CLI-17")
  it("names a Solana node that is not there, without its credential", async () => {
    const found = await checked(
      solanaProvider({
        name: "solana",
        rpc_urls: ["http://127.0.0.1:9/secret-key"],
        tokens: { USDC: { mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6 } },
        hot_wallet: "other",
        signer
      })
    )
    expect(found.map(({ status }) => status)).toEqual(["fail", "fail", "ok", "warn"])
    expect(JSON.stringify(found)).not.toContain("secret-key")
  })
})

/** A configuration file whose adapters are those of the sources. */
const configWith = (name: string, options: object): string => {
  const file = join(folder, `${name}.ts`)
  const at = (path: string): string => JSON.stringify(resolve(path))
  writeFileSync(
    file,
    `import { evmProvider } from ${at("src/adapters/provider/evm.ts")}
import { localSigner } from ${at("src/adapters/signer/local.ts")}
const config = {
  database: "memory:",
  providers: [evmProvider({ ...${JSON.stringify(options)}, signer: localSigner({ keys: { hot: { curve: "secp256k1" } } }) })]
}
export { config as default }
`
  )
  return file
}

describe("the commands", () => {
  covers("CLI-16", "CLI-17")
  it("doctor fails for an adapter that does, and rescan says what is read again", async () => {
    const good = configWith("good", optionsFor(chain))
    const bad = configWith("bad", optionsFor(chain, { chain_id: 10 }))
    const rescan = (file: string, provider: string) =>
      corridor(["rescan", "--config", file, "--provider", provider, "--from", "1"], {})
    const [doctor, done, unknown, away] = await Promise.all([
      corridor(["doctor", "--json", "--config", bad], {}),
      rescan(good, "base"),
      rescan(good, "bse"),
      rescan(bad, "base")
    ])
    expect(doctor.code).toBe(1)
    expect(doctor.out).toContain("serves the chain 8453, not 10")
    expect([done.code, done.errors]).toEqual([0, []])
    expect(done.out).toMatch(/^base: blocks 1 to \d+ are read again by the server\./)
    expect([unknown.code, unknown.errors]).toEqual([1, ["--provider is bse; the configuration has base"]])
    expect([away.code, away.errors]).toEqual([3, [expect.stringContaining("base: 0 of 1 nodes answer")]])
  })
})
