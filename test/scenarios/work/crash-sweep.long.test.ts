/** Whatever a process was doing when it ended: the request repeated with its key has one effect and one answer, and nothing is stuck. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { kinds } from "../../../src/engine/registry.ts"
import { operatorToken } from "../../support/http/server.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { makeJournaledStore, type Repeatable } from "../../support/stores/journaled.ts"
import { Life } from "../../support/faults/ending-process.ts"
import type { Node } from "../../support/engines/in-process-node.ts"
import { nodeOver, type Prepare, prepareNode, sweep } from "../../support/faults/crash-sweep.ts"

const document = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly operationId: string } }>>
}

/** Every POST under /v1, by its operation's id. */
const posts = Object.entries(document.paths).flatMap(([path, { post }]) =>
  post !== undefined && path.startsWith("/v1/") ? [post.operationId] : []
)

const post = (path: string, body: unknown) => ({ path, method: "POST", body })

/** Other ways through an operation: other ports asked, and refusals, whose answers are kept too. */
const others: Readonly<Record<string, Prepare>> = {
  "createBeneficiary of a bank account": (s) =>
    post("/v1/beneficiaries", {
      type: "fiat",
      name: "Ada Obi",
      currency: "NGN",
      details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: s.bank }
    }),
  "createBeneficiary of a payshap proxy": (s) =>
    post("/v1/beneficiaries", {
      type: "fiat",
      name: "Ada Obi",
      currency: "ZAR",
      details: { country_code: "ZA", network: "payshap", account_number: "+27821234567", provider_id: s.fnb }
    }),
  "createBeneficiary whose screening is deferred": () =>
    post("/v1/beneficiaries", {
      type: "crypto",
      name: "Later",
      currency: "USDC",
      details: { network: "base", address: "0x000000000000000000000000000000000000dead" }
    }),
  "createOfframp that retries on failure": async (s) =>
    post("/v1/offramps", { quote_id: (await s.quote({ source_amount: "20" })).id, retry_on_failure: true }),
  "createTransfer without the funds": (s) =>
    post("/v1/transfers", { wallet_id: s.empty, beneficiary_id: s.crypto, amount: "1" }),
  "createOfframp of an executed quote": (s) => post("/v1/offramps", { quote_id: s.executed }),
  "createWallet in no currency": () => post("/v1/wallets", { currency: "NOPE" })
}

const cases: ReadonlyArray<readonly [string, Prepare]> = [
  ...posts.map((id) => [id, catalogue[id]!] as const),
  ...Object.entries(others)
]

covers("IDEM-7", "SERVICE-2")
describe("a process that ends at any call of a port", () => {
  let store: Repeatable
  let known: Awaited<ReturnType<typeof prepareNode>>
  beforeAll(async () => {
    store = await makeJournaledStore()
    known = await prepareNode(store)
  })

  it.each(cases)("while it answers %s and does the work it leaves", async (_, prepare) => {
    const { creating, ends } = await sweep(store, known, prepare)
    expect(creating.at(-1)).toMatch(/^storage\.(commit|replaceResponse)$/)
    expect(ends).toBeGreaterThan(1)
  })

  it("while it makes a merchant for the operator, who has no keys, leaves a whole one or none", async () => {
    const body = { name: "Third", country_code: "KE", status: "active" }
    const make = (node: Node) => node.ask("/operator/v1/merchants", { body, key: operatorToken })
    /** The merchants of that name, by what each has. */
    const thirds = async (node: Node): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
      const { json } = await node.ask("/operator/v1/merchants", { key: operatorToken })
      const made = json.data.filter(({ name }: { readonly name: string }) => name === body.name)
      return Promise.all(
        made.map(async ({ id: merchant_id }: { readonly id: string }) => {
          const query = { merchant_id, kinds: [...kinds.byName.keys()], index_keys: [], offset: 0, limit: 100 }
          return (await Effect.runPromise(node.storage.list(query))).items.map(({ kind }) => kind).toSorted()
        })
      )
    }
    const whole = ["api_key", "audit_entry", "customer", "merchant"]
    const seen = new Set<number>()
    for (const moment of ["before", "after"] as const) {
      for (let call = 1; ; call++) {
        const copy = await store.again()
        const life = new Life({ call, moment })
        const dying = await nodeOver(copy, { known: known.node, life })
        const outcome = await Promise.race([make(dying), life.ended])
        await dying.close()
        if (outcome !== "ended") break
        const node = await nodeOver(copy, { known: known.node })
        const left = await thirds(node)
        expect(left, `${moment} ${life.calls.at(-1)}`).toEqual(left.map(() => whole))
        seen.add(left.length)
        const again = await make(node)
        expect(await thirds(node)).toEqual([...left, whole])
        expect((await node.ask("/v1/me", { key: again.json.data.api_key.secret })).status).toBe(200)
        await node.close()
      }
    }
    expect([...seen].toSorted()).toEqual([0, 1])
  })
})
