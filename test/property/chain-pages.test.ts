/**
 * What the pages of a chain's statement leave open (INGEST-9), against the transfers of which they were cut: a node lists some of them late,
 * some never, and some twice.
 */
import fc from "fast-check"
import { expect, it } from "vitest"
import type { StatementLine } from "../../src/engine/ports/Provider.ts"
import { toStatedDays } from "../../src/engine/resources/reconciliation/account-statements.ts"
import {
  type FeedHolding,
  readLines,
  splitStatements
} from "../../src/engine/resources/reconciliation/provider-statement.ts"
import { type StatedPage, walkPages } from "../../src/machines/kernel/pages.ts"
import type { BookedLine } from "../../src/machines/reconciliation/statement-line.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

const dayMs = 86_400_000
const start = Date.parse("2026-01-05T00:00:00Z")
const days = [0, 1, 2, 3, 4, 5].map((n) => new Date(start + n * dayMs).toISOString().slice(0, 10))
const opening = 1000
const account = { currency: "USDC", kind: "chain", time_zone: "UTC" } as const

const drawnTransfer = fc.record({
  day: fc.nat(4),
  amount: fc.constantFrom(20, -20, 50, -50, 7, 300),
  /** In which page after its own the node lists it. */
  late: fc.constantFrom(0, 0, 0, 1, 2, 3),
  isNever: fc.constantFrom(false, false, false, true),
  isTwice: fc.boolean()
})

const drawn = (lateMax: number) =>
  fc
    .record({
      transfers: fc.array(drawnTransfer, { maxLength: 8 }),
      /** After how many transfers a page ends, and whether it has a block. */
      cuts: fc.uniqueArray(fc.record({ at: fc.nat(8), hasBlock: fc.boolean() }), {
        maxLength: 5,
        selector: ({ at }) => at
      }),
      begins: fc.constantFrom(0, 0, 1, 2)
    })
    .filter(({ transfers }) => transfers.filter(({ isNever, late }) => isNever || late > 0).length <= lateMax)

type Drawn = ReturnType<typeof drawn> extends fc.Arbitrary<infer A> ? A : never

/**
 * Reads the pages of a feed, and says what is booked on each day by then, and what is truly there when it ends. `perSecond`: transfers of one
 * second, which may be in two blocks. `namesBlocks`: whether a line names its block.
 */
const read = ({ begins, cuts, transfers }: Drawn, perSecond: number, namesBlocks: boolean) => {
  const all = transfers
    .toSorted((a, b) => a.day - b.day)
    .map((one, n) => {
      const line: StatementLine = {
        id: `T${n}`,
        booked_at: start + one.day * dayMs + Math.floor((n + 1) / perSecond) * 1000,
        ...(namesBlocks && { block: String(101 + n) }),
        direction: one.amount < 0 ? "debit" : "credit",
        amount: String(Math.abs(one.amount)),
        currency: "USDC",
        command_id: null,
        payin_id: null,
        provider_reference: null,
        transaction_hash: null,
        narration: null
      }
      return { ...one, line }
    })
  const ends = [
    ...cuts.filter(({ at }) => at < all.length).toSorted((a, b) => a.at - b.at),
    { at: all.length, hasBlock: true }
  ]
  const heldAt = (count: number) => all.slice(0, count).reduce((sum, { amount }) => sum + amount, opening)
  const blockOf = (count: number, at: number) => ({
    block: String(100 + count),
    at,
    balances: [{ currency: "USDC", amount: String(heldAt(count)) }]
  })
  const pageOf = (n: number): number => ends.findIndex(({ at }) => n < at)
  const listed = all.flatMap((one, n) =>
    one.isNever
      ? []
      : [
          { page: Math.min(ends.length - 1, pageOf(n) + one.late), line: one.line },
          ...(one.isTwice ? [{ page: ends.length - 1, line: one.line }] : [])
        ]
  )
  const pages: Array<StatedPage> = []
  const warnings: Array<string> = []
  const known = new Map<string, BookedLine>()
  let holding: FeedHolding = {}
  for (const [page, { at, hasBlock }] of ends.entries()) {
    const own = listed.filter((one) => one.page === page).map(({ line }) => line)
    const lines = readLines(account, own, start + 30 * dayMs)
    const end = page === ends.length - 1 ? start + 5 * dayMs : (all[at - 1]?.line.booked_at ?? start)
    const { statements, ...next } = splitStatements(
      account,
      lines,
      {
        lines: own,
        cursor: String(page),
        ...(page === 0 ? { opening: blockOf(0, start) } : {}),
        ...(hasBlock ? { closing: blockOf(at, end) } : {})
      },
      holding,
      new Set(lines.lines.filter(({ bank_reference }) => known.has(bank_reference!)))
    )
    holding = next
    for (const { data } of statements) {
      warnings.push(...data.warnings.map(({ message }) => message))
      const row = { id: `S${pages.length}`, data: { ...data, external_account_id: "xac_1", chunks: 0 } }
      pages.push({
        ...toStatedDays(row, pages.length),
        unreached: data.unreached === undefined ? null : BigInt(data.unreached)
      })
    }
    for (const line of lines.lines) known.set(line.bank_reference!, line)
  }
  const date = days[begins]!
  const before = all.filter(({ day }) => day < begins).reduce((sum, { amount }) => sum + amount, opening)
  const minor = (amount: number): bigint => BigInt(amount) * 1_000_000n
  const netOf = (lines: ReadonlyArray<BookedLine>): bigint =>
    lines.reduce(
      (sum, { amount, direction }) => (direction === "credit" ? sum + BigInt(amount) : sum - BigInt(amount)),
      0n
    )
  return {
    date,
    warnings,
    walked: walkPages({ date, balance: minor(before) }, pages),
    /** Lines since the account's first day, up to a day. */
    bookedBy: (day: string) =>
      netOf([...known.values()].filter(({ booked_on }) => booked_on >= date && booked_on <= day)),
    heldBefore: minor(before),
    trueBy: (day: string) =>
      minor(all.filter((one) => days[one.day]! <= day).reduce((sum, { amount }) => sum + amount, opening)),
    isWhole: all.every(({ isNever }) => !isNever)
  }
}

covers("INGEST-9", "CLOSE-4")
it("a day ends with its opening balance, all lines since and what differs up to it, whenever the lines were listed", () => {
  fc.assert(
    fc.property(drawn(8), fc.boolean(), (history, namesBlocks) => {
      const { bookedBy, date, heldBefore, walked } = read(history, 2, namesBlocks)
      for (const [day, closing] of walked.closings) {
        if (day < date) continue
        const differs = walked.differences.reduce((sum, one) => (one.day <= day ? sum + one.amount : sum), 0n)
        expect([day, closing]).toEqual([day, heldBefore + bookedBy(day) + differs])
      }
    }),
    { numRuns: triesOf(1000) }
  )
})

covers("INGEST-9", "CLOSE-1")
it("a transfer that is listed late leaves no difference, and each day what was there at its end", () => {
  fc.assert(
    fc.property(drawn(1), fc.boolean(), (history, namesBlocks) => {
      // Where lines name their blocks, those of one second are known apart.
      const { date, isWhole, trueBy, walked } = read(history, namesBlocks ? 3 : 1, namesBlocks)
      fc.pre(isWhole)
      expect(walked.differences).toEqual([])
      for (const [day, closing] of walked.closings) if (day >= date) expect([day, closing]).toEqual([day, trueBy(day)])
    }),
    { numRuns: triesOf(1000) }
  )
})

covers("INGEST-9")
it("a block that has what its lines lead to is warned of by nobody, though blocks before it are of its second", () => {
  fc.assert(
    fc.property(drawn(0), (history) => {
      expect(read(history, 100, true).warnings).toEqual([])
    }),
    { numRuns: triesOf(1000) }
  )
})
