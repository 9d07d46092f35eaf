/** Readers of statements: they are total, exact, and read what is written. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type CsvMapping,
  escapeFormula,
  readStatements,
  type ReadOptions,
  unescapeFormula,
  UnreadableStatement,
  writeCamt053,
  writeCsv
} from "../../src/statements/index.ts"
import { readTable, decodeTable } from "../../src/statements/csv/table.ts"
import { formatUnits } from "../../src/statements/decimal.ts"
import { covers } from "../support/repository/covers.ts"
import { account, bai2, balance, bytesOf, camt, entry, mt940, read } from "../support/statements/samples.ts"
import { triesOf } from "../support/properties/tries.ts"

const csv: CsvMapping = {
  columns: { booked_on: "Date", amount: "Amount", balance: "Balance" },
  separator: ";",
  decimal: ",",
  dates: "dmy"
}
const owner = { identifiers: [{ scheme: "account_number", value: "1" }], currency: "EUR" } as const

/** Amounts in cents, with their signs. */
const cents = fc.array(
  fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).filter((each) => each !== 0n),
  { minLength: 1, maxLength: 8 }
)
const decimal = (value: bigint): string => formatUnits((value < 0n ? -value : value) * 10n ** 16n)
const signedText = (value: bigint): string => `${value < 0n ? "-" : ""}${decimal(value)}`
const comma = (value: bigint): string => {
  const text = decimal(value).replace(".", ",")
  return text.includes(",") ? text : `${text},`
}
const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((all, each) => all + each, 0n)
const mark = (value: bigint): string => (value < 0n ? "D" : "C")
const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

/** The same bookings in each format. */
const formats: Readonly<
  Record<string, (opening: bigint, values: ReadonlyArray<bigint>) => readonly [string, ReadOptions?]>
> = {
  camt: (opening, values) => [
    camt(
      account +
        balance("OPBD", signedText(opening)) +
        balance("CLBD", signedText(opening + sum(values))) +
        values.map((value) => entry(decimal(value), value < 0n ? "DBIT" : "CRDT")).join("")
    )
  ],
  mt940: (opening, values) => {
    const closing = opening + sum(values)
    return [
      mt940(
        values.map((value) => `:61:260131${mark(value)}${comma(value)}NTRFNONREF`),
        { opening: `${mark(opening)}260131EUR${comma(opening)}`, closing: `${mark(closing)}260131EUR${comma(closing)}` }
      )
    ]
  },
  bai2: (opening, values) => {
    const closing = opening + sum(values)
    const details = values.map((value) => `16,${value < 0n ? "495" : "195"},${absolute(value)},Z,,,TEXT/`)
    return [
      bai2(`1,EUR,010,${opening},,,015,${closing},,`, details, String(opening + closing + sum(values.map(absolute))))
    ]
  },
  csv: (opening, values) => {
    const rows = values.map(
      (value, at) =>
        `31.01.2026;${signedText(value).replace(".", ",")};${signedText(opening + sum(values.slice(0, at + 1))).replace(".", ",")}`
    )
    return [["Date;Amount;Balance", ...rows].join("\n"), { csv: { mapping: csv, account: owner } }]
  }
}
const opening = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n })

covers("STATEMENT-2", "STATEMENT-4")
describe.each(Object.entries(formats))("bookings in %s", (_, write) => {
  it("are read exactly, in their order, to the closing balance", () => {
    fc.assert(
      fc.property(opening, cents, (begin, values) => {
        const [text, options] = write(begin, values)
        const [statement, ...others] = read(text, options)
        expect(others).toEqual([])
        expect(statement!.lines.map(({ amount, direction }) => `${direction} ${amount}`)).toEqual(
          values.map((value) => `${value < 0n ? "debit" : "credit"} ${decimal(value)}`)
        )
        expect(statement!.opening_balance!.amount).toBe(signedText(begin))
        expect(statement!.closing_balance!.amount).toBe(signedText(begin + sum(values)))
      })
    )
  })
})

/** A file that is damaged: bytes replaced, removed, repeated or put in. */
const damaged = fc
  .record({
    format: fc.constantFrom(...Object.values(formats)),
    begin: opening,
    values: cents,
    edits: fc.array(
      fc.tuple(fc.constantFrom("put", "cut", "repeat", "set"), fc.nat(), fc.nat(40), fc.uint8Array({ maxLength: 6 })),
      { minLength: 1, maxLength: 4 }
    )
  })
  .map(({ begin, edits, format, values }) => {
    const [text, options] = format(begin, values)
    let bytes = [...bytesOf(text)]
    for (const [act, place, length, more] of edits) {
      const at = place % (bytes.length + 1)
      const [before, part, rest] = [bytes.slice(0, at), bytes.slice(at, at + length), bytes.slice(at + length)]
      if (act === "put") bytes = [...before, ...more, ...part, ...rest]
      else if (act === "cut") bytes = [...before, ...rest]
      else if (act === "repeat") bytes = [...before, ...part, ...part, ...rest]
      else bytes = [...before, ...more, ...bytes.slice(at + more.length)]
    }
    return { bytes: Uint8Array.from(bytes), options }
  })

const units = (text: string): bigint => {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  return BigInt(`${sign}${whole}${rest.padEnd(18, "0")}`)
}

/** Statements that reach their closing balances, or a refusal. */
const isTotal = (bytes: Uint8Array, options?: ReadOptions): void => {
  try {
    const statements = readStatements(bytes, options)
    expect(statements.length).toBeGreaterThan(0)
    for (const { closing_balance, lines, opening_balance } of statements) {
      if (opening_balance === null || closing_balance === null) continue
      const net = sum(lines.map(({ amount, direction }) => (direction === "credit" ? units(amount) : -units(amount))))
      expect(units(opening_balance.amount) + net).toBe(units(closing_balance.amount))
    }
  } catch (error) {
    if (!(error instanceof UnreadableStatement)) throw error
    expect([error.place, error.found, error.taken]).not.toContain("")
  }
}

covers("STATEMENT-1")
describe("reading is total", () => {
  it("of files that are damaged", () => {
    fc.assert(
      fc.property(damaged, ({ bytes, options }) => isTotal(bytes, options)),
      { numRuns: triesOf(2000) }
    )
  })
  it("of bytes of any kind, under any name", () => {
    const format = fc.constantFrom(undefined, "camt.053", "mt940", "bai2", "csv" as const)
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        format,
        fc.constantFrom("", "<a>", ":20:", "01,", "Date;Amount;Balance\n"),
        (bytes, name, start) =>
          isTotal(Uint8Array.from([...bytesOf(start), ...bytes]), {
            format: name,
            csv: name === "csv" ? { mapping: csv, account: owner } : undefined
          })
      ),
      { numRuns: triesOf(2000) }
    )
  })
})

/** Every way in which a bank may write an amount, around the same digits. */
const spelling = fc
  .record({
    thousands: fc.constantFrom(null, ",", " ", "'", "\u2019" as const),
    apostrophe: fc.constantFrom("'", "\u2019"),
    sign: fc.constantFrom("$", "US$", "USD", "usd", ""),
    isBefore: fc.boolean(),
    space: fc.constantFrom("", " ", "\u00a0"),
    minus: fc.constantFrom(
      "before all",
      "before digits",
      "behind digits",
      "behind all",
      "parentheses",
      "outer parentheses",
      "DR"
    ),
    mark: fc.constantFrom("", "CR", "cr", " Cr."),
    dr: fc.constantFrom("DR", " dr", " Dr.")
  })
  .map(({ apostrophe, dr, isBefore, mark, minus, sign, space, thousands }) => ({
    thousands,
    write: (value: bigint): string => {
      const [whole = "", rest] = decimal(value).split(".")
      const between = thousands === "'" || thousands === "\u2019" ? apostrophe : (thousands ?? "")
      const digits = `${whole.replace(/\B(?=(?:\d{3})+$)/g, between)}${rest === undefined ? "" : `.${rest}`}`
      const around = (inner: string) => (isBefore ? `${sign}${space}${inner}` : `${inner}${space}${sign}`)
      if (value >= 0n) return `${around(digits)}${mark}`
      if (minus === "before all") return `-${around(digits)}`
      if (minus === "before digits") return around(`-${digits}`)
      if (minus === "behind digits") return around(`${digits}-`)
      if (minus === "behind all") return `${around(digits)}-`
      if (minus === "parentheses") return around(`(${digits})`)
      return minus === "outer parentheses" ? `(${around(digits)})` : `${around(digits)}${dr}`
    }
  }))

const dollars = { identifiers: owner.identifiers, currency: "USD" } as const
const signedOf = ({ amount, direction }: { readonly amount: string; readonly direction: string }): string =>
  `${direction === "debit" ? "-" : ""}${amount}`

covers("STATEMENT-8")
describe("rows of a CSV", () => {
  it("have one amount in whatever spelling of it", () => {
    fc.assert(
      fc.property(cents, spelling, (values, { thousands, write }) => {
        const mapping: CsvMapping = {
          columns: { booked_on: 1, amount: 2 },
          header: false,
          separator: "|",
          decimal: ".",
          dates: "ymd",
          thousands
        }
        const text = values.map((value) => `2026-01-31|${write(value)}`).join("\n")
        expect(read(text, { csv: { mapping, account: dollars } })[0]!.lines.map(signedOf)).toEqual(
          values.map(signedText)
        )
      }),
      { numRuns: triesOf(500) }
    )
  })

  it("are lines where they are booked and pending where they are not, each once, with all their text and whatever balances are there", () => {
    const row = fc.record({
      value: fc.bigInt({ min: 1n, max: 10n ** 9n }).chain((each) => fc.constantFrom(each, -each)),
      isPending: fc.boolean(),
      isDated: fc.boolean(),
      hasBalance: fc.boolean(),
      more: fc.array(fc.constantFrom("x", "y z"), { maxLength: 2 })
    })
    fc.assert(
      fc.property(
        opening,
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (begin, rows, isNewestFirst) => {
          const mapping: CsvMapping = {
            ...csv,
            columns: { ...csv.columns, remittance: "Text" },
            pending: [{ column: "State", text: "open" }]
          }
          const at = (values: typeof rows) =>
            begin + sum(values.filter((one) => !one.isPending).map(({ value }) => value))
          const booked = rows.filter((one) => !one.isPending)
          const written = rows.map((one, n) => {
            const { hasBalance, isDated, isPending, more, value } = one
            // The balances of the first and the last one say how many cents there were.
            const isShown = !isPending && (hasBalance || one === booked[0] || one === booked.at(-1))
            const day = isPending && !isDated ? "" : `${String(n + 1).padStart(2, "0")}.01.2026`
            const after = isShown ? signedText(at(rows.slice(0, n + 1))).replace(".", ",") : ""
            const first = [day, signedText(value).replace(".", ","), after, isPending ? "open" : "done", `t${n}`].join(
              ";"
            )
            return [first, ...more.map((text) => `;;;;${text}`)].join("\n")
          })
          const file = ["Date;Amount;Balance;State;Text", ...(isNewestFirst ? written.toReversed() : written)].join(
            "\n"
          )
          const [statement] = read(file, { csv: { mapping, account: owner } })
          const found = [...statement!.lines, ...(isNewestFirst ? statement!.pending.toReversed() : statement!.pending)]
          const expected = [...booked, ...rows.filter((one) => one.isPending)]
          expect(found.map((line) => [signedOf(line), line.remittance, line.booked_on === null])).toEqual(
            expected.map((one) => [
              signedText(one.value),
              [`t${rows.indexOf(one)}`, ...one.more].join(" "),
              one.isPending
            ])
          )
          if (booked.length > 0)
            expect([statement!.opening_balance!.amount, statement!.closing_balance!.amount]).toEqual([
              signedText(begin),
              signedText(at(rows))
            ])
        }
      ),
      { numRuns: triesOf(500) }
    )
  })
})

covers("STATEMENT-16")
it("the days of a statement are those of its entries to its closing balance, whatever day its opening balance has", () => {
  const day = fc.integer({ min: 1, max: 28 }).map((each) => String(each).padStart(2, "0"))
  fc.assert(
    fc.property(day, day, fc.array(day, { maxLength: 5 }), (opened, closed, booked) => {
      const last = `C2601${closed}EUR${booked.length},`
      const fields = booked.map((each) => `:61:2601${each}C1,NTRFNONREF`)
      const files = [
        mt940(fields, { opening: `C2601${opened}EUR0,`, closing: last }),
        camt(
          account +
            balance("OPBD", "0", { date: `2026-01-${opened}` }) +
            balance("CLBD", String(booked.length), { date: `2026-01-${closed}` }) +
            booked.map((each) => entry("1", "CRDT", { dates: `<BookgDt><Dt>2026-01-${each}</Dt></BookgDt>` })).join("")
        )
      ]
      const first = [closed, ...booked].toSorted()[0]
      for (const file of files)
        expect(read(file)).toMatchObject([{ from: `2026-01-${first}`, to: `2026-01-${closed}` }])
    })
  )
})

covers("STATEMENT-17")
it("a table that was written is read to the same cells, in whatever encoding, and with whatever empty rows between", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "\u00e9", ",", ";", '"', "\n", "\r\n", "=", " "), maxLength: 5 })
  const encodings: ReadonlyArray<readonly [string | undefined, (text: string) => Uint8Array]> = [
    [undefined, bytesOf],
    [undefined, (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["utf-16le", (text) => Buffer.from(text, "utf16le")],
    ["windows-1252", (text) => Buffer.from(text, "latin1")]
  ]
  const empty = fc.constantFrom("", "\r\n", ",\r\n", " , \r\n")
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, empty), { maxLength: 6 }),
      fc.constantFrom(...encodings),
      fc.constantFrom("", "sep=,\r\n"),
      (rows, [charset, encode], separator) => {
        const parts = rows.map(([a, b, gap]) => writeCsv([a, b], []) + gap)
        const filled = rows.filter(([a, b]) => `${a}${b}`.trim() !== "")
        const table = readTable(decodeTable(encode(`${separator}a,b\r\n${parts.join("")}`), charset))
        expect(table.rows.map(({ cells }) => [cells["a"], cells["b"]])).toEqual(filled.map(([a, b]) => [a, b]))
        const breaks = (text: string): number => text.split(/\r\n|\n|\r/).length - 1
        let line = separator === "" ? 2 : 3
        const lines = rows.flatMap(([a, b], n) => {
          const begin = line
          line += breaks(parts[n]!)
          return `${a}${b}`.trim() === "" ? [] : [begin]
        })
        expect(table.rows.map((row) => row.line)).toEqual(lines)
      }
    ),
    { numRuns: triesOf(500) }
  )
})

covers("STATEMENT-9", "STATEMENT-10")
describe("what is written", () => {
  it("is read to the same lines: camt.053", () => {
    const text = fc
      .string({ unit: "binary", maxLength: 500 })
      .map((each) => each.replace(/\p{Cc}|\p{Zs}|\p{Zl}|\p{Zp}|\ufeff|\ufffe|\uffff/gu, "x").trim())
    fc.assert(
      fc.property(opening, cents, text, (begin, values, remittance) => {
        const file = writeCamt053({
          id: "S",
          created_at: "2026-02-01T00:00:00.000Z",
          account: { scheme: "iban", value: "DE89370400440532013000" },
          currency: "EUR",
          from: "2026-01-01",
          to: "2026-01-31",
          opening_balance: { date: "2026-01-01", amount: signedText(begin) },
          closing_balance: { date: "2026-01-31", amount: signedText(begin + sum(values)) },
          lines: values.map((value, at) => ({
            at: "2026-01-05T00:00:00.000Z",
            direction: value < 0n ? "debit" : "credit",
            amount: decimal(value),
            bank_reference: `B${at}`,
            end_to_end_id: `E${at}`,
            code: "transfer",
            remittance
          }))
        })
        const [statement] = read(file)
        expect(
          statement!.lines.map((line) => [
            line.direction,
            line.amount,
            line.bank_reference,
            line.end_to_end_id,
            line.remittance ?? ""
          ])
        ).toEqual(
          values.map((value, at) => [value < 0n ? "debit" : "credit", decimal(value), `B${at}`, `E${at}`, remittance])
        )
      })
    )
  })
  it("has every cell back, whatever a spreadsheet would run", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", "'", ";", "1", ".", "a") }),
        (cell) => {
          expect(unescapeFormula(escapeFormula(cell))).toBe(cell)
        }
      )
    )
  })
})
