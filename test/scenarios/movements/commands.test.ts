/** The commands that providers get for each kind of movement. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { deriveStatementReference } from "../../../src/engine/input/statement-reference.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Senders } from "../../../src/engine/resources/parties/sender.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

onMemory("the command of a movement", (run) => {
  covers("ROUTE-9", "BENEFICIARY-12")
  it("has every member that a bank asks for, of each kind, with a sender and without", async () => {
    const scripted = makeScriptedProvider("simulated", "settled")
    const { payouts, liquidity } = scripted.provider
    const around = (inner: Provider["Service"]) => ({ ...inner, payouts: payouts!, liquidity: liquidity! })
    await run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { merchant_id } = m
        const ramps = yield* onrampsOf(m)
        const customers = yield* Customers
        const senders = yield* Senders
        const sandbox = yield* SandboxOperations
        const { customer_id } = m.wallet
        yield* customers.update(m.caller, customer_id, {
          profile: { id_type: "passport", id_number: "A1234567", date_of_birth: "01/31/1990" }
        })
        const customer = {
          id: customer_id,
          type: "business",
          name: "Ada Ltd",
          country_code: "NG",
          address: null,
          date_of_birth: "01/31/1990",
          id_type: "passport",
          id_number: "A1234567"
        }
        const address = { line1: "1 Broad St", city: "Lagos", country_code: "NG" }
        const { id: sender_id } = yield* senders.create(m.caller, {
          type: "individual",
          name: "Bola",
          country_code: "NG",
          address,
          id_type: "passport",
          id_number: "B7654321"
        })
        const sender = {
          id: sender_id,
          type: "individual",
          name: "Bola",
          country_code: "NG",
          address,
          date_of_birth: null,
          id_type: "passport",
          id_number: "B7654321"
        }
        const commandOf = Effect.fnUntraced(function* (resource_id: string) {
          yield* m.settle
          const [command, ...more] = scripted.submitted.filter((one) => one.resource_id === resource_id)
          assert.deepEqual(more, [])
          return command as unknown
        })
        const common = (resource_id: string, reference: string, originator: object) => ({
          id: `${resource_id}.payout`,
          merchant_id,
          resource_id,
          statement_reference: deriveStatementReference(`${resource_id}.payout`),
          reference,
          originator,
          attempt: 0
        })
        const payeeAddress = { line1: "4 Marina", city: "Lagos", postal_code: "101231", country_code: "NG" }
        yield* (yield* Beneficiaries).update(m.caller, m.beneficiary, { address: payeeAddress })
        const account = yield* m.bank()
        yield* (yield* Beneficiaries).update(m.caller, account, { purpose_code: "SALA" })
        const metadata = { purpose: "Rent", purpose_code: "P1301" }

        for (const [given, originator] of [
          [{}, customer],
          [{ sender_id }, sender]
        ] as const) {
          const transfer = yield* m.transfer("10", { metadata, ...given })
          assert.deepEqual(yield* commandOf(transfer.id), {
            ...common(transfer.id, transfer.reference, originator),
            kind: "transfer",
            amount: "10.00",
            currency: "USDC",
            source_amount: "10.00",
            source_currency: "USDC",
            destination: {
              type: "crypto",
              network: "solana",
              address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV",
              memo: null
            },
            beneficiary: { id: m.beneficiary, name: "Chidi", address: payeeAddress },
            purpose_code: null,
            narration: null
          })

          const offramp = yield* m.offramp("10", {
            ...{ beneficiary_id: account, narration: "Invoice 7", metadata },
            ...given
          })
          const { beneficiary_id, quoted_received_amount } = (yield* m.rowOf(offramp.id)).data as {
            readonly beneficiary_id: string
            readonly quoted_received_amount: string
          }
          assert.deepEqual(yield* commandOf(offramp.id), {
            ...common(offramp.id, offramp.reference, originator),
            kind: "offramp",
            amount: quoted_received_amount.replace(/(..)$/, ".$1"),
            currency: "NGN",
            source_amount: "10.00",
            source_currency: "USDC",
            destination: {
              type: "fiat",
              country_code: "NG",
              network: "bank",
              account_number: "0123456789",
              account_name: "Chidi",
              provider_id: "prov_1",
              bank_code: "058",
              rail: null
            },
            beneficiary: { id: beneficiary_id, name: "Chidi", address: null },
            purpose_code: "SALA",
            narration: "Invoice 7"
          })
        }

        const conversion = yield* m.conversion("10")
        const onramp = yield* ramps.onramp()
        yield* ramps.pays(onramp.id, "150000")
        const account_id = yield* m.credential(m.wallet.id, "NGN", "bank")
        yield* sandbox.deposit(m.caller, { credential_id: account_id, amount: "150000" })
        yield* m.settle
        const automatic = scripted.submitted.find(
          ({ kind, resource_id }) => kind === "conversion" && resource_id !== conversion.id
        )!
        for (const [id, kind, source_currency, destination_currency] of [
          [conversion.id, "conversion", "USDC", "NGN"],
          [onramp.id, "onramp", "NGN", "USDC"],
          [automatic.resource_id, "conversion", "NGN", "USDC"]
        ] as const) {
          const { data } = yield* m.rowOf(id)
          const { reference, rate, terms, actual, ...more } = data as Record<string, any>
          const figures = actual ?? more
          const net = BigInt(figures.source_amount) - BigInt(figures.gateway_fee)
          const shown = (minor: bigint, currency: string) => {
            const digits = currency === "NGN" ? 2 : 6
            const text = minor.toString().padStart(digits + 1, "0")
            return `${text.slice(0, -digits)}.${text.slice(-digits).slice(0, 2)}`
          }
          assert.deepEqual(yield* commandOf(id), {
            ...common(id, reference, customer),
            kind,
            source_amount: shown(net, source_currency),
            source_currency,
            destination_amount: shown(BigInt(figures.destination_amount), destination_currency),
            destination_currency,
            rate: rate ?? terms.rate
          })
        }
      }),
      { around }
    )
  })
})
