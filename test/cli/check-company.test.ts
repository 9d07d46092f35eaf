/** `corridor check-provider` of a company: what it finds at a fake, what it refuses, and that it says no key. */
import { afterEach, describe, expect, it } from "vitest"
import { checkCompany } from "../../src/cli/companies/check.ts"
import { routingNumber } from "../support/companies/bridge-world.ts"
import { bridgeKey, customerId, FakeBridge, walletId } from "../support/companies/fake-bridge.ts"
import { FakeCircle, circleKey } from "../support/companies/fake-circle.ts"
import { approved } from "../support/companies/circle-world.ts"
import { FakePaystack, ngnKey } from "../support/companies/fake-paystack.ts"
import { covers } from "../support/repository/covers.ts"

const stops: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const started = async <F extends { start: () => Promise<F>; stop: () => Promise<unknown>; now: () => number }>(
  fake: F
): Promise<F> => {
  await fake.start()
  fake.now = Date.now
  stops.push(() => fake.stop())
  return fake
}

const printed = async (args: ReadonlyArray<string>, env: Record<string, string>) => {
  const out: Array<string> = []
  const errors: Array<string> = []
  const code = await checkCompany(args, env, {
    say: (text) => void out.push(text),
    complain: (text) => void errors.push(text)
  })
  return { code, out: out.join("\n"), errors }
}

const kit = ["--watch", "50", "--settle-within", "10", "--max-amount", "50.00"]

describe("check-provider of a company", () => {
  covers("COMPANY-16")
  it("passes through Paystack's test mode, and says what the documents leave open", async () => {
    const fake = await started(new FakePaystack())
    const account = ["--account", "account_number=0001234567,bank_code=044"]
    const { code, errors, out } = await printed(
      ["paystack", "--key-env", "KEY", "--url", fake.url, ...account, ...kit],
      { KEY: ngnKey }
    )
    expect([code, errors], out).toEqual([0, []])
    expect(out).toContain("ok     keys.NGN")
    expect(out).toMatch(
      /found {2}the status and code of a reference that was used before: 400: .*duplicate_transfer_reference/
    )
    expect(out).toMatch(/found {2}the status and code of a reference that is unknown: 404: Transfer not found/)
    expect(out).toMatch(/payouts\/at-once/)
    expect(out).toMatch(/ok +issues\/at-once/)
    expect(out).not.toContain(ngnKey)
    expect(fake.invalid).toEqual([])
    expect([...fake.executions.values()].filter((times) => times > 1)).toEqual([])
    expect(fake.executions.size).toBeGreaterThan(10)
  }, 120_000)

  covers("COMPANY-16")
  it("passes through Circle's sandbox, and pays nothing without a destination", async () => {
    const fake = await started(new FakeCircle())
    fake.first = "complete"
    fake.addRecipient(approved)
    const args = ["circle", "--key-env", "KEY", "--url", fake.url, ...kit]
    const bare = await printed(args, { KEY: circleKey })
    expect([bare.code, bare.errors], bare.out).toEqual([0, []])
    expect(bare.out).toContain("note   no payout is tried")
    expect(bare.out).toMatch(/ok +issues\/target/)
    expect(bare.out).toMatch(/found {2}another request under the same key: 40/)
    expect(fake.executions.size).toBe(0)
    const paid = await printed([...args, "--account", `network=base,address=${approved}`], { KEY: circleKey })
    expect([paid.code, paid.errors], paid.out).toEqual([0, []])
    expect(fake.executions.size).toBeGreaterThan(5)
    expect([...fake.executions.values()].filter((times) => times > 1)).toEqual([])
  }, 120_000)

  covers("COMPANY-16")
  it("passes through Bridge's sandbox, to an account that is named", async () => {
    const fake = await started(new FakeBridge())
    fake.first = "payment_processed"
    const args = [
      "bridge",
      "--key-env",
      "KEY",
      "--url",
      fake.url,
      "--customer",
      customerId,
      "--wallet",
      walletId,
      ...kit
    ]
    const account = ["--account", `country_code=US,account_number=000123456789,bank_code=${routingNumber}`]
    const { code, errors, out } = await printed([...args, ...account], { KEY: bridgeKey })
    expect([code, errors], out).toEqual([0, []])
    expect(out).toContain("ok     key is accepted, and the wallet has")
    expect(out).toMatch(/ok +issues\/target/)
    expect(out).toMatch(/found {2}another request under the same key: 400: .*not_truly_idempotent/)
    expect(fake.executions.size).toBeGreaterThan(3)
    expect([...fake.executions.values()].filter((times) => times > 1)).toEqual([])
    expect(out).not.toContain(bridgeKey)
    expect(fake.invalid).toEqual([])
  }, 120_000)

  covers("COMPANY-16")
  it.each([
    ["paystack", [], {}, 2, /^--key-env is required/],
    ["paystack", ["--key-env", "KEY"], {}, 2, /^--key-env names "KEY", which is not set/],
    ["paystack", ["--key-env", "KEY"], { KEY: "sk_live_aaaaaaaaaaaaaaaaaaaa" }, 2, /keys of the test mode only\.$/],
    ["paystack", ["--key-env", "KEY", "--currency", "USD"], { KEY: ngnKey }, 2, /^--currency takes NGN, /],
    ["bridge", ["--key-env", "KEY"], { KEY: "sk-live-aaaaaaaaaaaaaaaaaaaa" }, 2, /keys of the sandbox only\.$/],
    [
      "bridge",
      ["--key-env", "KEY"],
      { KEY: "sk-test-aaaaaaaaaaaaaaaaaaaa" },
      2,
      /^--customer and --wallet are required/
    ],
    ["circle", ["--key-env", "KEY"], { KEY: "LIVE_API_KEY:aaaaaaaa:bbbbbbbb" }, 2, /keys of the sandbox only\.$/]
  ] as const)("of %s refuses %j with %j", async (name, args, env, code, error) => {
    const found = await printed([name, ...args], env)
    expect([found.code, found.errors.length]).toEqual([code, 1])
    expect(found.errors[0]).toMatch(error)
    expect(found.errors[0]).not.toMatch(/aaaaaaaa/)
  })

  covers("COMPANY-16")
  it("ends with one line where the key is refused", async () => {
    const fake = await started(new FakePaystack())
    const { code, errors } = await printed(["paystack", "--key-env", "KEY", "--url", fake.url], {
      KEY: "sk_test_zzzzzzzzzzzzzzzzzzzz"
    })
    expect([code, errors.length]).toEqual([3, 1])
    expect(errors[0]).toMatch(/^paystack: paystack: keys\.NGN is refused by Paystack/)
    expect(errors[0]).not.toContain("zzzz")
  })
})
