import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { receivedEvents, summaryOf } from "./scheduled-events.ts"
import { answer, auto, days, executions, lookup, manual, submit, wait } from "./bank.ts"
import { bankAccount, chainAddress, payout } from "./commands.ts"
import { covers } from "../../support/repository/covers.ts"

covers("SANDBOX-13", "SANDBOX-14", "SANDBOX-15", "SANDBOX-16", "SANDBOX-17", "SANDBOX-18", "SANDBOX-19", "SANDBOX-24")
describe("a magic ending", () => {
  const destinations = {
    "an account number": ["ofr_1", (ending: string) => bankAccount(`123456${ending}`)],
    "an EVM address": ["tfr_1", (ending: string) => chainAddress(`0x${"a".repeat(36)}${ending}`)]
  } as const

  for (const [what, [id, to]] of Object.entries(destinations)) {
    auto(
      `0002 of ${what} rejects at once, for good`,
      Effect.gen(function* () {
        const command = payout(id, to("0002"))
        assert.deepStrictEqual(yield* submit(command), { _tag: "rejected", reason: "failed", refundable: true })
        assert.strictEqual(yield* answer(command), "rejected")
        assert.deepInclude(yield* lookup(command), { _tag: "settled" })
        assert.deepStrictEqual(yield* wait("30 days"), [])
        assert.strictEqual(yield* executions(command.id), 0)
      })
    )

    auto(
      `0003 of ${what} is unavailable twice, then pays`,
      Effect.gen(function* () {
        const command = payout(id, to("0003"))
        assert.strictEqual(yield* answer(command), "unavailable")
        assert.strictEqual((yield* lookup(command))._tag, "absent")
        assert.strictEqual(yield* answer(command), "unavailable")
        assert.strictEqual(yield* answer(command), "accepted")
        assert.deepStrictEqual(yield* wait("1 second"), ["success"])
        assert.strictEqual(yield* executions(command.id), 1)
      })
    )

    auto(
      `0004 of ${what} pays although the response is lost`,
      Effect.gen(function* () {
        const command = payout(id, to("0004"))
        assert.strictEqual(yield* answer(command), "ProviderFault")
        assert.strictEqual((yield* lookup(command))._tag, "pending")
        assert.deepStrictEqual(yield* wait("1 second"), ["success"])
        assert.strictEqual(yield* answer(command), "accepted")
        assert.deepStrictEqual(yield* wait("30 days"), [])
        assert.strictEqual(yield* executions(command.id), 1)
      })
    )

    auto(
      `0005 of ${what} loses the response without executing, and pays on the second submission`,
      Effect.gen(function* () {
        const command = payout(id, to("0005"))
        assert.strictEqual(yield* answer(command), "ProviderFault")
        assert.deepStrictEqual(yield* wait("30 days"), [])
        assert.deepStrictEqual(yield* lookup(command), { _tag: "absent" })
        assert.strictEqual(yield* executions(command.id), 0)
        assert.strictEqual(yield* answer(command), "accepted")
        assert.deepStrictEqual(yield* wait("1 second"), ["success"])
        assert.strictEqual(yield* executions(command.id), 1)
      })
    )

    auto(
      `0006 of ${what} is returned three days after the payment`,
      Effect.gen(function* () {
        yield* submit(payout(id, to("0006")))
        assert.deepStrictEqual(yield* wait("1 second"), ["success"])
        assert.deepStrictEqual(yield* wait(days(3) - 1), [])
        assert.deepStrictEqual(yield* wait(1), [id === "tfr_1" ? "reversed" : "returned"])
      })
    )

    auto(
      `0007 of ${what} fails, and cannot be refunded`,
      Effect.gen(function* () {
        const command = payout(id, to("0007"))
        assert.strictEqual(yield* answer(command), "accepted")
        assert.deepStrictEqual(yield* wait("30 days"), ["refund_failed"])
        assert.strictEqual(yield* executions(command.id), 0)
      })
    )

    auto(
      `0008 of ${what} is reported twice and in reverse order`,
      Effect.gen(function* () {
        const command = payout(id, to("0008"))
        assert.strictEqual(yield* answer(command), "accepted")
        yield* TestClock.adjust("30 days")
        const events = yield* receivedEvents()
        assert.deepStrictEqual(events.map(summaryOf), [
          "success",
          "temporarily_unavailable",
          "success",
          "temporarily_unavailable"
        ])
        assert.deepStrictEqual(events.slice(0, 2), events.slice(2))
        assert.isAbove(events[0]!.event_id.localeCompare(events[1]!.event_id), 0)
        const commandStatus = yield* lookup(command)
        assert.strictEqual(
          commandStatus._tag === "settled" ? commandStatus.outcome.outcome : commandStatus._tag,
          "success"
        )
      })
    )
  }

  auto(
    "treats neither a payshap proxy nor a Solana address as magic",
    Effect.gen(function* () {
      const proxy = { ...bankAccount("+27821230002"), rail: "payshap" }
      assert.strictEqual(yield* answer(payout("ofr_1", proxy)), "accepted")
      assert.strictEqual(yield* answer(payout("tfr_1", chainAddress(`${"1".repeat(28)}0002`, "solana"))), "accepted")
    })
  )

  auto(
    "0010 waits for a person of the provider for half an hour, then pays",
    Effect.gen(function* () {
      const command = payout("ofr_1", bankAccount("1234560010"))
      const awaited_person = { party: "provider", action: "review the payout" } as const
      assert.deepStrictEqual(yield* submit(command), { _tag: "accepted", awaited_person })
      assert.deepStrictEqual(yield* submit(command), { _tag: "accepted", awaited_person })
      assert.deepStrictEqual(yield* lookup(command), { _tag: "pending", awaited_person })
      assert.deepStrictEqual(yield* wait("29 minutes"), [])
      assert.deepStrictEqual(yield* wait("2 minutes"), ["success"])
      assert.deepStrictEqual(yield* submit(command), { _tag: "accepted" })
      assert.strictEqual(yield* executions(command.id), 1)
    })
  )

  manual(
    "has no effect in manual mode",
    Effect.gen(function* () {
      for (const ending of ["0002", "0003", "0004", "0005", "0006", "0007", "0008", "0010"])
        assert.strictEqual(yield* answer(payout(`ofr_${ending}`, bankAccount(`123456${ending}`))), "accepted", ending)
      assert.deepStrictEqual(yield* wait("30 days"), [])
    })
  )
})
