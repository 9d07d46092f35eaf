/**
 * Real money, on one machine: a development chain, a bank behind the Python connector, and `corridor serve` in `live`.
 *
 * A customer deposits USDC on the chain, a payout goes to a bank account and a transfer out on the chain. Then the bank is
 * killed in the middle of ten payouts, and the chain is reorganised under two deposits. At the end, each payout was executed
 * once, by the records of the bank and of the chain, the books balance, and the statements of the bank and of the chain say the same.
 *
 * Run: npm run demo:live
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BankStatementLine, Break, Closing, ReconciledAccount, TrialBalance } from "../../src/client/index.ts"
import { type EvmChain, hot, hotSecret, startChain } from "../../test/support/chains/evm-world.ts"
import { startConnector } from "../../test/support/connectors/launcher.ts"
import { type Call, callWith } from "../support/client.ts"

const poll_ms = 200
const api_key = `sk_live_${randomBytes(32).toString("base64url")}`
const operator_token = randomBytes(32).toString("base64url")
const say = (line: string): void => console.log(line)

const failures: Array<string> = []
/** Prints what holds, and keeps what does not. */
const check = (what: string, holds: boolean, found: unknown = ""): void => {
  say(`${holds ? "ok" : "NOT OK"} ${what}${holds ? "" : `: ${JSON.stringify(found)}`}`)
  if (!holds) failures.push(what)
}

/** Asks until `isDone`, at most for a minute. */
const until = async <T>(what: string, ask: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> => {
  const end = Date.now() + 60_000
  while (true) {
    const value = await ask()
    if (isDone(value)) return value
    if (Date.now() > end) throw new Error(`${what}: not within a minute; ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** `corridor serve` with the configuration of this folder. */
const startServer = async (folder: string, env: Readonly<Record<string, string>>) => {
  const child = spawn(
    process.execPath,
    ["src/cli/main.ts", "serve", "--config", join(import.meta.dirname, "corridor.config.ts")],
    {
      cwd: join(import.meta.dirname, "../.."),
      env: {
        PATH: process.env["PATH"],
        PORT: "0",
        DATABASE_URL: `pglite:${join(folder, "store")}`,
        CORRIDOR_ENVIRONMENT: "live",
        CORRIDOR_API_KEY: api_key,
        CORRIDOR_OPERATOR_TOKEN: operator_token,
        ...env
      },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  let output = ""
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      output += String(chunk)
      const [, address] = /listens on (http:\S+)/.exec(output) ?? []
      if (address !== undefined) resolve(address)
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    child.once("close", () => reject(new Error(`corridor serve ended: ${output}`)))
  })
  const stop = async (signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> => {
    child.kill(signal)
    await ended
  }
  return { url, stop, output: () => output }
}

/** Mines a block every `poll_ms`, until it is stopped: the chain goes on by itself. */
const mining = (chain: EvmChain) => {
  let isOn = true
  let last = Promise.resolve()
  const timer = setInterval(() => {
    if (isOn) last = last.then(() => chain.mine()).catch(() => {})
  }, poll_ms)
  return {
    pause: async () => {
      isOn = false
      await last
    },
    resume: () => {
      isOn = true
    },
    stop: () => clearInterval(timer)
  }
}

const walletOf = (v1: Call) => ({
  open: async () => {
    const wallet = await v1("POST", "/v1/wallets", { currency: "USDC", network: "base" })
    const { id } = await v1("POST", `/v1/wallets/${wallet.id}/deposit-addresses`, { network: "base" })
    const { details } = await until(
      "a deposit address",
      () => v1("GET", `/v1/wallets/${wallet.id}/deposit-addresses/${id}`),
      ({ status }) => status === "active"
    )
    return { id: wallet.id as string, address: details.address as `0x${string}` }
  },
  available: async (id: string) => (await v1("GET", `/v1/wallets/${id}`)).balance.available as string
})

const run = async (folder: string): Promise<void> => {
  const chain = await startChain("finalized", 4)
  // It is there, and final, before Corridor reads the first block: the opening balance of the wallet.
  const float = 1000n
  await chain.give(hot.address, String(float))
  await chain.finalize()
  const blocks = mining(chain)
  const bank = await startConnector("python", { CONNECTOR_DELAY_MS: "300" })
  const server = await startServer(folder, {
    CORRIDOR_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    BANK_URL: bank.url,
    BANK_SECRET: bank.secret,
    CHAIN_RPC_URLS: chain.url,
    USDC_ADDRESS: chain.usdc,
    HOT_WALLET_KEY: hotSecret,
    POLL_MS: String(poll_ms),
    GONE_AFTER_MS: "3000"
  })
  try {
    say(`a chain at ${chain.url}, a bank at ${bank.url}, Corridor at ${server.url}, live`)
    const v1 = callWith(server.url, api_key)
    const operator = callWith(server.url, operator_token)
    const wallets = walletOf(v1)

    say("\n1. A customer deposits USDC on the chain")
    const wallet = await wallets.open()
    await chain.pay(wallet.address, "5000")
    await until(
      "the deposit",
      () => wallets.available(wallet.id),
      (available) => available === "5000.00"
    )
    check("5000.00 USDC are credited once the block is final", true)

    say("\n2. A payout to a bank account, at the bank's own rate")
    const { id: provider_id } = (await v1("GET", "/v1/providers?country_code=NG"))[0]
    const beneficiary = await v1("POST", "/v1/beneficiaries", {
      type: "fiat",
      name: "Chidi Okafor",
      currency: "NGN",
      details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id }
    })
    const payout = async (source_amount: string) => {
      const quote = await v1("POST", "/v1/offramps/quotes", {
        wallet_id: wallet.id,
        beneficiary_id: beneficiary.id,
        source_amount
      })
      return (await v1("POST", "/v1/offramps", { quote_id: quote.id, retry_on_failure: true })).id as string
    }
    const ended = (kind: "offramps" | "transfers", id: string) =>
      until(
        id,
        () => v1("GET", `/v1/${kind}/${id}`),
        ({ status }) => ["success", "failed", "returned"].includes(status)
      )
    const executions = (id: string): number => bank.executions(`${id}.payout`).length
    const first = await payout("100.00")
    const paid = await ended("offramps", first)
    check(`100.00 USDC are ${paid.received_amount} NGN, and the bank has paid them once`, executions(first) === 1, paid)

    say("\n3. A transfer out on the chain")
    const recipient = "0x00000000000000000000000000000000000BEeF1".toLowerCase() as `0x${string}`
    const payee = await v1("POST", "/v1/beneficiaries", {
      type: "crypto",
      name: "Treasury",
      currency: "USDC",
      details: { network: "base", address: recipient }
    })
    const transfer = await v1("POST", "/v1/transfers", {
      wallet_id: wallet.id,
      beneficiary_id: payee.id,
      amount: "250.00"
    })
    const sent = await ended("transfers", transfer.id)
    check("the transfer succeeds", sent.status === "success", sent)
    const receipt = await chain.client.getTransactionReceipt({ hash: sent.transaction_hash })
    check("its hash is a transaction of the chain", receipt.status === "success", sent)
    check("the recipient has 250 USDC", (await chain.balance(recipient)) === 250_000_000n)

    say("\n4. The bank is killed in the middle of ten payouts")
    const ten = await Promise.all(Array.from({ length: 10 }, (_, n) => payout(`${10 + n}.00`)))
    await until(
      "the first of ten",
      async () => ten.filter((id) => executions(id) > 0).length,
      (count) => count > 0
    )
    await bank.kill()
    const before = ten.filter((id) => executions(id) > 0).length
    await new Promise((resolve) => setTimeout(resolve, 2000))
    await bank.restart()
    const results = await Promise.all(ten.map((id) => ended("offramps", id)))
    say(`   the bank had executed ${before} of 10 when it was killed`)
    check(
      "all ten succeed",
      results.every(({ status }) => status === "success"),
      results.map(({ status }) => status)
    )
    const counts = ten.map(executions)
    check(
      "the bank's records have each of them once",
      counts.every((count) => count === 1),
      counts
    )

    say("\n5. The chain is reorganised under two deposits")
    const [kept, lost] = [await wallets.open(), await wallets.open()]
    await blocks.pause()
    const again = await chain.signed(kept.address, "70")
    await chain.rpc("eth_sendRawTransaction", [again])
    await chain.mine()
    await chain.pay(lost.address, "30")
    await chain.mine()
    const deposits = (status: string) => () => v1("GET", `/v1/transactions?type=deposit&status=${status}`)
    await until("two detections", deposits("processing"), (rows) => rows.length === 2)
    check("both are detected at the head", true)
    // The second is not mined again: its nonce is taken by something else.
    await chain.reorg(2, [[again, 1]])
    await chain.rpc("anvil_dropAllTransactions")
    await chain.send(chain.wallets.payer, chain.wallets.payer.account.address, "0x")
    blocks.resume()
    await until(
      "the kept deposit",
      () => wallets.available(kept.id),
      (available) => available === "70.00"
    )
    check("the one that is mined again is credited once", (await wallets.available(kept.id)) === "70.00")
    const gone = await until("the lost deposit", deposits("failed"), (rows) => rows.length === 1)
    check("the one that is gone has failed", gone.length === 1 && (await wallets.available(lost.id)) === "0.00", gone)

    say("\n6. The books")
    const { classes, currencies }: TrialBalance = await operator("GET", "/operator/v1/ledger/trial-balance")
    check(
      "debits equal credits in every currency",
      currencies.every((row) => /^0(\.0+)?$/.test(row.difference)),
      currencies
    )
    const inClearing = classes.filter((row) => row.class === "clearing" && !/^0(\.0+)?$/.test(row.balance))
    check("nothing is left in clearing", inClearing.length === 0, inClearing)
    const spent = ten.reduce((sum, _, n) => sum + 10 + n, 0)
    const left = (5000 - 100 - 250 - spent).toFixed(2)
    check(
      `the wallet has ${left} USDC`,
      (await wallets.available(wallet.id)) === left,
      await wallets.available(wallet.id)
    )
    const held = (
      await Promise.all([hot.address, wallet.address, kept.address, lost.address].map((owner) => chain.balance(owner)))
    ).reduce((sum, balance) => sum + balance, 0n)
    check(
      "the chain holds the float, the deposits and nothing else, less the transfer",
      held === (float + 5000n + 70n - 250n) * 1_000_000n,
      String(held)
    )
    const stuck = await operator("GET", "/operator/v1/stuck?older_than_seconds=0")
    check("nothing is stuck", stuck.length === 0, stuck)
    const all = bank.executions()
    check(
      "the bank executed eleven payouts in all",
      all.filter(({ entry }) => entry === "payout").length === 11,
      all.length
    )

    say("\n7. The books against the bank's own statement")
    const dayIn = (days: number): string =>
      new Date(Date.now() + 3_600_000 + days * 86_400_000).toISOString().slice(0, 10)
    const account = await operator("POST", "/operator/v1/external-accounts", {
      provider: "bank",
      currency: "NGN",
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: "0001112223" }],
      opening: { date: dayIn(-1), balance: "0" },
      time_zone: "Africa/Lagos"
    })
    const lines = await until(
      "the bank's statement",
      (): Promise<ReadonlyArray<BankStatementLine>> =>
        operator("GET", `/operator/v1/statement-lines?external_account_id=${account.id}&per_page=200`),
      (rows) => rows.filter((row) => row.status === "matched").length >= 11
    )
    const paidBy = new Set(lines.flatMap((row) => row.matches.map((one) => one.resource_id)))
    check(
      "each payout is one line of it, matched by its command",
      [first, ...ten].every((id) => paidBy.has(id)),
      lines
    )
    const breaks = (): Promise<ReadonlyArray<Break>> =>
      operator("GET", `/operator/v1/breaks?external_account_id=${account.id}&status=open`)
    const [float_line, ...others] = await until("the bank's float", breaks, (rows) => rows.length > 0)
    check("what else it has is the float, which the books do not know", others.length === 0, others)
    await operator("POST", `/operator/v1/breaks/${float_line?.id}/resolve`, {
      action: "explain",
      from: "world:bank",
      to: "float:bank",
      note: "What we paid in before the first payout"
    })
    check("an adjusting entry explains it, and nothing differs", (await breaks()).length === 0, await breaks())
    const reconciled = async (id: string): Promise<ReconciledAccount> =>
      (await operator("GET", `/operator/v1/reconciliation?external_account_id=${id}`))[0]
    const isEqual = (row: ReconciledAccount): boolean =>
      row.statement === row.ledger &&
      [row.difference, row.outstanding, row.unexplained].every((one) => /^0(\.0+)?$/.test(one))
    const row = await reconciled(account.id)
    check("bank and ledger are equal, with nothing outstanding or unexplained", isEqual(row), row)
    // The day on which the bank was killed is today.
    const close = async (external_account_id: string, date: string): Promise<boolean> => {
      const closing: Closing = await operator("POST", "/operator/v1/closings", { external_account_id, date })
      return !closing.accepted && closing.unexplained === "0.00"
    }
    check("yesterday is closed, and sealed", await close(account.id, dayIn(-1)))
    check("so is the day on which the bank was killed", await close(account.id, dayIn(0)))

    say("\n8. The books against the chain")
    const onChain = await operator("POST", "/operator/v1/external-accounts", {
      provider: "base",
      currency: "USDC",
      kind: "chain",
      identifiers: [{ scheme: "address", value: hot.address, network: "base" }],
      opening: { date: dayIn(-1), balance: String(float) },
      time_zone: "Africa/Lagos"
    })
    const transfers = await until(
      "the chain's statement",
      (): Promise<ReadonlyArray<BankStatementLine>> =>
        operator("GET", `/operator/v1/statement-lines?external_account_id=${onChain.id}`),
      (rows) => rows.filter((one) => one.status === "matched").length >= 3
    )
    check("two deposits and the transfer are its lines, each matched", transfers.length === 3, transfers)
    const chained = await until("the chain's balance", () => reconciled(onChain.id), isEqual)
    check(
      "chain and ledger are equal, with nothing outstanding or unexplained",
      chained.statement === (float + 5000n + 70n - 250n).toString().concat(".00"),
      chained
    )
    const open = await operator("GET", "/operator/v1/breaks?status=open")
    check("no break is open", open.length === 0, open)
    check("its day is closed, and sealed", await close(onChain.id, dayIn(0)))

    await server.stop()
  } catch (error) {
    say(server.output().slice(-4000))
    throw error
  } finally {
    blocks.stop()
    await server.stop("SIGKILL")
    await bank.stop()
    await chain.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), "corridor-live-"))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
say(failures.length === 0 ? "\nEvery check passed." : `\n${failures.length} checks failed: ${failures.join("; ")}.`)
process.exit(failures.length === 0 ? 0 : 1)
