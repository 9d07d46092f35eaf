/** `corridor check-provider`: checks a connector, and prints what it found. */
import { randomBytes } from "node:crypto"
import { cases } from "./cases.ts"
import { connectTo, Unreachable } from "./connect.ts"
import { formatUnits } from "./money.ts"
import { decodeOptions } from "./options.ts"
import { formatHelp, formatCases, formatPreface, formatJsonReport, formatSummary, formatVerdict } from "./report.ts"
import { planCases, runCases } from "./run.ts"
import type { Subject } from "./subject.ts"
import { isPass } from "./verdict.ts"

/** 0: nothing failed. 1: a case failed, or did not run. 2: bad usage. 3: the connector could not be reached. */
export type CheckExitCode = 0 | 1 | 2 | 3

export interface Output {
  readonly say: (text: string) => void
  readonly complain: (text: string) => void
}

const describeTerms = (subject: Subject): string => {
  const terms = subject.payouts()
  if (typeof terms === "string") return `${terms}; other operations may move money`
  const { currency, range } = terms
  const most = formatUnits(range.most, range.decimals)
  const above = range.offered.most === null ? "" : "; one above the offered maximum, which is to be refused"
  return `THIS RUN PAYS OUT at the connector's bank: some hundreds of payouts of ${formatUnits(range.least, range.decimals)} to ${most} ${currency} each${above}`
}

/** Runs the command. `args`: the arguments after `check-provider`. It never rejects because of a connector. */
export const checkProvider = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
  { say, complain }: Output
): Promise<CheckExitCode> => {
  if (args.includes("--help") || args.includes("-h")) {
    say(formatHelp())
    return 0
  }
  if (args.length === 1 && args[0] === "--list") {
    say(formatCases(cases))
    return 0
  }
  const decoded = decodeOptions(
    args,
    cases.map(({ id }) => id),
    env
  )
  if ("faults" in decoded) {
    for (const fault of decoded.faults) complain(fault)
    return 2
  }
  const { options } = decoded
  const seed = options.seed ?? randomBytes(6).toString("hex")
  const talk = options.json ? () => undefined : say
  try {
    const { bench, close } = await connectTo(options, seed, env)
    try {
      const plan = planCases(cases, options.only, seed)
      talk(formatPreface(options, seed, plan.length, describeTerms(bench.subject)))
      const summary = await runCases(plan, bench, seed, (verdict) => talk(formatVerdict(verdict)))
      say(options.json ? formatJsonReport(summary) : formatSummary(summary, options))
      return isPass(summary) ? 0 : 1
    } finally {
      await close()
    }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    complain(`${options.url.href}: ${error.message}`)
    return 3
  }
}
