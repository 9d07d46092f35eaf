/** Defects of the provider protocol, of the check of connectors, and of what receives and calls: each side of the wire. */
import { of, type TestedDefect } from "./defect.ts"

export const protocol: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/protocol/messages.ts",
    ["test/protocol/messages.test.ts", "test/protocol/client.test.ts"],
    [
      "an answer to another id counts",
      `["request_id", "operation", "id"] as const`,
      `["request_id", "operation"] as const`
    ],
    [
      "an answer to another operation counts",
      `["request_id", "operation", "id"] as const`,
      `["request_id", "id"] as const`
    ],
    ["an answer with status 201 counts", "if (status !== 200) return", "if (status >= 300) return"],
    ["the id of the path is not that of the body", "if (route.id !== null && route.id !== id)", "if (false)"],
    ["a GET has a body", "if (body.length > 0) return fault(400", "if (false) return fault(400"],
    ["a BOM is read", "ignoreBOM: true", "ignoreBOM: false"]
  ),
  ...of(
    "src/protocol/signature.ts",
    ["test/protocol/messages.test.ts", "test/protocol/client.test.ts"],
    ["a secret of 23 bytes", "length >= 24 && length <= 64", "length >= 23 && length <= 64"],
    ["a secret of 65 bytes", "length >= 24 && length <= 64", "length >= 24"]
  ),
  ...of(
    "src/protocol/client.ts",
    ["test/protocol/messages.test.ts", "test/protocol/client.test.ts"],
    ["a password in the address", `username !== "" || password !== ""`, `username !== ""`],
    ["a fragment in the address", `search !== "" || hash !== ""`, `search !== ""`]
  ),
  ...of(
    "src/protocol/shared.ts",
    ["test/protocol/shared.test.ts"],
    ["an answer from the future is fresh", "at >= kept.at && at - kept.at < keep_ms", "at - kept.at < keep_ms"]
  ),
  ...of(
    "src/protocol/transport.ts",
    ["test/protocol/messages.test.ts", "test/protocol/client.test.ts"],
    ["a name that is not found may have been sent", `  "ENOTFOUND",\n`, ""],
    ["a refused connection may have been sent", `  "ECONNREFUSED",\n`, ""]
  ),
  ...of(
    "src/conformance/verdict.ts",
    ["test/conformance/report.test.ts", "test/conformance/usage.test.ts"],
    ["what did not run passes", `status === "passed" || status === "skipped"`, `status !== "failed"`]
  ),
  ...of(
    "src/conformance/cases/amounts.ts",
    ["test/conformance/lies.test.ts", "test/conformance/faults.test.ts"],
    ["another amount passes", `if (amount !== null && !isSameAmount(amount, command.members["amount"]))`, "if (false)"]
  ),
  ...of(
    "src/conformance/cases/manifest.ts",
    ["test/conformance/lies.test.ts"],
    ["limits out of order pass", "if (minimum !== null && maximum !== null && least > most)", "if (false)"],
    [
      "a conversion into itself passes",
      `if (operation === "conversion" && currency !== null && currency === destination_currency)`,
      "if (false)"
    ]
  ),
  ...of(
    "src/conformance/cases/books.ts",
    ["test/conformance/lies.test.ts"],
    ["a line twice passes", "findDuplicate(again.items.map(({ id }) => id))", "findDuplicate([])"]
  ),
  ...of(
    "src/conformance/cases/services.ts",
    ["test/conformance/lies.test.ts"],
    ["a rate of the future passes", "if (age_ms < -aheadMs)", "if (false)"],
    ["an old rate passes", "if (age_ms > oldestMs)", "if (false)"],
    ["a tiny rate passes", "value < 1e-9 || value > 1e9", "value > 1e9"],
    ["a rate of one digit passes", "if (value < 0.001 &&", "if (value < 0 &&"],
    [
      "a rate that its inverse contradicts passes",
      "if (back !== undefined && !isNear(value, 1 / back, 1.1))",
      "if (false)"
    ],
    [
      "a rate that the dollar contradicts passes",
      "if (from !== undefined && to !== undefined && !isNear(value, from / to, 1.3))",
      "if (false)"
    ],
    ["a stablecoin at ten dollars passes", "if (worth !== undefined && !isNear(worth, 1, 1.1))", "if (false)"],
    ["a rate that jumps passes", "!isNear(Number(one.rate), Number(before.rate), 1.1)", "false"],
    [
      "a rate that goes back passes",
      "if (before !== undefined && Date.parse(one.at) < Date.parse(before.at))",
      "if (false)"
    ],
    [
      "two rates of a pair pass",
      `if (twice !== undefined) trial.fail(\`There are two rates`,
      `if (false) trial.fail(\`There are two rates`
    ]
  ),
  ...of(
    "src/conformance/exchange.ts",
    [
      "test/conformance/lies.test.ts",
      "test/conformance/journal.test.ts",
      "test/conformance/disguise.test.ts",
      "test/conformance/faults.test.ts"
    ],
    [
      "an answer with the id of another one passes",
      "if (message_id === request.request_id || this.#answers.has(message_id)) {",
      "if (message_id === request.request_id) {"
    ]
  ),
  ...of(
    "src/conformance/journal.ts",
    [
      "test/conformance/lies.test.ts",
      "test/conformance/journal.test.ts",
      "test/conformance/disguise.test.ts",
      "test/conformance/faults.test.ts"
    ],
    [
      "a failure may become a success",
      `(before.outcome === "success" && (after.outcome`,
      `(before.outcome !== "" as string && (after.outcome === "success" || after.outcome`
    ]
  ),
  ...of(
    "src/receiver/receiver.ts",
    ["test/receiver/receiver.test.ts", "test/property/receiver.test.ts"],
    [
      "an event with the number of the last one is applied",
      "event.event_sequence <= held.sequence",
      "event.event_sequence < held.sequence"
    ]
  ),
  ...of(
    "src/receiver/event.ts",
    ["test/receiver/receiver.test.ts", "test/property/receiver.test.ts"],
    ["an event with the number 0", "event.event_sequence > 0 &&", "event.event_sequence >= 0 &&"],
    [
      "an event without an object",
      `typeof event.event_object === "object" &&\n    event.event_object !== null`,
      `typeof event.event_object === "object"`
    ]
  )
]
