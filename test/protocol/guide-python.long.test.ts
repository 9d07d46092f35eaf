/** `npm test` needs Node alone, so that this is of the long run. */
import { execFileSync } from "node:child_process"
import { assert, it } from "vitest"
import { guide, messages, secret } from "../support/connectors/guide.ts"
import { missing } from "../support/connectors/launcher.ts"

const reason = missing("python")

it.skipIf(reason !== undefined)(
  `the Python of the guide signs its messages${reason === undefined ? "" : ` (${reason})`}`,
  () => {
    const [, code = ""] = /```python\n([\s\S]*?)```/.exec(guide) ?? []
    const printed = `${code}
import json, sys
for one in json.load(sys.stdin):
    headers = one["headers"]
    print(signature(${JSON.stringify(secret)}, headers["webhook-id"], int(headers["webhook-timestamp"]), one["body"].encode()))
`
    const signatures = execFileSync("python3", ["-c", printed], { input: JSON.stringify(messages), encoding: "utf8" })
    assert.deepEqual(
      signatures.trim().split("\n"),
      messages.map(({ headers }) => headers["webhook-signature"]!)
    )
  }
)
