/** Runs `corridor check-provider` against a reference connector that it starts and kills itself. */
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { checkProvider, type CheckExitCode } from "../../../src/conformance/command.ts"
import { scratchFolder } from "../repository/scratch.ts"
import { commandOf, connectorAdminToken, connectorSecret, type Implementation } from "./launcher.ts"

export interface Verdict {
  readonly id: string
  readonly status: "passed" | "failed" | "skipped" | "not-run"
  readonly reason?: string
  readonly found?: string
  readonly exchanges?: ReadonlyArray<{ readonly sent: string; readonly came: string }>
}

export interface Report {
  readonly seed: string
  readonly verdicts: ReadonlyArray<Verdict>
  readonly calls: number
  readonly restarts: number
  readonly moved: Readonly<Record<string, string>>
}

/** What the command printed, and its exit code. */
export interface Printed {
  readonly code: CheckExitCode
  readonly out: string
  readonly errors: ReadonlyArray<string>
}

export const check = async (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Printed> => {
  const out: Array<string> = []
  const errors: Array<string> = []
  const code = await checkProvider(args, env, {
    say: (text) => void out.push(text),
    complain: (text) => void errors.push(text)
  })
  return { code, out: out.join("\n"), errors }
}

/** Ports of loopback that are free now. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer()
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    )
  )
  return Promise.all(
    servers.map((server) => {
      const { port } = server.address() as { readonly port: number }
      return new Promise<number>((resolve) => server.close(() => resolve(port)))
    })
  )
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The offers of the connector, with a maximum that a test can pay. */
const offers = [
  { operation: "payout", currency: "NGN", country_code: "NG", network: "bank", minimum: "5.00", maximum: "5000.00" },
  { operation: "payin", currency: "NGN", country_code: "NG", network: "bank" },
  { operation: "issue", currency: "NGN", country_code: "NG", network: "bank" },
  { operation: "conversion", currency: "NGN", destination_currency: "USDC" },
  ...["directory", "screening", "verification", "rates", "statements"].map((operation) => ({ operation }))
]

/**
 * Checks a connector with everything that the kit can use: it kills the connector, hears its callbacks and has money paid
 * in. `env`: settings of the connector, such as a fault.
 */
export const checkConnector = async (
  implementation: Implementation,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<Printed> => {
  const folder = scratchFolder("conformance-")
  const [port, callbacks] = await freePorts(2)
  const settings: Readonly<Record<string, string>> = {
    PORT: String(port),
    CONNECTOR_SECRET: connectorSecret,
    CONNECTOR_ADMIN_TOKEN: connectorAdminToken,
    CONNECTOR_DATABASE: join(folder, "connector.sqlite"),
    CONNECTOR_DELAY_MS: "150",
    CONNECTOR_RETRY_MS: "100",
    CONNECTOR_EVENTS_URL: `http://127.0.0.1:${callbacks}/providers/bank/events`,
    CONNECTOR_OFFERS: JSON.stringify(offers),
    ...env
  }
  const assigned = Object.entries(settings).map(([name, value]) => `${name}=${quoteForShell(value)}`)
  const [command, file] = commandOf(implementation)
  const url = `http://127.0.0.1:${port}`
  const payIn = `await fetch("${url}/admin/payins", {method: "POST", headers: {authorization: "Bearer ${connectorAdminToken}"},
    body: JSON.stringify({target: process.env.TARGET, amount: process.env.AMOUNT, currency: process.env.CURRENCY})})
    .then((answer) => process.exit(answer.status === 200 ? 0 : 1))`
  try {
    return await check([
      ...["--url", url, "--secret", connectorSecret],
      ...["--start", `exec env ${assigned.join(" ")} ${quoteForShell(command)} ${quoteForShell(file)}`],
      ...["--callback-listen", `127.0.0.1:${callbacks}`],
      ...["--pay-in", `${quoteForShell(process.execPath)} --input-type=module -e ${quoteForShell(payIn)}`],
      ...["--rejected-account", "account_number=0000000000"],
      ...["--waiting-account", "account_number=0123450010"],
      ...["--max-amount", "5000.00"],
      ...(args.includes("--watch") ? [] : ["--watch", "200"]),
      ...args
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As {@link checkConnector}, with the report as an object. */
export const reportOf = async (
  implementation: Implementation,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<Report & { readonly code: CheckExitCode }> => {
  const { code, errors, out } = await checkConnector(implementation, ["--json", ...args], env)
  if (out === "") throw new Error(errors.join("\n"))
  return { code, ...(JSON.parse(out) as Report) }
}

export const idsOf = ({ verdicts }: Report, status: Verdict["status"]): ReadonlyArray<string> =>
  verdicts.filter((verdict) => verdict.status === status).map(({ id }) => id)
