/** What a sandbox key can find out of the table of what is not verified, in `docs/providers/circle.md`. No payment is made. */
import type { CompanyClient } from "../company/client.ts"
import { type Probe, probeOf, replyShownBy } from "../company/probes.ts"
import { circle } from "./mapping.ts"

const describeReply = replyShownBy(circle.describe)

/** `key`: an idempotency key of this run alone. Deposit addresses cost nothing, and show what a key is worth. */
export const circleProbes = (ask: CompanyClient, key: string): ReadonlyArray<Probe> => {
  const path = "/v1/businessAccount/wallets/addresses/deposit"
  const post = (chain: string) =>
    ask({ method: "POST", path, body: JSON.stringify({ idempotencyKey: key, currency: "USD", chain }) })
  return [
    probeOf("a deposit address under a new idempotency key", post("BASE"), describeReply),
    probeOf("the same request under the same key", post("BASE"), describeReply),
    probeOf("another request under the same key", post("ETH"), describeReply),
    probeOf(
      "a payment with an id that is unknown",
      ask({ method: "GET", path: `/v1/businessAccount/transfers/${key}` }),
      describeReply
    )
  ]
}
