/** A fake Circle, and providers over it that share a store: each is a process of its own. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { CircleProvider, type CircleOptions } from "../../../src/adapters/provider/circle.ts"
import type { PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import { circleKey, FakeCircle, topicArn } from "./fake-circle.ts"
import { companyWorld } from "./world.ts"

/** An address that the fake has approved on Base. */
export const approved = "0xAbCdEf0123456789aBcDeF0123456789abcdef01"

/** A transfer of USDC to the approved address. */
export const transferOf = (n: number, over: Partial<PayoutCommand> = {}): PayoutCommand => {
  const resource_id = `tfr_01k6x0b7z2${String(n).padStart(16, "0")}`
  return {
    ...{ id: `${resource_id}.payout`, merchant_id: "mer_1", resource_id, statement_reference: "01K6X0B7Z26VDFC6" },
    ...{ reference: `ref_${n}`, originator: null, attempt: 0, kind: "transfer", amount: "25.50", currency: "USDC" },
    ...{ source_amount: "25.50", source_currency: "USDC" },
    destination: { type: "crypto", network: "base", address: approved, memo: null },
    beneficiary: { id: "ben_1", name: "Ada Obi" },
    ...{ narration: null },
    ...over
  }
}

/** A redemption of USDC to a linked bank. */
export const redemptionOf = (n: number, bank: string, over: Partial<PayoutCommand> = {}): PayoutCommand => {
  const resource_id = `off_01k6x0b7z2${String(n).padStart(16, "0")}`
  return transferOf(n, {
    ...{ id: `${resource_id}.payout`, resource_id, kind: "offramp", amount: "1000.00", currency: "USD" },
    ...{ source_amount: "1000.00", source_currency: "USDC" },
    destination: {
      ...{
        type: "fiat",
        country_code: "US",
        network: "bank",
        account_number: "000123450010",
        account_name: "Platform Ltd"
      },
      ...{ bank_code: bank, provider_id: "prov_1", rail: null }
    },
    ...over
  })
}

/** The key that Circle gets for a command: 16 bytes of SHA-256 as a version 4 UUID. It never changes, or open payouts would be lost. */
export const keyFor = ({ id }: { readonly id: string }): string => {
  const hex = createHash("sha256").update(id).digest("hex")
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export type { Process as CircleProcess } from "./world.ts"

/** A fake, a store, and a clock that moves by hand. All end with the scope. */
export const circleWorld = (options: Partial<CircleOptions> = {}) => {
  const fake = new FakeCircle()
  fake.addRecipient(approved)
  const bank = fake.addWire("WELLS FARGO BANK, NA ****0010")
  const world = companyWorld(fake, (over: Partial<CircleOptions>) =>
    CircleProvider.layer({
      ...{ url: fake.url, environment: "test", key: circleKey, timeout_ms: 10_000 },
      notifications: { topic_arn: topicArn, sns_url: fake.url },
      ...options,
      ...over
    })
  )
  return Effect.map(world, (made) => ({
    ...{ ...made, bank },
    /** What Circle made of a command. */
    paymentOf: (command: PayoutCommand) => {
      const payment = fake.paymentOf(keyFor(command))
      if (payment === undefined) throw new Error(`${command.id} is not at Circle`)
      return payment
    }
  }))
}

export type CircleWorld = Effect.Success<ReturnType<typeof circleWorld>>
