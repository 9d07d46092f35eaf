/** Accounts for pay-ins that Bridge has refused: nothing was made, so that they hold up no other. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { IssueCommand } from "../../../../src/engine/ports/Provider.ts"
import { bridgeWorld, type BridgeWorld, virtualAccountOf } from "../../../support/companies/bridge-world.ts"
import { grace, minutes, wordOf } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const inWorld = <A>(test: (world: BridgeWorld) => Effect.Effect<A, unknown>) =>
  Effect.scoped(Effect.flatMap(bridgeWorld({ payins: ["USD"] }), (world) => world.inWorld(test(world))))

/** For how long a key is used. */
const keyLife = minutes(20 * 60)
const [lost, refused] = [virtualAccountOf(1), virtualAccountOf(2)]
const keysOf = ({ fake }: BridgeWorld) =>
  fake.requests.flatMap(({ idempotency_key, method }) => (method === "POST" ? [idempotency_key] : []))

/** A world with an account whose answer was lost, and then one of which Bridge says this. `ask`: asks again, and says what came of it. */
const begun = (
  world: BridgeWorld,
  answers: ReadonlyArray<readonly [status: number, code: string] | "lost" | "refused">
) =>
  Effect.gen(function* () {
    const { provider } = yield* world.start()
    const issue = (command: IssueCommand) => wordOf(provider.payins!.issue(command))
    world.fake.mishap = ({ method }) => (method === "POST" ? "lost" : undefined)
    assert.strictEqual(yield* issue(lost), "ProviderFault")
    world.pass(minutes(30))
    const words: Array<string> = []
    for (const answer of answers) {
      const isPost = ({ method }: { readonly method: string }) => method === "POST"
      world.fake.mishap = (request) => (isPost(request) && typeof answer === "string" ? answer : undefined)
      world.fake.instead = (request) =>
        isPost(request) && typeof answer !== "string" ? [answer[0], { code: answer[1], message: "No." }] : undefined
      words.push(yield* issue(refused))
    }
    world.fake.mishap = () => undefined
    world.fake.instead = () => undefined
    return { issue, words }
  })

describe("an account that Bridge has refused", () => {
  covers("BRIDGE-14")
  for (const [status, code, says] of [
    [400, "requires_active_kyc_status", "rejected"],
    [403, "developer_limits_exceeded", "ProviderFault"],
    [401, "invalid_credentials", "ProviderFault"],
    [429, "rate_limited", "ProviderFault"]
  ] as const)
    it.live(`with ${status} ${code} keeps no other from one that was made`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { issue, words } = yield* begun(world, [[status, code]])
          assert.deepStrictEqual(words, [says])
          world.pass(keyLife + grace - minutes(30))
          assert.strictEqual(yield* issue(lost), "issued")
          assert.strictEqual(world.fake.virtualAccounts.length, 1)
          // It is asked for under another key: the first one may be bound to the refusal.
          assert.strictEqual(yield* issue(refused), "issued")
          assert.strictEqual(new Set(keysOf(world)).size, 3)
        })
      )
    )

  covers("BRIDGE-14")
  for (const [what, answers] of [
    ["after an answer that was lost", ["lost", [429, "rate_limited"]]],
    ["after one that never came", ["refused", [400, "requires_active_kyc_status"]]],
    ["with a word that is on no list", [[400, "something_new"]]]
  ] as const)
    it.live(`${what} may have been made, and has the first word until its key has run out`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { issue } = yield* begun(world, answers)
          world.pass(keyLife + grace - minutes(30))
          assert.strictEqual(yield* issue(lost), "ProviderFault")
          assert.strictEqual(new Set(keysOf(world)).size, 2)
        })
      )
    )

  covers("BRIDGE-14")
  it.live("to one process may have been made for another one, which asked at the same time", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue } = yield* begun(world, [])
        let asked = 0
        world.fake.mishap = ({ method }) => (method === "POST" && ++asked === 2 ? "lost" : undefined)
        world.fake.instead = ({ method }) =>
          method === "POST" && asked === 1 ? [400, { code: "requires_active_kyc_status", message: "No." }] : undefined
        const { provider } = yield* world.start()
        const words = yield* Effect.all([issue(refused), wordOf(provider.payins!.issue(refused))], { concurrency: 2 })
        assert.include(words, "rejected")
        world.fake.mishap = () => undefined
        world.pass(keyLife + grace - minutes(30))
        assert.strictEqual(yield* issue(lost), "ProviderFault")
      })
    )
  )
})
