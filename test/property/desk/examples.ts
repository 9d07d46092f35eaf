/** Histories that were faults, each named by what is right. Every order of their items says the same. */
import type { Act, History, Movement, Upload } from "./desk.ts"
import { type Entry, type Format, type Sheet, signed } from "./files.ts"

export interface Example {
  readonly name: string
  readonly history: History
  /** What is in the books, as `day direction amount`, where the oracle should not decide alone. */
  readonly lines?: ReadonlyArray<string>
  /** The days that can be sealed as they are. */
  readonly sealable?: ReadonlyArray<string>
}

const amountOf = (text: string): bigint => BigInt(Math.round(Number(text) * 100))

/** `-30.00` or `5.00`, with what is stated of it. */
export const booking = (day: string, amount: string, more: Partial<Entry> = {}): Entry => ({
  day,
  direction: amount.startsWith("-") ? "debit" : "credit",
  amount: amountOf(amount.replace("-", "")),
  reference: null,
  end_to_end: null,
  name: null,
  text: null,
  ...more
})

const pos = { reference: "POS" }

export const sheet = (format: Format, entries: ReadonlyArray<Entry>, more: Partial<Sheet> = {}): Sheet => {
  const days = entries.map(({ day }) => day).toSorted()
  const net = entries.reduce((sum, one) => sum + signed(one), 0n)
  const { opening = null } = more
  return {
    format,
    number: null,
    made: null,
    from: days[0] ?? "",
    to: days.at(-1) ?? "",
    opening: null,
    closing: opening === null ? null : opening + net,
    entries,
    ...more
  }
}

/** A statement that opens with a balance, in whole units. */
export const statement = (
  format: Format,
  number: number | null,
  opening: number,
  entries: ReadonlyArray<Entry>,
  more: Partial<Sheet> = {}
): Sheet =>
  sheet(format, entries, {
    number: number === null ? null : `${number}`,
    opening: BigInt(Math.round(opening * 100)),
    ...more
  })

export const upload = (label: string, ...sheets: ReadonlyArray<Sheet>): Upload => ({ label, sheets })

export const payout = (label: string, day: string, amount: string, more: Partial<Movement> = {}): Movement => ({
  label,
  kind: "payout",
  at: `${day}T11:00:00Z`,
  amount: amountOf(amount),
  reference: null,
  provider_reference: null,
  reported: "at once",
  ...more
})

export const history = (
  uploads: ReadonlyArray<Upload>,
  movements: ReadonlyArray<Movement> = [],
  more: {
    readonly acts?: ReadonlyArray<Act>
    readonly opening?: number
    readonly first?: string
    readonly now?: string
  } = {}
): History => ({
  opening: { date: more.first ?? "2026-11-01", balance: BigInt((more.opening ?? 1000) * 100) },
  zone: "Africa/Lagos",
  movements,
  uploads,
  acts: more.acts ?? [],
  now: more.now ?? "2026-12-04T12:00:00Z"
})

const [d1, d2, d3, d4] = ["2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"] as const

export const examples: ReadonlyArray<Example> = [
  {
    name: "two days with one debit each, of one value date, under one constant reference",
    history: history([
      {
        ...upload("A", statement("mt940", 1, 1000, [booking("2026-11-28", "-30.00", pos)])),
        text: ":20:1\n:25:1100000001\n:28C:1/1\n:60F:C261128NGN1000,00\n:61:2611281128DN30,00NMSCNONREF//POS\n:86:CARD SHOP A\n:62F:C261128NGN970,00\n"
      },
      {
        ...upload("B", statement("mt940", 2, 970, [booking("2026-11-29", "-30.00", pos)])),
        text: ":20:2\n:25:1100000001\n:28C:2/1\n:60F:C261128NGN970,00\n:61:2611281129DN30,00NMSCNONREF//POS\n:86:CARD SHOP B\n:62F:C261129NGN940,00\n"
      }
    ]),
    lines: ["2026-11-28 debit 3000", "2026-11-29 debit 3000"]
  },
  {
    name: "two days whose debits are payouts without a name, under one constant reference: both can be sealed",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])),
        upload("B", statement("mt940", 2, 970, [booking(d2, "-30.00", pos)]))
      ],
      [payout("P", d1, "30.00"), payout("Q", d2, "30.00")]
    ),
    sealable: [d1, d2]
  },
  {
    name: "two exports whose references a spreadsheet mangled alike",
    history: history([
      upload("A", sheet("csv", [booking(d1, "-30.00", { reference: "1.23457E+14", text: "Rent" })])),
      upload("B", sheet("csv", [booking(d2, "-30.00", { reference: "1.23457E+14", text: "Rent" })])),
      upload("C", sheet("csv", [booking(d2, "-30.00", { reference: "1.23457E+14", text: "Power" })]))
    ]),
    lines: [`${d1} debit 3000`, `${d2} debit 3000`, `${d2} debit 3000`]
  },
  {
    name: "two exports that have a day in common",
    history: history([
      upload("A", sheet("csv", [booking(d1, "-30.00", pos), booking(d1, "-30.00", pos), booking(d1, "5.00")])),
      upload("B", sheet("csv", [booking(d1, "-30.00", pos), booking(d1, "-30.00", pos), booking(d2, "-30.00", pos)]))
    ]),
    lines: [`${d1} credit 500`, `${d1} debit 3000`, `${d1} debit 3000`, `${d2} debit 3000`]
  },
  {
    name: "1.00 and 2.00 of an interim report, and a 3.00 of the same reference in the statement alone",
    history: history([
      upload("A", sheet("mt942", [booking(d1, "-1.00", pos), booking(d1, "-2.00", pos)], { number: "1" })),
      upload(
        "B",
        statement("mt940", 1, 1000, [booking(d1, "-1.00", pos), booking(d1, "-2.00", pos), booking(d1, "-3.00", pos)])
      )
    ]),
    lines: [`${d1} debit 100`, `${d1} debit 200`, `${d1} debit 300`]
  },
  {
    name: "three days of one reference and amount, and one statement for all of them: three lines",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])),
      upload("B", statement("mt940", 2, 970, [booking(d2, "-30.00", pos)])),
      upload("C", statement("mt940", 3, 940, [booking(d3, "-30.00", pos)])),
      upload(
        "M",
        statement(
          "mt940",
          12,
          1000,
          [d1, d2, d3].map((day) => booking(day, "-30.00", pos))
        )
      )
    ]),
    lines: [`${d1} debit 3000`, `${d2} debit 3000`, `${d3} debit 3000`]
  },
  {
    name: "a month whose number follows that of its last day",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])),
      upload("B", statement("mt940", 2, 970, [booking(d2, "-30.00", pos)])),
      upload(
        "M",
        statement(
          "mt940",
          3,
          1000,
          [d1, d2].map((day) => booking(day, "-30.00", pos))
        )
      )
    ]),
    lines: [`${d1} debit 3000`, `${d2} debit 3000`]
  },
  {
    name: "an interim report and its statement without the bank's references: one payout is one line",
    history: history(
      [
        upload(
          "A",
          sheet("mt942", [booking(d1, "-1477.75", { end_to_end: "{P:statement}", text: "payout" })], { number: "1" })
        ),
        upload(
          "B",
          statement("mt940", 2, 10000, [booking(d1, "-1477.75", { end_to_end: "{P:statement}", text: "payout" })])
        )
      ],
      [payout("P", d1, "1477.75")],
      { opening: 10000 }
    ),
    lines: [`${d1} debit 147775`],
    sealable: [d1]
  },
  {
    name: "the same, as a bank wrote them",
    history: history(
      [
        {
          ...upload("A", sheet("mt942", [booking(d1, "-147753.75", { text: "{P:statement}" })], { number: "1" })),
          text: ":20:1\n:25:1100000001\n:28C:1/1\n:34F:NGN0,\n:13D:2612011200+0100\n:61:2612011201DN147753,75NMSCNONREF\n:86:177?00X?20EREF+{P:statement}?21SVWZ+payout\n:90D:1NGN147753,75\n:90C:0NGN0,00\n"
        },
        {
          ...upload("B", statement("mt940", 2, 1000000, [booking(d1, "-147753.75", { text: "{P:statement}" })])),
          text: ":20:2\n:25:1100000001\n:28C:2/1\n:60F:C261201NGN1000000,00\n:61:2612011201DN147753,75NMSCNONREF\n:86:177?00X?20EREF+{P:statement}?21SVWZ+payout\n:62F:C261201NGN852246,25\n"
        }
      ],
      [payout("P", d1, "147753.75")],
      { opening: 1000000 }
    ),
    lines: [`${d1} debit 14775375`],
    sealable: [d1]
  },
  {
    name: "camt.052 and camt.053 with other references of the bank: one payout is one line",
    history: history(
      [
        upload("A", sheet("camt.052", [booking(d1, "-40.00", { reference: "X-1", text: "{P:id}" })])),
        upload("B", statement("camt.053", 7, 1000, [booking(d1, "-40.00", { reference: "2026-77-1", text: "{P:id}" })]))
      ],
      [payout("P", d1, "40.00")]
    ),
    lines: [`${d1} debit 4000`],
    sealable: [d1]
  },
  {
    name: "what an interim report alone has is withdrawn, and its payout is open again",
    history: history(
      [
        upload("A", sheet("mt942", [booking(d1, "-40.00", { text: "{P:id}" }), booking(d1, "-5.00")], { number: "1" })),
        upload("B", statement("mt940", 1, 1000, [booking(d1, "-5.00")]))
      ],
      [payout("P", d1, "40.00")]
    ),
    lines: [`${d1} debit 500`]
  },
  {
    name: "a corrected statement of the same number, with one line more",
    history: history([
      upload("A", statement("camt.053", 5, 1000, [booking(d1, "-30.00", pos)], { made: "2026-12-01T20:00:00Z" })),
      upload(
        "B",
        statement("camt.053", 5, 1000, [booking(d1, "-30.00", pos), booking(d1, "-30.00", pos)], {
          made: "2026-12-02T08:00:00Z"
        })
      ),
      upload("C", statement("camt.053", 6, 940, [booking(d2, "-1.00", pos)]))
    ]),
    lines: [`${d1} debit 3000`, `${d1} debit 3000`, `${d2} debit 100`]
  },
  {
    name: "a corrected statement of the same number, with one line less",
    history: history([
      upload(
        "A",
        statement("camt.053", 5, 1000, [booking(d1, "-30.00", pos), booking(d1, "-7.00")], {
          made: "2026-12-01T20:00:00Z"
        })
      ),
      upload("B", statement("camt.053", 5, 1000, [booking(d1, "-30.00", pos)], { made: "2026-12-02T08:00:00Z" }))
    ]),
    lines: [`${d1} debit 3000`]
  },
  {
    name: "a corrected MT940, which came later",
    history: history([
      upload("A", statement("mt940", 5, 1000, [booking(d1, "-30.00", pos), booking(d1, "-7.00")])),
      {
        ...upload("B", statement("mt940", 5, 1000, [booking(d1, "-30.00", pos), booking(d1, "-30.00", pos)])),
        after: ["A"]
      }
    ]),
    lines: [`${d1} debit 3000`, `${d1} debit 3000`]
  },
  {
    name: "a gap, whichever statement comes first",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])),
      upload("B", statement("mt940", 3, 870, [booking(d3, "-30.00", pos)]))
    ])
  },
  {
    name: "a gap within one file, newest first",
    history: history([
      upload(
        "A",
        statement("mt940", 3, 870, [booking(d3, "-30.00", pos)]),
        statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])
      )
    ])
  },
  {
    name: "no gap within one file, newest first",
    history: history([
      upload(
        "A",
        statement("camt.053", 2, 970, [booking(d2, "-30.00", pos)]),
        statement("camt.053", 1, 1000, [booking(d1, "-30.00", pos)])
      )
    ])
  },
  {
    name: "a late statement that contradicts the next opening is a gap",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])),
      upload("B", statement("mt940", 2, 970, [booking(d2, "-31.00", pos)])),
      upload("C", statement("mt940", 3, 940, [booking(d3, "-30.00", pos)]))
    ])
  },
  {
    name: "no gap for a month's statement after daily ones",
    history: history([
      upload("A", statement("camt.053", 1, 1000, [booking(d1, "-30.00")])),
      upload("B", statement("camt.053", 2, 970, [booking(d2, "-20.00")])),
      upload("M", statement("camt.053", 40, 1000, [booking(d1, "-30.00"), booking(d2, "-20.00")]))
    ])
  },
  {
    name: "a first opening that differs from the account's, the interim report first or not",
    history: history([
      upload("I", sheet("mt942", [booking(d1, "-30.00", pos)], { number: "1" })),
      upload("A", statement("mt940", 1, 900, [booking(d1, "-30.00", pos)])),
      upload("B", statement("mt940", 2, 870, [booking(d2, "-30.00", pos)]))
    ])
  },
  {
    name: "right statements uploaded 2, 1, 3: no balance differs",
    history: history([
      upload("B", statement("mt940", 2, 970, [booking(d2, "-30.00", pos)])),
      upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", pos)])),
      upload("C", statement("mt940", 3, 940, [booking(d3, "-30.00", pos)]))
    ])
  },
  {
    name: "two parts of a day without numbers, the later first: no gap, and the day can be sealed",
    history: history(
      [
        upload("B", statement("camt.053", null, 960, [booking(d1, "-30.00", pos)])),
        upload("A", statement("camt.053", null, 1000, [booking(d1, "-40.00", pos)]))
      ],
      [payout("P", d1, "30.00"), payout("Q", d1, "40.00")]
    ),
    lines: [`${d1} debit 3000`, `${d1} debit 4000`],
    sealable: [d1]
  },
  {
    name: "two parts of a day, alike in all, and the whole day in another format",
    history: history([
      upload("A", statement("mt940", 8, 1000, [booking(d1, "-30.00", pos)])),
      upload("B", statement("mt940", 9, 970, [booking(d1, "-30.00", pos)])),
      upload("W", statement("camt.053", null, 1000, [booking(d1, "-30.00", pos), booking(d1, "-30.00", pos)]))
    ]),
    lines: [`${d1} debit 3000`, `${d1} debit 3000`]
  },
  {
    name: "two statements of several days in common, on which nothing is left: nothing is there twice",
    history: history([
      upload(
        "A",
        statement("camt.053", null, 1000, [booking(d1, "50.00"), booking(d2, "10.00"), booking(d3, "-10.00")])
      ),
      upload(
        "B",
        statement("camt.053", null, 1050, [booking(d2, "10.00"), booking(d3, "-10.00"), booking(d4, "30.00")])
      )
    ]),
    lines: [`${d1} credit 5000`, `${d2} credit 1000`, `${d3} debit 1000`, `${d4} credit 3000`]
  },
  {
    name: "the same under numbers that follow, and with something left",
    history: history([
      upload("A", statement("mt940", 5, 1000, [booking(d1, "50.00"), booking(d2, "10.00"), booking(d3, "-6.00")])),
      upload("B", statement("mt940", 6, 1050, [booking(d2, "10.00"), booking(d3, "-6.00"), booking(d4, "30.00")]))
    ]),
    lines: [`${d1} credit 5000`, `${d2} credit 1000`, `${d3} debit 600`, `${d4} credit 3000`]
  },
  {
    name: "statements of two days each with one day in common, under numbers that follow: it is there once",
    history: history([
      upload("A", statement("mt940", 5, 1000, [booking(d1, "50.00"), booking(d2, "10.00")])),
      upload("B", statement("mt940", 6, 1050, [booking(d2, "10.00"), booking(d3, "-6.00")]))
    ]),
    lines: [`${d1} credit 5000`, `${d2} credit 1000`, `${d3} debit 600`]
  },
  {
    name: "a second page that comes to nothing, and a third without a booking",
    history: history([
      upload("A", sheet("mt940", [booking(d1, "50.00")], { number: "5/1", opening: 100000n })),
      upload("B", sheet("mt940", [booking(d1, "30.00"), booking(d1, "-30.00")], { number: "5/2", opening: 105000n })),
      upload("C", sheet("mt940", [], { number: "5/3", opening: 105000n, from: d1, to: d1 }))
    ]),
    lines: [`${d1} credit 3000`, `${d1} credit 5000`, `${d1} debit 3000`]
  },
  {
    name: "parts of a day of a bank that writes 0 as their number",
    history: history([
      upload("A", statement("mt940", 0, 1000, [booking(d1, "30.00"), booking(d1, "-30.00")])),
      upload("B", statement("mt940", 0, 1000, [booking(d1, "50.00")])),
      upload("C", statement("mt940", 0, 1050, [], { from: d1, to: d1 }))
    ]),
    lines: [`${d1} credit 3000`, `${d1} credit 5000`, `${d1} debit 3000`]
  },
  {
    name: "parts of a day under one number, which comes back to its opening balance",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "50.00")])),
      upload("B", statement("mt940", 1, 1050, [booking(d1, "-50.00")])),
      upload("C", statement("mt940", 1, 1000, [booking(d1, "30.00")]))
    ]),
    lines: [`${d1} credit 3000`, `${d1} credit 5000`, `${d1} debit 5000`]
  },
  {
    name: "parts of a day under one number, and one at night that has nothing",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "50.00")])),
      upload("B", statement("mt940", 1, 1050, [booking(d1, "-50.00")])),
      upload("C", statement("mt940", 1, 1000, [], { from: d1, to: d1 }))
    ]),
    lines: [`${d1} credit 5000`, `${d1} debit 5000`]
  },
  {
    name: "a corrected day of one number that moved nothing, which is no part of it",
    history: history([
      upload("A", statement("mt940", 1, 1000, [booking(d1, "50.00"), booking(d1, "-50.00")])),
      { ...upload("B", statement("mt940", 1, 1000, [booking(d1, "30.00")])), after: ["A"] }
    ]),
    lines: [`${d1} credit 3000`]
  },
  {
    name: "a day at noon, which comes to nothing, and in the evening, without numbers",
    history: history([
      upload(
        "N",
        statement("camt.053", null, 1000, [booking(d1, "30.00"), booking(d1, "-30.00")], { made: `${d1}T12:00:00Z` })
      ),
      upload(
        "E",
        statement("camt.053", null, 1000, [booking(d1, "30.00"), booking(d1, "-30.00"), booking(d1, "50.00")])
      ),
      upload("F", statement("camt.053", null, 1050, [booking(d2, "-5.00")]))
    ]),
    lines: [`${d1} credit 3000`, `${d1} credit 5000`, `${d1} debit 3000`, `${d2} debit 500`]
  },
  {
    name: "a line without a name does not keep the payout that the next line names",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00")])),
        upload("B", statement("mt940", 2, 970, [booking(d2, "-30.00", { text: "{P:statement}" })]))
      ],
      [payout("P", d1, "30.00")]
    )
  },
  {
    name: "a line without a name does not keep the payout that another line of its day names",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00")])),
        upload("B", statement("mt940", 2, 970, [booking(d1, "-30.00", { text: "INV-7" })]))
      ],
      [payout("P", d1, "30.00", { reference: "INV-7" })]
    )
  },
  {
    name: "one id that two lines pay is no match of either",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "{P:id}" })])),
        upload("B", statement("mt940", 2, 970, [booking(d2, "-30.00", { text: "{P:id}" })]))
      ],
      [payout("P", d1, "30.00")]
    )
  },
  {
    name: "an ambiguous line is nobody's, until the second one comes",
    history: history(
      [upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00")]))],
      [payout("P", d1, "30.00"), payout("Q", d1, "30.00")]
    )
  },
  {
    name: "two lines and two payouts alike",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "one" })])),
        upload("B", statement("mt940", 2, 970, [booking(d1, "-30.00", { text: "two" })]))
      ],
      [payout("P", d1, "30.00"), payout("Q", d1, "30.00")]
    ),
    sealable: [d1]
  },
  {
    name: "a reference behind the twelfth word of the remittance",
    history: history(
      [
        upload(
          "A",
          statement("camt.053", 1, 1000, [
            booking(d2, "-30.00", {
              text: "one two three four five six seven eight nine ten eleven twelve thirteen INV-7"
            }),
            booking(d2, "-40.00", {
              text: "one two three four five six seven eight nine ten eleven twelve thirteen FT99887766"
            })
          ])
        )
      ],
      [payout("P", d1, "30.00", { reference: "INV-7" }), payout("R", d1, "40.00", { provider_reference: "FT99887766" })]
    )
  },
  {
    name: "a line under one payout's statement reference that mentions another's id is the first one's",
    history: history(
      [
        upload(
          "A",
          statement("camt.053", 1, 1000, [
            booking(d2, "-30.00", { end_to_end: "{P:statement}", text: "instead of {Q:id}" })
          ])
        ),
        upload("B", statement("camt.053", 2, 970, [booking(d3, "-30.00", { text: "{Q:id}" })]))
      ],
      [payout("P", d1, "30.00"), payout("Q", d1, "30.00")]
    )
  },
  {
    name: "a line that is dated days before the payout whose statement reference it has is that payout",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "{P:statement}" })])),
        upload("B", statement("mt940", 2, 970, [booking(d4, "-40.00", { text: "{Q:statement}" })]))
      ],
      [payout("P", d4, "30.00"), payout("Q", d4, "40.00", { reported: "late" })]
    )
  },
  {
    name: "a line of another account that is dated days before the payout that it names pays it twice",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 1000, [booking(d4, "-30.00", { text: "{P:statement}" })])),
          upload("B", statement("mt940", 1, 500, [booking(d1, "-30.00", { text: "{P:statement}" })], { account: 1 }))
        ],
        [payout("P", d4, "30.00", { reported: "late" })]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "UTC" }
    }
  },
  {
    name: "a payment that an interim report of another account alone has is missing on the account that has the payouts",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 1000, [booking(d1, "-5.00")])),
          upload("I", sheet("mt942", [booking(d1, "-30.00", { text: "{P:id}" })], { account: 1 })),
          upload("B", statement("mt940", 1, 500, [booking(d1, "-7.00")], { account: 1 }))
        ],
        [payout("P", d1, "30.00")]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "UTC" }
    }
  },
  {
    name: "an entry that an interim report of another account alone has is missing on the account that has the payouts",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 1000, [booking(d1, "-5.00")])),
          upload("I", sheet("mt942", [booking(d1, "-30.00", { text: "{P:id}" })], { account: 1 })),
          upload("B", statement("mt940", 1, 500, [booking(d1, "-7.00")], { account: 1 }))
        ],
        [payout("P", d1, "30.00", { kind: "entry" })]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "UTC" }
    }
  },
  {
    name: "a break that has other lines than before is since their day, and not since that of its former ones",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 1000, [booking(d2, "-30.00", { text: "{P:statement}" })])),
          upload("B", statement("mt940", 1, 500, [booking(d1, "-30.00", { text: "{P:id}" })], { account: 1 })),
          upload("C", statement("mt940", 2, 470, [booking(d2, "-30.00", { text: "{P:id}" })], { account: 1 }))
        ],
        [payout("P", d2, "30.00", { reported: "late" })]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "UTC" }
    }
  },
  {
    name: "a line that is alike is nobody's payment on an account that has no payouts any more",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00"), booking(d2, "-5.00")])),
          upload("B", statement("mt940", 1, 500, [booking(d2, "-5.00"), booking(d2, "-7.00")], { account: 1 }))
        ],
        [payout("P", d1, "30.00"), payout("Q", d2, "5.00")]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "UTC" },
      patches: [{ account: 0, uses: ["payins"] }]
    }
  },
  {
    name: "a line of another account is nobody's payment once no account has the payouts, however that came about",
    history: {
      ...history(
        [upload("A", statement("mt940", 1, 500, [booking(d1, "-30.00")], { account: 1 }))],
        [payout("P", d1, "30.00")]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "Africa/Lagos" },
      patches: [
        { account: 0, uses: ["payins"] },
        { account: 1, uses: ["payins"] }
      ],
      clocks: 1
    }
  },
  {
    name: "a line is what moved on its day in the time zone of its account, whatever that was meanwhile",
    history: {
      ...history(
        [upload("A", statement("mt940", 1, 1000, [booking(d2, "-30.00")]))],
        [payout("P", d1, "30.00", { at: `${d1}T12:00:00Z` })]
      ),
      patches: [
        { account: 0, zone: "Pacific/Auckland" },
        { account: 0, zone: "Africa/Lagos" }
      ],
      clocks: 1
    }
  },
  {
    name: "a line is nobody's payment on an account that had the payouts while the first was closed",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 500, [booking(d1, "-30.00")], { account: 1 })),
          upload("B", statement("mt940", 2, 470, [booking(d2, "-5.00")], { account: 1 }))
        ],
        [payout("P", d1, "30.00"), payout("Q", d2, "5.00")]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "Africa/Lagos" },
      patches: [
        { account: 0, status: "closed" },
        { account: 0, status: "active" }
      ],
      clocks: 1
    }
  },
  {
    name: "a line is what its own statement names, however late that is known, and not what an interim report names",
    history: history(
      [
        // While a line is open, the clock looks again within the hour.
        upload(
          "A",
          statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "PAY FT1000P OK" }), booking(d1, "-7.00")])
        ),
        upload("I", sheet("mt942", [booking(d1, "-30.00", { text: "PAY {Q:id} OK" })]))
      ],
      [payout("P", d1, "30.00", { reported: "late", provider_reference: "FT1000P" }), payout("Q", d1, "30.00")]
    )
  },
  {
    name: "a line that names two payouts is the one that it names more strongly, however late that is known",
    history: history(
      [
        upload(
          "A",
          statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "PAY {Q:id} FT1000P OK" }), booking(d1, "-7.00")])
        )
      ],
      [payout("P", d1, "30.00", { reported: "late", provider_reference: "FT1000P" }), payout("Q", d1, "30.00")]
    )
  },
  {
    name: "a line that names two payouts as strongly is neither, however late that is known",
    history: history(
      [
        upload(
          "A",
          statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "PAY FT1000Q FT1000P OK" }), booking(d1, "-7.00")])
        )
      ],
      [
        payout("P", d1, "30.00", { reported: "late", provider_reference: "FT1000P" }),
        payout("Q", d1, "30.00", { provider_reference: "FT1000Q" })
      ]
    )
  },
  {
    name: "a line that is alike, and names a payout of another amount, is not what it is alike, however late that is known",
    history: history(
      [
        upload(
          "A",
          statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "PAY FT1000P OK" }), booking(d1, "-7.00")])
        )
      ],
      [
        payout("P", d1, "20.00", { reported: "late", provider_reference: "FT1000P" }),
        payout("E", d1, "30.00", { kind: "entry" })
      ]
    )
  },
  {
    name: "a line whose reference is that of a payout of another amount is not what its text names, however late that is known",
    history: history(
      [
        upload(
          "A",
          statement("camt.053", 1, 1000, [
            booking(d1, "-30.00", { end_to_end: "FT1000P", text: "PAY {Q:id} OK" }),
            booking(d1, "-7.00")
          ])
        )
      ],
      [payout("P", d1, "20.00", { reported: "late", provider_reference: "FT1000P" }), payout("Q", d1, "30.00")]
    )
  },
  {
    name: "what a line of another account names is no payment that is alike, also where a line beside that mentions it",
    history: {
      ...history(
        [
          upload(
            "A",
            statement("mt940", 1, 1000, [booking(d1, "-30.00"), booking(d2, "-29.00", { text: "PAY INV-P OK" })])
          ),
          upload("B", statement("mt940", 1, 500, [booking(d1, "-29.00", { text: "PAY {P:id} OK" })], { account: 1 }))
        ],
        [payout("P", d1, "30.00", { reference: "INV-P" })]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "Africa/Lagos" }
    }
  },
  {
    name: "a line beside one that mentions a payout is not that where its account has no payouts",
    history: {
      ...history(
        [
          upload("A", statement("mt940", 1, 1000, [booking(d1, "-5.00")])),
          upload(
            "B",
            statement("mt940", 1, 500, [booking(d1, "-30.00"), booking(d2, "-29.00", { text: "PAY INV-P OK" })], {
              account: 1
            })
          )
        ],
        [payout("P", d1, "30.00", { reference: "INV-P" })]
      ),
      other: { opening: { date: "2026-11-01", balance: 50_000n }, zone: "Africa/Lagos" }
    }
  },
  {
    name: "a payout that is not overdue in the time zone that its account has by now is not missing",
    history: {
      ...history(
        [upload("A", statement("mt940", 1, 1000, [booking(d1, "-5.00")]))],
        [payout("P", d2, "30.00", { at: `${d2}T11:30:00Z` })]
      ),
      patches: [{ account: 0, zone: "Pacific/Auckland" }]
    }
  },
  {
    name: "a bank that is ahead has booked a line on a day that has not begun where its account is",
    history: {
      ...history([upload("A", statement("mt940", 1, 1000, [booking(d1, "7.00")]))], [], { now: `${d1}T02:00:00Z` }),
      zone: "America/Los_Angeles"
    }
  },
  {
    name: "a payout reported after its line",
    history: history(
      [upload("A", statement("mt940", 1, 1000, [booking(d1, "-30.00", { text: "{P:statement}" })]))],
      [payout("P", d1, "30.00", { reported: "late" })]
    )
  },
  {
    name: "what a person dismissed is explained, and what was explained is accounted for",
    history: history(
      [
        upload(
          "A",
          statement("mt940", 1, 1000, [booking(d1, "-7.00"), booking(d1, "-30.00")]),
          statement("mt940", 2, 963, [booking(d2, "-5.00")])
        ),
        upload("I", sheet("mt942", [booking(d1, "-7.00")], { number: "1" }))
      ],
      [],
      {
        acts: [
          { action: "dismiss", on: booking(d1, "-7.00") },
          { action: "explain", on: booking(d2, "-5.00") }
        ]
      }
    )
  },
  {
    name: "what a person matched stays, whatever comes",
    history: history(
      [
        upload("A", statement("mt940", 1, 1000, [booking(d2, "-30.00", { text: "one" })])),
        upload("I", sheet("mt942", [booking(d2, "-30.00")], { number: "1" })),
        upload("M", statement("camt.053", 90, 1000, [booking(d2, "-30.00", { text: "one" }), booking(d3, "-1.00")]))
      ],
      [payout("P", d1, "30.00")],
      { acts: [{ action: "match", on: booking(d2, "-30.00"), movement: "P" }] }
    )
  }
]
