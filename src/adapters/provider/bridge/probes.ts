/** What a sandbox key can find out of the table of what is not verified, in `docs/providers/bridge.md`. No transfer is made. */
import type { CompanyClient } from "../company/client.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import { type Probe, probeOf, replyShownBy } from "../company/probes.ts"
import { bridge } from "./mapping.ts"

const wordsOf = replyShownBy(bridge.describe)

/** `run_id`: of this run alone. An account of a beneficiary costs nothing, and shows what a key is worth. */
export const bridgeProbes = (ask: CompanyClient, customer: string, run_id: string): ReadonlyArray<Probe> => {
  const account = (account_number: string, key = run_id) =>
    ask({
      ...{ method: "POST", path: `/customers/${customer}/external_accounts`, idempotency_key: idempotencyKey(key) },
      body: JSON.stringify({
        ...{ currency: "usd", account_owner_name: "Corridor Check", account_type: "us" },
        account: { account_number, routing_number: "021000021", checking_or_savings: "checking" }
      })
    })
  const number = String(Number.parseInt(run_id.slice(0, 8), 16) % 1_000_000_000).padStart(12, "0")
  return [
    probeOf("an account without an address under a new idempotency key", account(number), wordsOf),
    probeOf("the same request under the same key", account(number), wordsOf),
    probeOf("another request under the same key", account(`9${number.slice(1)}`), wordsOf),
    probeOf("the same account under another key", account(number, `${run_id}/again`), wordsOf),
    probeOf(
      "whether the list can be asked for a reference",
      ask({ method: "GET", path: `/transfers?client_reference_id=${run_id}` }),
      wordsOf
    ),
    probeOf("a transfer with an id that is unknown", ask({ method: "GET", path: `/transfers/${run_id}` }), wordsOf)
  ]
}
