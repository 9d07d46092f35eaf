/** Defects of the console: tones, currencies, counts, links, filters. */
import { of, type TestedDefect } from "./defect.ts"

export const consolePages: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/console/parts/status.tsx",
    ["test/console/cells.test.ts"],
    ["a return is no trouble", `bad: "failed rejected returned revoked`, `bad: "failed rejected revoked`],
    [`\`failed\` is off`, `bad: "failed rejected`, `bad: "rejected`],
    [`\`held\` waits`, `warn: "temporary_failure held open`, `warn: "temporary_failure open`]
  ),
  ...of(
    "src/console/parts/field.tsx",
    ["test/console/acts.test.ts"],
    [
      "a choice goes back to the first one when its dialog is drawn again",
      "value === undefined || onValue === undefined ? {} : { value }",
      "value === undefined ? {} : { value }"
    ]
  ),
  ...of(
    "src/console/parts/money.tsx",
    ["test/console/cells.test.ts"],
    ["an amount has no currency", `<span class="currency">{currency ?? ""}</span>`, `<span class="currency"></span>`],
    ["a negative amount is positive", `sign === "-" ? "−" : ""`, `""`],
    ["a fraction is left out", `\${fraction.replace(".", decimalSign)}`, ""]
  ),
  ...of(
    "src/console/frame/language.ts",
    ["test/console/language.test.ts"],
    ["one is said as many are", `rule === "one" ? one :`, `rule === "one" ? more :`],
    [
      "a count in a text is not written as the language does",
      "? formatNumber(value) : value\n      })",
      "? String(value) : value\n      })"
    ],
    [
      "a tag is shown without what makes it",
      `typeof value === "function" ? value(inner) :`,
      `typeof value === "function" ? inner :`
    ]
  ),
  ...of(
    "src/console/pages/overview.tsx",
    ["test/console/cells.test.ts"],
    ["suspense is not in transit", `new Set(["clearing", "suspense"])`, `new Set(["clearing"])`],
    ["one in a queue is none", "total !== undefined && total > 0 ?", "total !== undefined && total > 1 ?"],
    [
      "a ledger that is off is not told",
      "{off.map(({ currency, difference }) => (",
      "{off.slice(1).map(({ currency, difference }) => ("
    ]
  ),
  ...of(
    "src/console/pages/ledger/account.tsx",
    ["test/console/cells.test.ts"],
    ["a debit is shown as a credit", `credit === account ? amount : \`-\${amount}\``, "amount"]
  ),
  ...of(
    "src/console/pages/ledger/ledger.tsx",
    ["test/console/cells.test.ts"],
    ["debits are shown as credits", "amount: one.debits", "amount: one.credits"],
    ["a difference is balanced", "isZero(difference) ? (", "isZero(difference) || true ? ("]
  ),
  ...of(
    "src/console/pages/queues/exceptions.tsx",
    ["test/console/cells.test.ts"],
    ["a high severity is not shown", `{severity === "high" && <Status`, `{severity === "none" && <Status`],
    ["all are only the open ones", `status === "all" ? undefined : status`, `status === "all" ? "open" : status`],
    ["the merchant is not a filter", `status, reason, merchant_id }\n`, `status, reason }\n`]
  ),
  ...of(
    "src/console/pages/queues/stuck.tsx",
    ["test/console/cells.test.ts"],
    ["attempts are not shown", "{attempts > 0 && <div", "{attempts > 1 && <div"]
  ),
  ...of(
    "src/console/parts/filters.tsx",
    ["test/console/cells.test.ts"],
    ["the last day of a filter is left out", "const next = findDayStart(day, 1)", "const next = findDayStart(day)"]
  ),
  ...of(
    "src/console/pages/platform/providers.tsx",
    ["test/console/cells.test.ts"],
    [
      "reading on a schedule is not told",
      `callbacks ? t("Callbacks") : "", readable ? t("Read on a schedule") : ""`,
      `callbacks ? t("Callbacks") : ""`
    ]
  )
]
