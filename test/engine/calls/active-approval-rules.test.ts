/** The approval rules that a node knows: of many owners at once while they are few, and of each by itself. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ActiveApprovalRules, approvalRulesMax } from "../../../src/engine/calls/ActiveApprovalRules.ts"
import { ApprovalRuleKind } from "../../../src/engine/commit/approval.ts"
import { begin } from "../../../src/engine/commit/steps.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { EMPTY, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import type { ActSum, ApprovalRuleData, ControlledAction } from "../../../src/machines/controls/approval-rule.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

const away = new StorageFault({ message: "a place is away", retryable: true })

/** A store that counts its lists. With several shards, one is away: a list of all owners fails. */
const counting = (shards: number) => {
  let lists = 0
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (real) =>
      Storage.of({
        ...real,
        shards,
        list: (query) =>
          Effect.suspend(() => {
            lists++
            return shards > 1 && query.merchant_id === undefined ? Effect.fail(away) : real.list(query)
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return {
    layer: ActiveApprovalRules.layer.pipe(Layer.provideMerge(Layer.mergeAll(storage, Ids.layer))),
    lists: () => lists
  }
}

const wrote = Effect.fnUntraced(function* (
  merchant_id: string,
  approvals: number,
  above: ApprovalRuleData["above"] = null,
  different: Partial<ApprovalRuleData> = {}
) {
  const storage = yield* Storage
  const ids = yield* Ids
  const { changes } = yield* begin(
    ApprovalRuleKind,
    { merchant_id, id: yield* ids.make(ApprovalRuleKind.prefix) },
    { operations: ["payout"], above, approvals, roles: [], expires_after: "PT24H", ...different },
    0
  )
  const { guards: _, scopes: __, ...lists } = changes
  yield* storage.commit({ ...EMPTY, ...lists, merchant_id, at: 0 })
})

const needed = Effect.fnUntraced(function* (merchant_id: string) {
  const demands = yield* (yield* ActiveApprovalRules).demands({ merchant_id, words: ["payout"], sums: [] })
  return demands.map((demand) => [demand.side, demand.needed])
})

const owners = Array.from({ length: 60 }, (_, n) => `mer_${n}`)

describe("the approval rules of many owners", () => {
  it.effect("are read in one list a second, however many merchants pay", () => {
    const { layer, lists } = counting(1)
    return Effect.gen(function* () {
      yield* wrote(PLATFORM_MERCHANT, 3)
      yield* wrote("mer_1", 2)
      for (const owner of owners) {
        assert.deepStrictEqual(
          yield* needed(owner),
          owner === "mer_1"
            ? [
                ["operator", 3],
                ["merchant", 2]
              ]
            : [["operator", 3]]
        )
      }
      assert.strictEqual(lists(), 1)
      yield* wrote("mer_2", 1)
      assert.strictEqual((yield* needed("mer_2")).length, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* needed("mer_2")).length, 2)
      assert.strictEqual(lists(), 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("apply at once in the process that changes them", () => {
    const { layer, lists } = counting(1)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* needed("mer_1"), [])
      yield* wrote("mer_1", 2)
      ;(yield* ActiveApprovalRules).forget("mer_1")
      assert.deepStrictEqual(yield* needed("mer_1"), [["merchant", 2]])
      assert.strictEqual(lists(), 2)
    }).pipe(Effect.provide(layer))
  })

  for (const [what, shards, rules] of [
    ["are more than one list takes", 1, 5],
    ["lie in several shards", 2, 1]
  ] as const) {
    it.effect(`are read for each owner where they ${what}`, () => {
      const { layer } = counting(shards)
      return Effect.gen(function* () {
        for (const owner of owners) for (let n = 1; n <= rules; n++) yield* wrote(owner, Math.min(n, 3))
        for (const owner of owners) assert.deepStrictEqual(yield* needed(owner), [["merchant", Math.min(rules, 3)]])
        assert.deepStrictEqual(yield* needed("mer_without"), [])
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("are all read, however many: creations at once pass the most that one owner may have", () => {
    const { layer } = counting(2)
    return Effect.gen(function* () {
      yield* wrote("mer_1", 3)
      for (let n = 0; n < approvalRulesMax + 150; n++) yield* wrote("mer_1", 1)
      assert.deepStrictEqual(yield* needed("mer_1"), [["merchant", 3]])
    }).pipe(Effect.provide(layer))
  })
})

describe("a rule above an amount", () => {
  const sum = (minor: string, currency: string, received?: ActSum["taken"]): ActSum => ({
    taken: [minor, currency],
    ...(received === undefined ? {} : { received })
  })
  const [little, more] = [sum("400", "USDC"), sum("601", "USDC")]
  const other = sum("400000", "USDT")
  const across = (received: string) => sum("9", "USD", [received, "USDC"])

  for (const [what, sums, waits] of [
    ["at its amount passes", [little, sum("600", "USDC")], false],
    ["above it waits, by all its parts", [little, more], true],
    ["in another currency waits", [other], true],
    ["in another currency, and a little in that of the rule, waits", [other, sum("10", "USDC")], true],
    ["a little, and then in another currency, waits", [sum("10", "USDC"), other], true],
    ["that is compared by what it takes, and by what is received, passes", [little, across("600")], false],
    ["that is more by what it takes, and by what is received, waits", [little, across("601")], true],
    ["without an amount waits", [], true]
  ] as const)
    it.effect(`an act ${what}`, () =>
      Effect.gen(function* () {
        yield* wrote("mer_1", 1, { amount: "1000", currency: "USDC" })
        const demands = yield* (yield* ActiveApprovalRules).demands({ merchant_id: "mer_1", words: ["payout"], sums })
        assert.strictEqual(demands.length === 1, waits)
      }).pipe(Effect.provide(counting(1).layer))
    )
})

describe("several rules over one act", () => {
  const drawnRule = fc.record({
    operations: fc.subarray<ControlledAction>(["payout", "transfer", "onramp"], { minLength: 1 }),
    approvals: fc.integer({ min: 1, max: 3 }),
    roles: fc.subarray(["admin", "treasury"]),
    hours: fc.integer({ min: 1, max: 48 })
  })

  covers("APPROVAL-1", "LIMITS-10")
  it("ask together for the most approvals, the roles of each and the shortest time; a limit beside them for a day at least", () =>
    fc.assert(
      fc.asyncProperty(fc.array(drawnRule, { maxLength: 4 }), fc.boolean(), (rules, isOver) =>
        Effect.runPromise(
          Effect.gen(function* () {
            for (const { approvals, hours, ...more } of rules)
              yield* wrote(PLATFORM_MERCHANT, approvals, null, { ...more, expires_after: `PT${hours}H` })
            const words = ["transfer", "payout"] as const
            const over = isOver ? ["lim_1"] : []
            const found = yield* (yield* ActiveApprovalRules).demands({ merchant_id: "mer_1", words, sums: [], over })
            const own = rules.filter(({ operations }) => words.some((word) => operations.includes(word)))
            const shortest = own
              .map(({ hours }) => hours)
              .toSorted((a, b) => a - b)
              .slice(0, 1)
            assert.deepStrictEqual(
              found.map(({ expires_after_ms, needed, roles }) => [
                needed,
                roles.toSorted(),
                expires_after_ms / 3_600_000
              ]),
              own.length === 0 && !isOver
                ? []
                : [
                    [
                      own.reduce((most, { approvals }) => Math.max(most, approvals), 1),
                      [...own.map(({ roles }) => roles), ...(isOver ? [[]] : [])].toSorted(),
                      [...shortest, ...(isOver ? [24] : [])].toSorted((a, b) => b - a)[0]!
                    ]
                  ]
            )
          }).pipe(Effect.provide(counting(1).layer))
        )
      ),
      { numRuns: triesOf(100) }
    ))
})
