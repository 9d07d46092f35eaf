/**
 * Each command once as a process: it loads what it needs, ends with its code, and writes to its streams. `.ci/run` has the built command
 * run, elsewhere it is that of the sources. What a command says otherwise is asked in the process of the tests.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { corridor as root } from "../../src/cli/corridor.ts"
import { listHelp } from "../../src/cli/help.ts"
import { version } from "../../src/version.ts"
import { corridorProcess } from "../support/cli/command-line.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { freshDatabase } from "../support/stores/database.ts"

let DATABASE_URL: string
beforeAll(async () => {
  DATABASE_URL = await freshDatabase()
})

const away = "http://127.0.0.1:1"
const isAway = { code: 3, out: "", errors: [expect.stringMatching(/cannot be reached/)] }
const asOperator = { CORRIDOR_URL: away, CORRIDOR_OPERATOR_TOKEN: operatorToken }
const asMerchant = { CORRIDOR_URL: away, CORRIDOR_API_KEY: apiKey }

/** By the words of a command line: what it is given besides the store, and its end. */
const commands: Readonly<Record<string, readonly [env: Readonly<Record<string, string>>, ended: object]>> = {
  "serve --config nowhere.ts": [{}, { code: 1, out: "", errors: [expect.stringMatching(/nowhere\.ts/)] }],
  migrate: [{}, { code: 0, out: expect.stringMatching(/: nothing to apply\n$/), errors: [] }],
  "upgrade --check": [{}, { code: 0, out: expect.stringMatching(/this release can start on it\n$/), errors: [] }],
  "keys status": [{}, { code: 0, errors: [] }],
  "reconcile accept": [{}, { code: 0, errors: [] }],
  "rescan --provider base --from 1": [{}, { code: 1, out: "", errors: [expect.stringMatching(/--provider is base/)] }],
  "doctor --json": [{}, { code: 0, out: expect.stringMatching(/^\{.*can be read, and is migrated/), errors: [] }],
  "explain ofr_01j9z3k4m5n6p7q8r9s0t1v2w3": [asOperator, isAway],
  "search x": [asOperator, isAway],
  "list transfers": [asMerchant, isAway],
  "operators list": [asOperator, isAway],
  "list merchants": [asOperator, isAway],
  "get merchants mer_01j9z3k4m5n6p7q8r9s0t1v2w3": [asOperator, isAway],
  "create wallets --set currency=USDC": [asMerchant, isAway],
  "login desk": [asOperator, isAway],
  "logout desk": [{}, { code: 2, out: "", errors: ['there is no profile "desk".'] }],
  profiles: [{}, { code: 0, out: "No profiles. corridor login makes one.\n", errors: [] }],
  "statements list": [asOperator, isAway],
  "breaks list": [asOperator, isAway],
  "close xac_01j9z3k4m5n6p7q8r9s0t1v2w3 2026-01-31": [asOperator, isAway],
  "batch status bat_01j9z3k4m5n6p7q8r9s0t1v2w3": [asMerchant, isAway],
  "listen --forward-to http://127.0.0.1:1": [asMerchant, { code: 3 }],
  "webhooks health whe_01j9z3k4m5n6p7q8r9s0t1v2w3": [asMerchant, isAway],
  "trigger offramp.success": [asMerchant, isAway],
  "events tail": [asMerchant, isAway],
  verify: [{}, { code: 0, out: expect.stringMatching(/ no difference\n/), errors: [] }],
  "check-provider --url http://127.0.0.1:1 --secret-env BANK": [
    { BANK: `whsec_${Buffer.alloc(32, 9).toString("base64")}` },
    { code: 3 }
  ],
  "simulate --seeds 1 --from 5 --workers 1": [
    {},
    { code: 0, out: expect.stringMatching(/^1 seeds?, \d+ commits/), errors: [] }
  ],
  "completions bash": [{}, { code: 0, out: expect.stringMatching(/_corridor/), errors: [] }],
  "--version": [{}, { code: 0, out: `${version}\n`, errors: [] }],
  // No colours into a pipe.
  "keys rotate --help": [{}, { code: 0, out: expect.stringMatching(/^[^\u001b]+$/), errors: [] }],
  fly: [{}, { code: 2, out: "", errors: expect.arrayContaining(['unknown command "fly".']) }]
}

describe.concurrent("as a process", () => {
  it.each(Object.entries(commands))("corridor %s", async (line, [env, ended]) => {
    expect(await corridorProcess(line.split(" "), { DATABASE_URL, ...env })).toMatchObject(ended)
  })

  it("npx corridor runs the sources in this repository", async () => {
    const { stdout } = await promisify(execFile)("npx", ["corridor", "--version"])
    expect(stdout).toBe(`${version}\n`)
  })

  it("each command is asked", async () => {
    const help = await Effect.runPromise(listHelp(root))
    const words = new Set(Object.keys(commands).map((line) => line.split(" ")[0]))
    expect(help.flatMap(({ path }) => (path.length === 1 && !words.has(path[0]) ? path : []))).toEqual([])
  })
})
