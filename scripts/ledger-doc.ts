/** Writes `docs/ledger.md`: the postings of every step of every machine, found by stepping the machines. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Posting } from "../src/machines/kernel/ledger.ts"
import { type Found, type Specimen, specimens, walkMachine } from "../test/support/machines/specimens.ts"

export const path = fileURLToPath(new URL("../docs/ledger.md", import.meta.url))

const owners: Readonly<Record<string, string>> = {
  wal_1: "wallet",
  wal_2: "destination wallet",
  wcr_1: "credential",
  simulated: "provider",
  second: "next provider",
  third: "third provider",
  bank: "pay-in provider"
}

const accountOf = (account: string): string => {
  const [name = "", owner] = account.split(":")
  return owner === undefined ? name : `${name}(${owners[owner] ?? owner})`
}

const amountOf = ({ amounts, kind }: Specimen, { amount }: Posting): string => {
  const name = amounts[amount]
  if (name === undefined)
    throw new Error(`the ${kind.kind} machine posts ${amount}, for which its specimen has no name`)
  return name
}

interface Line {
  readonly from: string
  readonly events: Set<string>
  readonly to: string
  readonly bookings: ReadonlyArray<string>
}

const bookings = (specimen: Specimen, { outcome }: Found): ReadonlyArray<string> =>
  outcome.postings.map(
    (p) => `| ${accountOf(p.debit)} | ${accountOf(p.credit)} | ${amountOf(specimen, p)} | ${p.currency} |`
  )

export const ledgerDocument = (): string =>
  [
    "# Ledger",
    "",
    "The postings of every step of every machine. `npm run docs` generates this page by stepping the machines in `src/machines`;",
    "a test fails if it is stale. A step that is not listed makes no posting.",
    "",
    "Each posting debits one account and credits another, in one currency. The balance of an account is its credits less its",
    "debits. `available`, `reserved`, `held` and `credential` never go below zero. `clearing` holds what a provider was given",
    "while the outcome is unknown: it is zero for every movement that has ended. `suspense` holds what an operator must decide.",
    "Postings never change; a correction is another posting. An adjusting entry posts between `world`, `suspense`, `losses`, `fees`,",
    "`rounding`, `costs`, `receivable` and `float`, as the operator says; one line shows it.",
    "",
    "The amounts of an offramp and a conversion are shown for USDC to NGN, those of an onramp for NGN to USDC. `—` is the state",
    "before the resource is created.",
    "",
    "| Resource | Step | On | Debit | Credit | Amount | Currency |",
    "|---|---|---|---|---|---|---|",
    ...Object.values(specimens).flatMap((specimen) => {
      // Transitions between the same states with the same postings share a line, with all their events.
      const lines = new Map<string, Line>()
      for (const step of walkMachine(specimen).steps) {
        const booked = bookings(specimen, step)
        if (booked.length === 0) continue
        const from = step.from ?? "—"
        const key = [from, step.to, ...booked].join()
        const line = lines.get(key) ?? { from, to: step.to, events: new Set<string>(), bookings: booked }
        // The three resolutions of an exception have different postings.
        line.events.add(
          typeof step.event.action === "string" ? `${step.event.type} ${step.event.action}` : step.event.type
        )
        lines.set(key, line)
      }
      return [...lines.values()].flatMap(({ from, to, events, bookings: all }) =>
        all.map((booking, index) =>
          index === 0
            ? `| ${specimen.kind.kind} | ${from} → ${to} | ${[...events].map((event) => `\`${event}\``).join(" ")} ${booking}`
            : `| | | ${booking}`
        )
      )
    }),
    ""
  ].join("\n")

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path, ledgerDocument())
