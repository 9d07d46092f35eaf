/** Defects of the connectors of payment companies: each would pay twice, release what was paid, or lose what came. */
import { of, type TestedDefect } from "./defect.ts"

const payouts = ["test/adapters/provider/paystack/payouts.test.ts"]
const events = ["test/adapters/provider/paystack/events.test.ts"]
const mapping = ["test/adapters/provider/paystack/mapping.test.ts"]

export const companies: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/adapters/provider/company/submissions.ts",
    payouts,
    ["a command is absent as soon as it is not found", "now - sent_at >= grace_ms", "now >= sent_at"],
    ["one look-up that finds nothing is enough", "if (missing_since === null)", "if (missing_since === -1)"],
    [
      "a balance that the command itself has taken releases it",
      "if (begun?.isFirst !== true || !(yield* clear(",
      "if (begun === null || !(yield* clear("
    ],
    ["what the ledger has is not asked", "if (!(yield* isUnbooked(sent_at)))", "if (1 > 2)"]
  ),
  ...of(
    "src/adapters/provider/company/submissions.ts",
    events,
    [
      "a refund is requested again while it may be on its way",
      "if (!command.isFenced && sent.sent_at !== null)",
      "if (!command.isFenced && sent.sent_at === -1)"
    ],
    [
      "a state is reported again with each look-up",
      "if (sent.state === state && sent.company_id === id)",
      "if (sent.state === state && sent.company_id !== id)"
    ]
  ),
  ...of("src/adapters/provider/company/client.ts", payouts, [
    "a pause that was asked for is not kept",
    "if ((yield* now) < resumes_at)",
    "if ((yield* now) < 0)"
  ]),
  ...of("src/adapters/provider/company/client.ts", mapping, [
    "an id above 2^53 loses digits",
    "? (source ?? String(value)) : value",
    "? String(value) : value"
  ]),
  ...of("src/adapters/provider/company/entries.ts", payouts, [
    "a code that is awaited holds back nobody",
    "waits ? [open, waiting(data.currency)] : [open]",
    "[open]"
  ]),
  ...of("src/adapters/provider/paystack/mapping.ts", payouts, [
    "a transfer of another amount is the command's",
    "if (BigInt(found.amount) !== units || ",
    "if ("
  ]),
  ...of("src/adapters/provider/paystack/mapping.ts", mapping, [
    "a payout that waits for a code has failed",
    'port: "pending",\n    waits: true,\n    means: "it waits for a code',
    'port: "failed",\n    waits: true,\n    means: "it waits for a code'
  ]),
  ...of(
    "src/adapters/provider/paystack/events.ts",
    events,
    [
      "a callback counts with the new key alone",
      ".flatMap(({ secrets }) => secrets)",
      ".flatMap(({ secrets }) => [secrets[0]])"
    ],
    ["a return after a success is not looked for", 'sent.state !== "reversed"', 'sent.state === "reversed"']
  )
]
