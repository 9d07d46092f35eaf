/** The arguments of `corridor check-provider`, decoded. Pure. */
import { secretFault } from "../protocol/signature.ts"
import { parseSignedUnits } from "./money.ts"
import type { RestartOptions } from "./restarts.ts"
import type { Wishes } from "./subject.ts"

export interface Options {
  readonly url: URL
  readonly secret: string
  /** Undefined: a new one is drawn. */
  readonly seed: string | undefined
  /** Ids of cases, or areas. Empty: all. */
  readonly only: ReadonlyArray<string>
  readonly wishes: Wishes
  readonly rejected: Readonly<Record<string, string>> | null
  readonly waiting: Readonly<Record<string, string>> | null
  readonly proxy: string | null
  readonly pay_in: string | null
  readonly restart: RestartOptions
  readonly callbacks: { readonly host: string; readonly port: number } | null
  readonly json: boolean
  readonly timeout_s: number
  readonly settle_s: number
  readonly callback_s: number
  readonly watch_ms: number
  readonly max_calls: number
  readonly max_s: number
}

/** Either the options, or one line for each fault. */
export type DecodedOptions = { readonly options: Options } | { readonly faults: ReadonlyArray<string> }

interface Flag {
  /** What the value is; null: the flag has none. */
  readonly value: string | null
  readonly help: string
}

/** In the order of the help. */
export const flags = {
  "--url": { value: "URL", help: "where the connector listens (required)" },
  "--secret": { value: "whsec_…", help: "the shared secret (required; or --secret-env)" },
  "--secret-env": { value: "NAME", help: "the environment variable that has the secret" },
  "--currency": { value: "CODE", help: "the currency of payouts; default: the first offer's" },
  "--max-amount": { value: "AMOUNT", help: "the largest payout; default: about 10 USD above the minimum" },
  "--account": {
    value: "MEMBERS",
    help: "a destination that can be paid, such as account_number=0690000031,bank_code=058; may be repeated"
  },
  "--rejected-account": { value: "MEMBERS", help: "a destination that the connector rejects" },
  "--waiting-account": { value: "MEMBERS", help: "a destination whose payout waits for a person" },
  "--proxy": { value: "PROXY", help: "a proxy that resolves" },
  "--pay-in": {
    value: "COMMAND",
    help: "pays money in, as a payer does: a shell command that gets TARGET, AMOUNT and CURRENCY"
  },
  "--start": { value: "COMMAND", help: "starts the connector; the kit kills it (SIGKILL) and starts it again" },
  "--kill-pid": { value: "PID", help: "with --start: the process that runs now, to be killed first" },
  "--restart": { value: "COMMAND", help: "restarts the connector, and ends" },
  "--callback-listen": { value: "HOST:PORT", help: "where the connector sends its callbacks in this run" },
  "--callbacks": { value: "off", help: "does not check callbacks" },
  "--only": { value: "CASE", help: "a case or an area, such as payouts/at-once or payouts; may be repeated" },
  "--seed": { value: "TEXT", help: "draws the same cases, order and amounts again" },
  "--timeout": { value: "SECONDS", help: "for an answer; default 15" },
  "--settle-within": { value: "SECONDS", help: "for a command to end; default 30" },
  "--callback-within": { value: "SECONDS", help: "for a callback to be sent again; default 60" },
  "--watch": { value: "MS", help: "how long a case watches that nothing more happens; default 1000" },
  "--max-calls": { value: "COUNT", help: "default 5000" },
  "--max-seconds": { value: "SECONDS", help: "default 600" },
  "--json": { value: null, help: "prints the report as JSON" },
  "--list": { value: null, help: "lists the cases, and ends" }
} as const satisfies Readonly<Record<string, Flag>>

type FlagName = keyof typeof flags

const repeatable: ReadonlySet<string> = new Set(["--only", "--account"])

const isFlag = (text: string): text is FlagName => Object.hasOwn(flags, text)

const destinationMembers: ReadonlySet<string> = new Set(
  "country_code network account_number account_name bank_code provider_id rail address memo".split(" ")
)

/** Collects the values of each flag, and adds a fault for each argument that is not a flag. */
const collectFlags = (args: ReadonlyArray<string>, faults: Array<string>): Map<FlagName, ReadonlyArray<string>> => {
  const found = new Map<FlagName, ReadonlyArray<string>>()
  for (let i = 0; i < args.length; i++) {
    const [name = "", ...rest] = (args[i] ?? "").split("=")
    const isJoined = rest.length > 0 && name.startsWith("--")
    const flag = isJoined ? name : (args[i] ?? "")
    if (!isFlag(flag)) {
      faults.push(`${JSON.stringify(flag)} is no option of check-provider.`)
      continue
    }
    const takes = flags[flag].value
    if (takes === null) {
      if (isJoined) faults.push(`${flag} takes no value; found ${JSON.stringify(rest.join("="))}.`)
      found.set(flag, [""])
      continue
    }
    const value = isJoined ? rest.join("=") : args[(i += 1)]
    if (value === undefined || value === "" || (!isJoined && isFlag(value))) {
      faults.push(`${flag} takes ${takes}; found nothing.`)
      if (value !== undefined && value !== "") i -= 1
      continue
    }
    const before = found.get(flag) ?? []
    if (before.length > 0 && !repeatable.has(flag)) faults.push(`${flag} is given twice.`)
    found.set(flag, [...before, value])
  }
  return found
}

/** Parses the members of a destination, and adds a fault for a malformed one. */
const parseAccount = (name: FlagName, text: string, faults: Array<string>): Readonly<Record<string, string>> => {
  const pairs = text.split(",").map((pair) => /^([a-z_]+)=(.+)$/.exec(pair))
  const members = pairs.some((pair) => pair === null)
    ? undefined
    : Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]))
  const unknown = Object.keys(members ?? {}).find((member) => !destinationMembers.has(member))
  if (members === undefined)
    faults.push(`${name} takes member=value pairs, separated by commas; found ${JSON.stringify(text)}.`)
  else if (unknown !== undefined)
    faults.push(`${name} takes ${[...destinationMembers].join(", ")}; found ${JSON.stringify(unknown)}.`)
  return members ?? {}
}

const parseUrl = (text: string | undefined, faults: Array<string>): URL | undefined => {
  if (text === undefined && !faults.some((fault) => fault.startsWith("--url"))) faults.push("--url is required.")
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (
    text !== undefined &&
    (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
  )
    faults.push(`--url takes an http or https URL without a query; found ${JSON.stringify(text)}.`)
  return url
}

/** Decodes the arguments. `cases`: the ids of all cases. `env`: the variables for --secret-env. No fault contains the text of a secret. */
export const decodeOptions = (
  args: ReadonlyArray<string>,
  cases: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): DecodedOptions => {
  const faults: Array<string> = []
  const found = collectFlags(args, faults)
  const one = (name: FlagName): string | undefined => found.get(name)?.[0]

  const whole = (name: FlagName, otherwise: number, least: number, most: number): number => {
    const text = one(name)
    if (text === undefined) return otherwise
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
    faults.push(`${name} takes a whole number from ${least} to ${most}; found ${JSON.stringify(text)}.`)
    return otherwise
  }
  const url = parseUrl(one("--url"), faults)

  const name = one("--secret-env")
  const secret = one("--secret") ?? (name === undefined ? undefined : env[name])
  if (name !== undefined && one("--secret") !== undefined) faults.push("--secret and --secret-env exclude each other.")
  else if (name !== undefined && !secret) faults.push(`--secret-env names ${JSON.stringify(name)}, which is not set.`)
  else if (secret === undefined) {
    if (!faults.some((fault) => fault.startsWith("--secret"))) faults.push("--secret or --secret-env is required.")
  } else {
    const fault = secretFault(secret)
    if (fault !== null) faults.push(`${name === undefined ? "--secret" : "--secret-env"}: ${fault}.`)
  }

  const max_amount = one("--max-amount")
  if (max_amount !== undefined && (parseSignedUnits(max_amount) ?? 0n) <= 0n)
    faults.push(`--max-amount takes a positive decimal such as 100.00; found ${JSON.stringify(max_amount)}.`)
  const currency = one("--currency")
  if (currency !== undefined && !/^[A-Z][A-Z0-9]{2,11}$/.test(currency))
    faults.push(`--currency takes a code such as NGN; found ${JSON.stringify(currency)}.`)

  const areas = new Set(cases.map((id) => id.slice(0, id.indexOf("/"))))
  const only = (found.get("--only") ?? []).flatMap((value) => value.split(","))
  for (const wanted of only)
    if (!areas.has(wanted) && !cases.includes(wanted))
      faults.push(`--only takes a case or an area, which --list shows; found ${JSON.stringify(wanted)}.`)

  const [start, again, pid] = [one("--start"), one("--restart"), one("--kill-pid")]
  if (start !== undefined && again !== undefined) faults.push("--start and --restart exclude each other.")
  if (pid !== undefined && !/^[1-9]\d{0,8}$/.test(pid))
    faults.push(`--kill-pid takes a process id; found ${JSON.stringify(pid)}.`)
  if (pid !== undefined && start === undefined) faults.push("--kill-pid needs --start: the kit starts what it kills.")

  const callbacks = one("--callbacks")
  if (callbacks !== undefined && callbacks !== "off")
    faults.push(`--callbacks takes off; found ${JSON.stringify(callbacks)}.`)
  const listen = one("--callback-listen")
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(listen ?? "") ?? []
  if (listen !== undefined && (host === "" || Number(port) > 65_535))
    faults.push(`--callback-listen takes HOST:PORT; found ${JSON.stringify(listen)}.`)
  if (listen !== undefined && callbacks === "off")
    faults.push("--callback-listen and --callbacks off exclude each other.")

  const destinationIn = (name: "--rejected-account" | "--waiting-account") => {
    const text = one(name)
    return text === undefined ? null : parseAccount(name, text, faults)
  }
  const options = {
    seed: one("--seed"),
    only,
    wishes: {
      currency,
      max_amount,
      accounts: (found.get("--account") ?? []).map((value) => parseAccount("--account", value, faults))
    },
    rejected: destinationIn("--rejected-account"),
    waiting: destinationIn("--waiting-account"),
    proxy: one("--proxy") ?? null,
    pay_in: one("--pay-in") ?? null,
    restart:
      start !== undefined
        ? { start, pid: pid === undefined ? null : Number(pid) }
        : again !== undefined
          ? { restart: again }
          : null,
    callbacks: listen === undefined ? null : { host: host.replace(/^\[|\]$/g, ""), port: Number(port) },
    json: found.has("--json"),
    timeout_s: whole("--timeout", 15, 1, 600),
    settle_s: whole("--settle-within", 30, 1, 86_400),
    callback_s: whole("--callback-within", 60, 1, 86_400),
    watch_ms: whole("--watch", 1000, 10, 600_000),
    max_calls: whole("--max-calls", 5000, 1, 1_000_000),
    max_s: whole("--max-seconds", 600, 1, 86_400)
  }
  return faults.length > 0 || url === undefined || secret === undefined
    ? { faults }
    : { options: { url, secret, ...options } }
}
