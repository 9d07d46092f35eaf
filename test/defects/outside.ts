/** Defects that let the outside in: an endless answer, a redirect, a slow reader, a header or a member twice. */
import { of, type TestedDefect } from "./defect.ts"

const waiting = ["test/http/process/connections.test.ts"]
const ambiguous = ["test/http/requests/ambiguous.test.ts"]
const outgoing = ["test/faults/outgoing.test.ts"]
const executions = ["test/scenarios/movements/executions.test.ts", "test/cli/reconcile-providers.test.ts"]

export const outside: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/resources/movements/executions.ts",
    executions,
    ["a movement that was submitted may be what a line paid", "countAttempts(row) === 0 &&\n    !kinds", "!kinds"],
    ["a line of zero is compared", "if (!/[1-9]/.test(line.amount)) return", "if (false as boolean) return"],
    [
      "the oldest candidate is first",
      ".toSorted((a, b) => b.created_at - a.created_at)",
      ".toSorted((a, b) => a.created_at - b.created_at)"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/payin-target.ts",
    ["test/scenarios/wallets/issued-details.test.ts"],
    [
      "the details of an address are taken for a bank account",
      `return "address" in details ?`,
      "return (false as boolean) ?"
    ],
    ["the details of a bank account are taken for an address", `if (!("address" in details))`, "if (!details)"],
    ["an address on another network is taken", "if (details.network !== network)", "if (details.network === '')"],
    [
      "an address that is not the target is taken",
      "return isSameTarget({ network, target }, { network, target: details.address })",
      "return isSameTarget({ network, target }, { network, target })"
    ]
  ),
  ...of(
    "src/http/envelope-server.ts",
    waiting,
    [
      "requests of a connection are handled at once",
      "if (this.#current === undefined) this.#begin",
      "if (1 < 2) this.#begin"
    ],
    ["what arrives while a request is in hand is parsed", "if (turns.isBusy || _paused", "if (_paused"],
    [
      "probes wait behind the others",
      `request.url?.startsWith("/health/") === true ? "probes" : "others"`,
      `request.url?.startsWith("/health/") === true ? "others" : "others"`
    ],
    ["many requests take all of a round", "performance.now() - began >= shareMs)", "performance.now() - began < 0)"]
  ),
  ...of("src/http/envelope-server.ts", waiting, [
    "a peer that never reads keeps its connection",
    "setTimeout(() => socket.destroy(), this.sendTimeout)",
    "setTimeout(() => {}, this.sendTimeout)"
  ]),
  ...of(
    "src/http/document.ts",
    ["test/http/document/documents.test.ts"],
    ["a coding of weight 0 is sent", "weightOf(coding) > 0 && weightOf", "weightOf"],
    ["an unchanged document is sent again", `isNamed ? unchanged`, "!tag ? unchanged"],
    ["codings share a tag", `coding === "identity" ? \`"\${hash}"\` : \`"\${hash}-\${coding}"\``, `\`"\${hash}"\``]
  ),
  ...of(
    "src/protocol/bounded-fetch.ts",
    outgoing,
    ["a redirect is followed", `redirect: "manual"`, `redirect: "follow"`],
    ["an answer has no bound", "if (size > max_bytes) throw", "if (size < 0) throw"]
  ),
  ...of(
    "src/adapters/storage/sql.ts",
    ["test/adapters/storage/writable.test.ts"],
    ["a store is ready whose tables take no write", "isDoubtful ? Effect.andThen(ping, trial) : ping", "ping"],
    [
      "a commit that fails puts nothing in doubt",
      "failed: (): void => {\n      isDoubtful = true",
      "failed: (): void => {"
    ],
    [
      "a doubt is settled by a read",
      "Effect.map(Effect.andThen(ask(roomText, []), ask(trialText, [])), () => void (isDoubtful = false))",
      "Effect.sync(() => void (isDoubtful = false))"
    ],
    [
      "a store is ready that has no room to grow",
      "Effect.andThen(ask(roomText, []), ask(trialText, []))",
      "ask(trialText, [])"
    ]
  ),
  ...of(
    "src/engine/work/upkeep/Gauges.ts",
    ["test/engine/work/gauges.test.ts"],
    [
      "a provider's balances that fail fail the reading",
      "if (!self.reportedAt.has(provider)) self.reportedAt.set(provider, readSeconds(self))",
      ""
    ],
    [
      "a provider without statements is silent",
      "? Effect.sync(() => void self.reportedAt.delete(provider))",
      "? Effect.sync(() => void self.reportedAt.set(provider, 0))"
    ]
  ),
  ...of(
    "src/http/request.ts",
    ambiguous,
    ["two hosts are taken", `["authorization", "content-type", "host"]`, `["authorization", "content-type"]`],
    ["two credentials are taken", `["authorization", "content-type", "host"]`, `["content-type", "host"]`],
    ["two types are taken", `["authorization", "content-type", "host"]`, `["authorization", "host"]`],
    ["a compressed body is read", `coding.trim().toLowerCase() !== "identity"`, `coding.trim().toLowerCase() === "br"`],
    ["another charset is read", `charset.toLowerCase() !== "utf-8"`, `charset.toLowerCase() === "utf-7"`],
    ["a quoted charset is not read", `(?:"([^"]*)"|([^\\s;]*))/i`, `()([^\\s;]*)/i`],
    ["a member twice is taken", "if (twice !== undefined) {", "if (twice === '') {"]
  ),
  ...of(
    "src/http/request.ts",
    ambiguous,
    [
      "a nested member twice is taken",
      "if (top.names!.has(top.name)) return",
      "if (open.length === 1 && top.names!.has(top.name)) return"
    ],
    ["elements of an array are one object", "top.index++", ""]
  ),
  ...of(
    "src/http/system.ts",
    ["test/http/document/metrics.test.ts"],
    ["metrics are open outside of test", `settings.environment === "test"`, `settings.environment !== "test"`],
    ["the setting that opens the metrics goes nowhere", "settings.open_metrics ?? ", ""]
  ),
  ...of(
    "src/engine/resources/webhooks/webhook-endpoint.ts",
    ["test/scenarios/webhooks/replays.test.ts"],
    ["events of one millisecond are replayed in reverse", "|| (a.id < b.id ? -1 : 1)", "|| (a.id < b.id ? 1 : -1)"]
  ),
  ...of(
    "src/engine/resources/access/operator.ts",
    ["test/scenarios/access/operator-emails.test.ts"],
    ["emails differ by their case", "const lower = email.toLowerCase()", "const lower = email"],
    ["the email of a revoked operator stays taken", `row.state === "active" &&`, "true &&"]
  ),
  ...of(
    "src/engine/resources/reconciliation/adjusting-entry.ts",
    ["test/scenarios/reconciliation/adjusting-entry.test.ts"],
    ["an entry may book more than is exposed", "BigInt(amount) > BigInt(due.amount)", "false"],
    ["an entry may leave money in suspense", "inSuspense !== undefined && amount !== due.amount", "false"],
    ["a reversal leaves the exception resolved", "data.exception_id === null", "true"]
  ),
  ...of(
    "src/engine/resources/reconciliation/entry-posting.ts",
    ["test/scenarios/reconciliation/adjusting-entry.test.ts"],
    ["an entry may debit clearing", `new Set(["world", `, `new Set(["clearing", "world", `]
  ),
  ...of(
    "src/machines/reconciliation/adjusting-entry.ts",
    ["test/scenarios/reconciliation/adjusting-entry.test.ts"],
    ["a reversal can be reversed", "context.reverses === null", "true"]
  ),
  ...of(
    "src/testing/model/ledger.ts",
    ["test/cli/verify.test.ts"],
    [
      "verify counts the entries of exceptions twice, and no others",
      `data["exception_id"] === null && sign`,
      `data["exception_id"] !== null && sign`
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/provider-statement.ts",
    ["test/scenarios/reconciliation/chain-statement.test.ts"],
    [
      "a statement of a chain has several days",
      "[...Map.groupBy(some, ({ booked_on }) => booked_on)].sort",
      "[...Map.groupBy(some, () => lines[0]!.booked_on)].sort"
    ],
    ["what comes late has the balance of today", "known.has(line) || (isAfter", "known.has(line) && (isAfter"],
    ["a line is known to be late by its second alone", "!isBlockNumber(block) || !isBlockNumber(held_block)", "true"],
    ["a line of a block with a balance is new", "BigInt(block) <= BigInt(held_block)", "false"],
    [
      "an account that is opened again has no block",
      '...(typeof block === "string" && { held_block: block })',
      "...{ held_block: undefined! }"
    ],
    ["a difference of a block is carried on", "held = end === undefined ? reached : end.amount", "held = reached"]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    ["test/kernel/bookings.test.ts"],
    ["what is replaced is a part by its wrong balances", " || replaced.has(a) || replaced.has(b)", ""],
    [
      "numbers tell nothing of bookings that are dated back",
      "if (parseNumber(b) !== undefined && this.isNumberedAfter(a, b))",
      "if (false)"
    ],
    [
      "what ends with another does not go on from it",
      "if (a.opening === null || b.opening === null ||",
      "if (a.last === b.last || a.opening === null || b.opening === null ||"
    ],
    [
      "a day that comes back to a balance ends where another begins",
      "if (this.isPassedTwice(b.opening!, b.first, a.last)) return true",
      ""
    ],
    [
      "parts of a day are told by that day alone",
      "isOfOneDay ? (ofDay ?? series.of(one, other))",
      "isOfOneDay ? ofDay"
    ],
    [
      "what is dated back counts since the start of another statement",
      "compareCodeUnits(startOn(day, b), startOn(day, a)) || compareCodeUnits(a.last, b.last)",
      "0"
    ],
    [
      "what only one of two has dated back counts on its day",
      "(counted === undefined ? decisiveOn(day).filter(has) : [counted])",
      "(counted === undefined ? [] : [counted])"
    ],
    [
      "transactions of a batch are of any batch of its reference and total",
      "known.findLast((parts) => parts.at(-1)!.entry!.part === part - 1) ??",
      ""
    ],
    [
      "transactions follow one another as they are stored",
      "lines.filter(isOfBatch).toSorted(comparePlaces)",
      "lines.filter(isOfBatch)"
    ],
    ["places of a file are ordered as texts", "n % 2 === 1 ? one[n]!.length - other[n]!.length : 0", "0"],
    ["a total is of any batch of its reference", "  pass(({ split, text }) => [`${text} ${split}`], none, true)\n", ""],
    ["pages of a number are not told apart", "at === page - 1n", "at === page"],
    ["only pages follow by number", "before > 0n && before === number - 1n", "false"],
    ["the way by numbers is one step", "if (first !== undefined && parseNumber(one)![0] >= first)", "if (one === b)"]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-joining.ts",
    ["test/scenarios/reconciliation/many-statements.test.ts"],
    [
      "the statements of a file are joined one by one",
      "Map.groupBy(statements, ({ data }) => data.external_account_id)",
      "statements.map((one) => [one.data.external_account_id, [one]] as const)"
    ]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    ["test/property/statement-parts.test.ts"],
    ["what a day leads to it leads to clearly", "at !== before && !this.isPassedTwice(at)", "true"]
  ),
  ...of(
    "src/engine/work/reconciliation/Reconciliations.ts",
    ["test/scenarios/reconciliation/adoptions.test.ts"],
    ["an adoption that has begun is of its version alone", "!isBegun && breakActionsOf", "breakActionsOf"],
    ["an adoption that matching has ended stays counted", 'isBegun && _tag === "InvalidStatus"', "false"],
    [
      "an adoption that nobody finishes stays counted",
      "if (!isDone) yield* deps.resolutions.endAdoption(id)",
      "void isDone"
    ],
    [
      "an adoption that nobody has recorded is not counted",
      "if (!isDone) yield* deps.resolutions.endAdoption(id)",
      "yield* deps.resolutions.endAdoption(id)"
    ]
  ),
  ...of(
    "src/machines/kernel/pages.ts",
    ["test/property/chain-pages.test.ts"],
    [
      "a block has late lines beyond it still",
      "block.difference -= amount\n  const",
      "block.difference -= 0n\n  const"
    ],
    ["the balances that lines lead to have no late line", "sums[days[at] === day ? at + 1 : at]!", "sums[at]!"],
    [
      "an account that begins with a later page begins with what the feed began with",
      "...(isKnown ? [{ ...since",
      "...(isKnown && since === oldest ? [{ ...since"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/break.ts",
    ["test/scenarios/reconciliation/break.test.ts"],
    [
      "the most urgent breaks are newest first",
      "data.severity === severity).toReversed()",
      "data.severity === severity)"
    ],
    ["pages of the most urgent breaks begin at the other end", "read(total - to, to - from)", "read(from, to - from)"],
    ["the end of the list is where it was", "const isEnd = listed.total === total", "const isEnd = true"]
  ),
  ...of(
    "src/engine/resources/reconciliation/closing.ts",
    ["test/scenarios/reconciliation/closing.test.ts"],
    [
      "the accounts of a sealed day are those of an open one",
      "(row !== undefined) === sealed",
      "(row === undefined) === sealed"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/missing-movements.ts",
    ["test/scenarios/reconciliation/break.test.ts"],
    ["what is decided while an account is closed is not looked for again", " ?? account_id", ' ?? ""']
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-line.ts",
    ["test/scenarios/reconciliation/matching.test.ts"],
    ["any number of open lines is matched in a call", "length <= share", "true"]
  ),
  ...of(
    "src/statements/camt/camt.ts",
    ["test/statements/camt.test.ts"],
    [
      "elements around a document may be as deep as they like",
      "if (++this.depth > depthMax)",
      "if (stack.length >= depthMax)"
    ],
    ["elements beside one another count as depth", "    this.depth--\n", ""],
    ["a period ends on the day at whose midnight it ends", "findPreviousDay(to!)", "to!"],
    ["a period that is one midnight ends before it begins", "    from < to! &&\n", ""],
    ["a period ends before its last entry", "!lines.some(({ booked_on }) => booked_on === to)", "true"],
    ["a period ends before its closing balance", '!listBalancesOfType(element, "CLBD").some(isOfDay)', "true"],
    ["only the message says when it was made", 'readInstant(element, "CreDtTm") ?? made_at', "made_at"]
  ),
  ...of(
    "src/statements/camt/totals.ts",
    ["test/statements/camt.test.ts"],
    ["a debit of nothing is a credit", "[direction]: { entries", '[units > 0n ? direction : "credit"]: { entries'],
    ["the net is no sum of all", "sides.debit.units, toNet(sides), toAbsolute", "sides.debit.units, toAbsolute"],
    ["the net has its sign", "toNet(sides), toAbsolute(toNet(sides))]", "toNet(sides)]"],
    ["a sum of debits is never below zero", "[debit.units, -debit.units]", "[debit.units]"],
    ["a sum of credits may be below zero", "=> [credit.units] }", "=> [credit.units, -credit.units] }"]
  ),
  ...of(
    "src/statements/camt/values.ts",
    ["test/statements/camt.test.ts"],
    ["a code that names its issuer is a reference", 'findElement(own, "Issr") === undefined && ', ""],
    ["a word for the kind is a reference", "-(?=.*\\d)[", "-?["]
  ),
  ...of(
    "src/statements/whole.ts",
    ["test/statements/mt940.test.ts", "test/statements/camt.test.ts"],
    ["a statement begins after its end", "from: from ?? pickEarlier(first, end)", "from: from ?? first"],
    ["the days of pages are those of the first", "from: pickEarlier(first.from, second.from)", "from: first.from"]
  ),
  ...of(
    "src/statements/mt940/mt940.ts",
    ["test/statements/mt940.test.ts"],
    [
      "a message without :20: ends no other",
      "draft === undefined || draft.closing !== undefined",
      "draft === undefined"
    ],
    ["@@ in a text is a line break", "(?:^|@@)\\s*:2[05]P?:[^\\r\\n]*@@:", "@@:"]
  ),
  ...of(
    "src/statements/csv/csv.ts",
    ["test/statements/csv.test.ts", "test/property/statements.test.ts"],
    ["a row without a date is pending where the mapping names others", "pending.length === 0 &&\n", "true &&\n"],
    ["a row with a balance is pending", "isEmptyIn(columns.balance) &&", "true &&"],
    ["rows without a date among others are pending", "  checkUndatedRows(rows, mapping)\n", ""],
    [
      "text goes on behind an empty row",
      "    this.last = undefined\n    if (isBlankRow(row)",
      "    if (isBlankRow(row)"
    ],
    ["the foot of a file is text without a word", "  warnings.push(...rows.warnOfLastTexts(context))\n", ""],
    [
      "the heading of what is pending is text without a word",
      "this.behind.set(this.last, [])",
      "this.behind.clear()\n    this.behind.set(this.last, [])"
    ],
    ["a booking that is cut off is text", "Math.min(date!, amount!) + 2", "1"],
    ["a column of debits takes CR", 'if (debit.mark === "credit") throw', "if (false) throw"],
    ["a word for debits takes CR", 'if (mark === "credit" && sign === -1n)', "if (false)"],
    ["one balance of two orders is taken", "isFirst === isLast ? undefined :", "isFirst === isLast ? oldestFirst :"],
    ["a balance is of the amounts since the last only", "opening + net !== row.balance", "false"]
  ),
  ...of(
    "src/statements/csv/cells.ts",
    ["test/statements/csv.test.ts"],
    ["CR may be below zero", '(mark === "credit" && sign === -1n)', "false"],
    ["DR is a credit", 'sign === -1n || mark === "debit"', "sign === -1n"],
    ["the R of CR is a sign of the rand", "named.length > marked.length", "true"]
  ),
  ...of(
    "src/statements/csv/table.ts",
    ["test/statements/csv.test.ts"],
    ["a last row that is cut off is taken", "isCutOff ? columns.length : 0", "0"],
    ["an empty row is a row", " && !isBlankRow(row))", ")"],
    ["an archive is decoded", "  checkKind(bytes)\n  return decodeText", "  return decodeText"]
  ),
  ...of(
    "src/statements/csv/rows.ts",
    ["test/statements/csv.test.ts"],
    [
      "a line break in a cell is none",
      "next += 1 + record.reduce((sum, cell) => sum + countBreaks(cell), 0)",
      "next += 1"
    ],
    ["a line sep= is not counted", "named.separator === undefined ? 0 : 1", "0"]
  ),
  ...of(
    "src/http/request.ts",
    ["test/http/requests/batches.test.ts", "test/http/requests/break-files.test.ts"],
    ["the charset of a batch is ignored", "decodeCsv(bytes, readCharset(request))", "decodeCsv(bytes)"],
    ["the charset of breaks is ignored", "isTable ? readCharset(request) : undefined", "undefined"]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-breaks.ts",
    ["test/scenarios/reconciliation/chain-statement.test.ts"],
    [
      "what is gone from a chain is no loss",
      'const isLoss = account.kind === "chain" &&',
      'const isLoss = account.kind !== "chain" &&'
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/external-account.ts",
    ["test/scenarios/reconciliation/chain-statement.test.ts"],
    [
      "an adapter that is away refuses an address",
      "Effect.map((isOwn) => !isOwn),\n          Effect.orElseSucceed(() => false)",
      "Effect.map((isOwn) => !isOwn),\n          Effect.orElseSucceed(() => true)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/external-account.ts",
    ["test/scenarios/reconciliation/external-account.test.ts"],
    ["the identifiers of a closed account stay taken", `state === "active" && data.identifiers`, "data.identifiers"],
    [
      "an account that is used again takes no identifiers",
      `row.state === "active" ? row.data.identifiers.map(`,
      "true ? row.data.identifiers.map("
    ],
    ["an identifier is one in all currencies", "`${currency}/${network ?? scheme}/", "`${network ?? scheme}/"],
    ["the sign of an opening balance is lost", `balance.startsWith("-") ? -minor : minor`, "minor"]
  ),
  ...of(
    "src/engine/resources/reference/reference.ts",
    ["test/scenarios/parties/several-directories.test.ts"],
    ["a bank of two directories is listed twice", "`${one.bank.country_code} ${one.bank.code}`", "`${one.bank.id}`"]
  )
]
