/** What a provider says of an account or address that it issued, and what a payer is then shown. */
import { Effect, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { IssueResult } from "../../../src/protocol/results.ts"
import { eventExamples } from "../../../scripts/provider-protocol/event-examples.ts"
import { examples } from "../../../scripts/provider-protocol/examples.ts"
import { toPortEvent, toIssueResult } from "../../../src/adapters/provider/http/results.ts"
import type { IssuedEvent, IssuedTarget, Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { freshAddress, findExceptions } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"

const shown = {
  accountName: "CORRIDOR/THABO MOKOENA",
  accountNumber: "9912345678",
  bankName: "Example Bank",
  bankCode: "058",
  reference: null,
  currency: "NGN"
}

/** A provider whose answers to `issue` are written by the test. */
const issuing =
  (answers: () => IssuedTarget | undefined) =>
  (inner: Provider["Service"]): Provider["Service"] => ({
    ...inner,
    payins: {
      ...inner.payins!,
      issue: () => {
        const issued = answers()
        return Effect.succeed(issued === undefined ? { _tag: "pending" } : { _tag: "issued", issued })
      }
    }
  })

/** A naira account and a USDC address of a merchant, which the provider has not issued. */
const waiting = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const credentials = yield* WalletCredentials
  const naira = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
  const account = yield* credentials.create(m.caller, naira.id, { type: "fiat", network: "bank" })
  const address = yield* credentials.create(m.caller, m.wallet.id, { type: "crypto", network: "base" })
  const read = (wallet_id: string, id: string) =>
    Effect.map(credentials.get(m.caller, wallet_id, id), ({ body }) => body)
  return {
    ...m,
    account: read(naira.id, account.id),
    address: read(m.wallet.id, address.id),
    ids: [account.id, address.id]
  }
})

onMemory("an account that a provider issued", (run) => {
  covers("CREDENTIAL-3", "PROTOCOL-9")

  it("has its number, holder and bank, from the protocol's own example of a result", () =>
    run(
      Effect.gen(function* () {
        const m = yield* waiting
        yield* m.settle
        const { details, status } = yield* m.account
        assert.strictEqual(status, "active")
        assert.deepEqual<unknown>(details, shown)
      }),
      {
        around: issuing(() => {
          const result = toIssueResult(examples.issue.results["issued"] as never)
          return result._tag === "issued" ? { ...result.issued, target: freshAddress() } : undefined
        })
      }
    ))

  it("has its number, holder and bank, from the protocol's own example of an event", () =>
    run(
      Effect.gen(function* () {
        const m = yield* waiting
        yield* m.settle
        assert.isNull((yield* m.account).details)
        const event = toPortEvent(eventExamples.issued) as IssuedEvent
        yield* (yield* Inbox).receive("simulated", {
          ...event,
          event_id: `issued ${m.ids[0]}`,
          target: freshAddress(),
          merchant_id: m.merchant_id,
          resource_id: m.ids[0]!
        })
        assert.deepEqual<unknown>((yield* m.account).details, shown)
      }),
      { around: issuing(() => undefined) }
    ))

  it("is not issued with the details of an address, nor an address with those of another one, of another chain or of an account", () => {
    const bank = { accountName: "A", accountNumber: "1", bankName: "B" }
    const target = freshAddress()
    const on = (network: string, address: string) => ({ network, address })
    const wrong = [
      [0, on("base", target), "details: found those of an address; those of a bank account are taken"],
      [1, bank, "details: found those of a bank account; those of an address are taken"],
      [1, on("solana", target), 'details.network: found "solana"; "base" is taken'],
      [1, on("base", freshAddress()), "details.address: found "]
    ] as const
    return run(
      Effect.gen(function* () {
        const m = yield* waiting
        const inbox = yield* Inbox
        for (const [which, details, detail] of wrong) {
          const issued: IssuedEvent = {
            _tag: "issued",
            event_id: `${m.ids[which]} ${detail}`,
            merchant_id: null,
            kind: "wallet_credential",
            resource_id: m.ids[which]!,
            provider_resource_id: "r",
            target,
            details
          }
          assert.strictEqual(yield* inbox.receive("simulated", issued), "ignored")
          const exception = (yield* findExceptions(m.ids[which]!)).at(-1)
          assert.strictEqual(exception?.reason, "not_applicable")
          assert.include(exception?.detail, detail)
        }
        assert.strictEqual((yield* m.account).status, "pending")
        assert.strictEqual((yield* m.address).status, "pending")
      }),
      { around: issuing(() => undefined) }
    )
  })

  it("is asked for again while the result has the details of another kind, and is there once it has its own", () => {
    const bank = { accountName: "A", accountNumber: "9912345678", bankName: "B" }
    const answers: Array<IssuedTarget["details"]> = [{ network: "base", address: "9912345678" }, bank]
    return run(
      Effect.gen(function* () {
        const m = yield* waiting
        yield* m.settle
        assert.strictEqual((yield* m.account).status, "pending")
        const storage = yield* Storage
        const job = yield* storage.job(m.merchant_id, `${m.ids[0]}.issue`)
        assert.include(
          String((job?.log.at(-1) as { answer?: string } | undefined)?.answer),
          "those of a bank account are taken"
        )
        yield* m.advance(3_600)
        yield* m.settle
        assert.strictEqual((yield* m.account).details?.["accountNumber" as never], "9912345678")
      }),
      {
        around: (inner) => {
          const simulated = issuing(() => undefined)(inner)
          return {
            ...simulated,
            payins: {
              ...simulated.payins!,
              issue: (command) =>
                command.type === "crypto"
                  ? Effect.succeed({ _tag: "pending" })
                  : Effect.sync(() => ({
                      _tag: "issued" as const,
                      issued: {
                        provider_resource_id: "r",
                        target: `account of ${command.resource_id}`,
                        details: answers.length > 1 ? answers.shift()! : bank
                      }
                    }))
            }
          }
        }
      }
    )
  })
})

describe("the details of an issued account", () => {
  covers("PROTOCOL-9")
  const decode = Schema.decodeUnknownExit(IssueResult)
  const issued = examples.issue.results["issued"] as unknown as { readonly details: Readonly<Record<string, unknown>> }

  it.each(["account_number", "account_name", "bank_name"])("are no result without %s", (name) => {
    assert.strictEqual(decode(issued)._tag, "Success")
    const { [name]: _, ...details } = issued.details
    assert.strictEqual(decode({ ...issued, details })._tag, "Failure")
  })

  it("are no result under the names of the API", () => {
    const { currency: _, ...details } = shown
    assert.strictEqual(decode({ ...issued, details })._tag, "Failure")
  })
})
