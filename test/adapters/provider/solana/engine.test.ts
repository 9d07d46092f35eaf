/** The whole service over HTTP, with Solana for chains and the simulated provider for everything else. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { margin } from "../../../../src/adapters/provider/solana/fate.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { solanaProvider } from "../../../../src/adapters/provider/solana.ts"
import { type RunningServer, serve } from "../../../../src/http/index.ts"
import { deriveTokenAccount, VALIDITY } from "../../../support/chains/solana-chain.ts"
import { FLOAT, type SolanaPlatform, startPlatform, stranger, USDC } from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

let platform: SolanaPlatform
let server: RunningServer
const apiKey = `sk_test_${"s".repeat(43)}`
const operatorToken = `op_${"o".repeat(40)}`

beforeAll(async () => {
  platform = await startPlatform({ nodes: 2 })
  server = await serve({
    port: 0,
    database: "memory:",
    apiKey,
    operatorToken,
    providers: [simulatedProvider({ delay_ms: 1 }), solanaProvider({ ...platform.options, interval_ms: 25 })],
    routing: { priorities: { solana: -1 } }
  })
})
afterAll(async () => {
  await server.close()
  await platform.close()
})

const ask = async (path: string, body?: object, token = apiKey): Promise<any> => {
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const { data, error } = (await response.json()) as { readonly data: unknown; readonly error: unknown }
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(error)}`)
  return data
}

/** Lets the chain go on until a resource is as wanted. */
const until = async (path: string, isDone: (found: any) => boolean, blocks = 1): Promise<any> => {
  let found: any
  for (let turn = 0; turn < 2000; turn++) {
    found = await ask(path)
    if (isDone(found)) return found
    platform.chain.mine(blocks)
    await new Promise((later) => setTimeout(later, 20))
  }
  throw new Error(`${path} is ${JSON.stringify(found)}`)
}

/** The addresses of all wallets: a sweep may be late. */
const addresses: Array<string> = []

const funded = async (amounts: ReadonlyArray<bigint>) => {
  const wallet = await ask("/v1/wallets", { currency: "USDC" })
  const path = `/v1/wallets/${wallet.id}/deposit-addresses`
  const { id } = await ask(path, { network: "solana" })
  const { details } = await until(`${path}/${id}`, ({ status }) => status === "active")
  const { address } = details
  addresses.push(address)
  for (const amount of amounts) await platform.chain.pay(platform.payer, platform.mint, address, amount * USDC)
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  await until(`/v1/wallets/${wallet.id}`, ({ balance }) => balance.available === `${total}.00`)
  return { id: wallet.id as string, address: address as string }
}

/** The tokens that the ledger says the platform has more than its float. */
const inLedger = async (): Promise<bigint> => {
  const { classes } = await ask("/operator/v1/ledger/trial-balance", undefined, operatorToken)
  const { balance } = classes.find((one: any) => one.class === "world" && one.currency === "USDC")
  return -BigInt(balance.replace(".", "").padEnd(balance.indexOf(".") + 6, "0"))
}
const onChain = async (): Promise<bigint> => {
  const accounts = await Promise.all(addresses.map((one) => deriveTokenAccount(one, platform.mint)))
  const unswept = accounts.reduce((sum, account) => sum + platform.chain.tokens(account), 0n)
  return platform.chain.tokens(platform.hotAccount) + unswept - FLOAT
}

describe("the service with a wallet on Solana", () => {
  covers("SOLANA-2", "SOLANA-9", "SOLANA-10")
  it("credits deposits, and pays transfers whose transaction_hash is their signature", async () => {
    const { chain, mint, nodes } = platform
    const wallet = await funded([100n, 50n])
    const recipients = await Promise.all(Array.from({ length: 6 }, () => stranger()))
    const transfers: Array<any> = []
    let calls = 0
    // Of the broadcasts to each node every second one is lost, before or after the node has it.
    for (const [n, node] of nodes.entries())
      node.fault = (method) =>
        method === "sendTransaction" && calls++ % 2 === n ? (calls % 4 < 2 ? "away" : "lost") : undefined
    for (const [n, address] of recipients.entries()) {
      const beneficiary = await ask("/v1/beneficiaries", {
        type: "crypto",
        currency: "USDC",
        name: "Chidi",
        details: { network: "solana", address }
      })
      await until(`/v1/beneficiaries/${beneficiary.id}`, ({ status }) => status === "active")
      transfers.push(
        await ask("/v1/transfers", {
          wallet_id: wallet.id,
          beneficiary_id: beneficiary.id,
          amount: `${n + 2}.50`
        })
      )
      // A block that is not confirmed is dropped, and its transactions are forgotten, or included again.
      if (n % 2 === 1) chain.fork(1, n === 3)
      chain.mine(1)
    }
    const ended = await Promise.all(
      transfers.map(({ id }) => until(`/v1/transfers/${id}`, ({ status }) => status !== "processing"))
    )
    for (const [n, { status, transaction_hash }] of ended.entries()) {
      expect(status).toBe("success")
      expect(chain.find(transaction_hash, chain.block("finalized"))?.error).toBeNull()
      expect(chain.tokens(await deriveTokenAccount(recipients[n]!, mint))).toBe(BigInt(n + 2) * USDC + USDC / 2n)
    }
    expect(new Set(ended.map(({ transaction_hash }) => transaction_hash)).size).toBe(6)
    await until(
      `/v1/wallets/${wallet.id}`,
      ({ balance }) => balance.available === "120.00" && balance.reserved === "0.00"
    )
    expect(await onChain()).toBe(120n * USDC)
    expect(await inLedger()).toBe(120n * USDC)
  })

  it("fails a deposit that a fork drops, credits one that it moves, and the ledger agrees with the chain", async () => {
    const { chain, payer, mint } = platform
    const [dropped, moved] = [await funded([1n]), await funded([2n])]
    const before = await inLedger()
    // A sweep would make a block of its own between a payment and its fork.
    chain.automatic = false
    const deposits = ({ id }: { readonly id: string }) => `/v1/transactions?wallet_id=${id}&type=deposit`
    await chain.pay(payer, mint, dropped.address, 30n * USDC)
    chain.mine(2)
    const [detected] = await until(deposits(dropped), (found) => found.length === 2, 0)
    expect(detected).toMatchObject({ status: "processing", source_amount: "30.00" })
    chain.fork(2, false)
    await chain.pay(payer, mint, moved.address, 40n * USDC)
    chain.mine(2)
    await until(deposits(moved), (found) => found.length === 2, 0)
    chain.fork(2, true)
    await until(`/v1/wallets/${moved.id}`, ({ balance }) => balance.available === "42.00")
    chain.mine(VALIDITY + margin + 20)
    await until(deposits(dropped), (found) => found.some(({ status }: any) => status === "failed"))
    expect((await ask(`/v1/wallets/${dropped.id}`)).balance.available).toBe("1.00")
    expect(await inLedger()).toBe(before + 40n * USDC)
    expect(await onChain()).toBe(await inLedger())
  })
})
