/** `corridor verify` on a store: what it reports, and what a corruption of it must be called. */
import { expect } from "vitest"
import { corridor } from "./command-line.ts"
import type { Corruption, Query } from "./corruptions.ts"

export interface Report {
  readonly ok: boolean
  readonly stores: ReadonlyArray<{
    readonly checks: ReadonlyArray<{
      readonly name: string
      readonly count: number
      readonly differences: ReadonlyArray<{
        readonly subject: string
        readonly expected: string
        readonly found: string
      }>
    }>
  }>
}

export const runVerify = async (url: string): Promise<readonly [number | null, Report]> => {
  const { code, errors, out } = await corridor(["verify", "--json"], { DATABASE_URL: url })
  expect(errors).toEqual([])
  return [code, JSON.parse(out) as Report]
}

/** `check subject` of each difference. */
export const listDifferences = ({ stores }: Report): ReadonlyArray<string> =>
  stores.flatMap(({ checks }) =>
    checks.flatMap(({ differences, name }) => differences.map(({ subject }) => `${name} ${subject}`))
  )

export const healthy = async (url: string): Promise<void> => {
  const [code, report] = await runVerify(url)
  expect(listDifferences(report)).toEqual([])
  expect([code, report.ok]).toEqual([0, true])
}

/** Corrupts a store. Returns what `verify` must report of each. */
export const seedCorruptions = async (ask: Query, some: ReadonlyArray<Corruption>): Promise<ReadonlyArray<string>> => {
  const expected: Array<string> = []
  for (const { check, subject, text } of some) {
    const [row] = await ask(text)
    if (row === undefined) throw new Error(`the history has nothing for: ${text}`)
    expected.push(`${check} ${subject(row)}`)
  }
  return expected
}
