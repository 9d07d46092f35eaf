/** A server that is killed while it pays out on a chain and credits deposits: each payout once, nothing lost. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type EvmChain, hot, hotSecret, startChain } from "../support/chains/evm-world.ts"
import { apiKey, operatorToken, type Served, serve } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { fillDirectory } from "../support/stores/pglite.ts"

const kills = 3
const transfers = 12
const deposits = 6
const float = 1000n

/** How long a call waits for a server that starts beside everything else that runs. */
const waitingMs = 120_000

const pause = (ms: number) => new Promise((later) => setTimeout(later, ms))

/** Calls until the server answers: it may be starting, or dead. */
const caller = (server: () => Served, token: string) => {
  const call = async (path: string, body?: object): Promise<any> => {
    let last = "no answer"
    const end = Date.now() + waitingMs
    while (Date.now() < end) {
      const response = await fetch(`${server().url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          ...(body === undefined || !path.startsWith("/v1") ? {} : { "idempotency-key": keyOf(path, body) })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).catch(() => undefined)
      const answer = (await response?.json().catch(() => undefined)) as { readonly data: unknown } | undefined
      if (response?.ok && answer !== undefined) return answer.data
      if (response !== undefined) last = `${response.status} ${JSON.stringify(answer)}`
      if (response !== undefined && response.status < 500) break
      await pause(50)
    }
    throw new Error(`${path}: ${last}`)
  }
  return call
}

/** Equal requests are one request, which may be sent again. */
const keyOf = (path: string, body: object): string =>
  Buffer.from(`${path} ${JSON.stringify(body)}`)
    .toString("base64url")
    .slice(-200)

const until = async <T>(ask: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> => {
  for (let turn = 0; turn < 900; turn++) {
    const value = await ask()
    if (isDone(value)) return value
    await pause(100)
  }
  throw new Error(`not within 90 s: ${JSON.stringify(await ask())}`)
}

const recipient = (n: number): `0x${string}` => `0x${(0xbee000 + n).toString(16).padStart(40, "0")}`

/** Mines a block every 100 ms. */
const mining = (chain: EvmChain) => {
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(() => chain.mine()).catch(() => {})
  }, 100)
  return async () => {
    clearInterval(timer)
    await last
  }
}

const run = async (database: string): Promise<void> => {
  const chain = await startChain("finalized", 4)
  const stopMining = mining(chain)
  const env = {
    DATABASE_URL: database,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_OPERATOR_TOKEN: operatorToken,
    CORRIDOR_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    CHAIN_RPC_URL: chain.url,
    USDC_ADDRESS: chain.usdc,
    HOT_WALLET_KEY: hotSecret
  }
  const start = () =>
    serve(env, "src/cli/main.ts", ["serve", "--config", "test/support/chains/killed/corridor.config.ts"])
  let server = await start()
  const v1 = caller(() => server, apiKey)
  const operator = caller(() => server, operatorToken)
  try {
    await chain.give(hot.address, String(float))
    const open = async (n: number) => {
      const wallet = await v1("/v1/wallets", { currency: "USDC", network: "base", label: `wallet ${n}` })
      const path = `/v1/wallets/${wallet.id}/deposit-addresses`
      const { id } = await v1(path, { network: "base" })
      const { details } = await until(
        () => v1(`${path}/${id}`),
        ({ status }) => status === "active"
      )
      return { id: wallet.id as string, address: details.address as `0x${string}` }
    }
    const available = async ({ id }: { readonly id: string }) => (await v1(`/v1/wallets/${id}`)).balance.available
    const payer = await open(0)
    await chain.pay(payer.address, "900")
    await until(
      () => available(payer),
      (amount) => amount === "900.00"
    )
    const receiving = await Promise.all(Array.from({ length: deposits }, (_, n) => open(n + 1)))

    const made: Array<string> = []
    const working = (async () => {
      for (let n = 0; n < transfers; n++) {
        const beneficiary = await v1("/v1/beneficiaries", {
          type: "crypto",
          name: `Recipient ${n}`,
          currency: "USDC",
          details: { network: "base", address: recipient(n) }
        })
        await until(
          () => v1(`/v1/beneficiaries/${beneficiary.id}`),
          ({ status }) => status === "active"
        )
        const transfer = await v1("/v1/transfers", {
          wallet_id: payer.id,
          beneficiary_id: beneficiary.id,
          amount: `${n + 1}.00`,
          merchant_reference: `kill-${n}`
        })
        made.push(transfer.id)
        if (n % 3 === 0) await chain.pay(receiving[(n / 3) % deposits]!.address, `${n + 10}`)
      }
    })()
    const killing = (async () => {
      for (let n = 0; n < kills; n++) {
        await until(
          async () => made.length,
          (count) => count >= (n + 1) * 3
        )
        await pause(n * 61)
        server.child.kill("SIGKILL")
        await server.exit
        server = await start()
      }
    })()
    await Promise.all([working, killing])

    // A submission that a kill cut short is looked up a minute later, by the service's clock. By now no other is under way.
    const unfinished = async () => {
      const found = await Promise.all(made.map((id) => v1(`/v1/transfers/${id}`)))
      return found.filter(({ status }) => !["success", "failed"].includes(status)).length
    }
    for (let turn = 0; turn < 60 && (await unfinished()) > 0; turn++) await pause(100)
    if ((await unfinished()) > 0) await v1("/sandbox/clock/advance", { seconds: 61 })

    const ends = await Promise.all(
      made.map((id) =>
        until(
          () => v1(`/v1/transfers/${id}`),
          ({ status }) => ["success", "failed"].includes(status)
        )
      )
    )
    expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: transfers }, () => "success"))
    const paid = await Promise.all(made.map((_, n) => chain.balance(recipient(n))))
    expect(paid).toEqual(made.map((_, n) => BigInt(n + 1) * 1_000_000n))
    expect(new Set(ends.map(({ transaction_hash }) => transaction_hash)).size).toBe(transfers)

    const given = receiving.map((_, place) =>
      Array.from({ length: transfers }, (_, n) => (n % 3 === 0 && (n / 3) % deposits === place ? n + 10 : 0)).reduce(
        (sum, amount) => sum + amount,
        0
      )
    )
    for (const [place, wallet] of receiving.entries()) {
      await until(
        () => available(wallet),
        (amount) => amount === `${given[place]}.00`
      )
    }
    const sum = (transfers * (transfers + 1)) / 2
    expect(await available(payer)).toBe(`${900 - sum}.00`)

    const addresses = [payer, ...receiving].map(({ address }) => address)
    const held = async () =>
      (await Promise.all([hot.address, ...addresses].map((owner) => chain.balance(owner)))).reduce((a, b) => a + b)
    expect(await held()).toBe(
      (float + 900n + given.reduce((all, one) => all + BigInt(one), 0n) - BigInt(sum)) * 1_000_000n
    )
    const { currencies, classes } = await operator("/operator/v1/ledger/trial-balance")
    expect(currencies.filter(({ difference }: { readonly difference: string }) => Number(difference) !== 0)).toEqual([])
    const clearing = classes.filter(({ class: name }: { readonly class: string }) => name === "clearing")
    expect(clearing.filter(({ balance }: { readonly balance: string }) => Number(balance) !== 0)).toEqual([])
  } finally {
    server.child.kill("SIGKILL")
    await server.exit
    await stopMining()
    await chain.stop()
  }
}

covers("EVM-12")
describe.concurrent("a server that is killed three times while it pays and is paid on a chain", () => {
  it("pays each transfer once and credits each deposit, on Postgres", async () => run(await freshDatabase()), 240_000)

  it("does so on PGlite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-kills-"))
    await fillDirectory(join(folder, "store"))
    await run(`pglite:${join(folder, "store")}`)
    rmSync(folder, { recursive: true, force: true })
  })
})
