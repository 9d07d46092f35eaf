/** Defects of the desk: which bookings are one line, what statements state otherwise, and what of it people have decided. */
import { of, type TestedDefect } from "./defect.ts"

const named = ["test/property/desk/examples.test.ts"]
const drawn = ["test/property/desk/desk.test.ts"]
const growth = ["test/property/growth.test.ts"]
const scenarios = "test/scenarios/reconciliation"

export const desk: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    [`${scenarios}/parts.test.ts`],
    [
      "a break of one part is about all that its resource has moved",
      `row.data.kind === "missing_on_statement" ? row.data.movements : (row.data.told_from ?? [])`,
      "(row.data.told_from ?? [])"
    ],
    ["a line is no single part of a return", "? (pickEach(lines, alike) ?? all) : all", "? all : all"]
  ),
  ...of(
    "src/engine/resources/deposits/exception.ts",
    [`${scenarios}/parts.test.ts`],
    ["a return is found by its sum alone", "[[amount, currency], ...parts]", "[[amount, currency]]"]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-names.ts",
    [`${scenarios}/named-returns.test.ts`],
    [
      "an exception has no name of its payment",
      "yield* addKeepers(deps, named.rows.values())",
      "[...named.rows.values()]"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/books.ts",
    [`${scenarios}/named-returns.test.ts`],
    ["what an exception pays out has the name of a payment", `direction === "credit" || rest?.way === "payer"`, "true"]
  ),
  ...of(
    "src/engine/resources/reconciliation/referred-rows.ts",
    ["test/engine/resources/reconciliation/referred-rows.test.ts"],
    [
      "a text that is known names nothing that came later",
      "...fresh.filter(isNamed).map(",
      "...[].filter(isNamed).map("
    ],
    ["what has its reference no more is named", "[...all.values()].filter(isNamed)", "[...all.values()]"],
    ["each run asks for all that a text may be", "size, 0) > FEW", "size, 0) > Infinity"],
    ["a text is asked for once for ever", "before.at > at - KNOWN_MS", "before.at > 0"],
    ["texts name what was made since one of them alone was asked for", "Math.min(since, one.at)", "one.at"]
  ),
  ...of(
    "src/engine/resources/reconciliation/books.ts",
    ["test/engine/resources/reconciliation/referred-rows.test.ts"],
    ["what has got its money since is not new", "for (const { id } of items) moved.delete(id)", "moved.clear()"],
    ["the newest of very many are all that is new", "if (total > items.length) return undefined", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-joining.ts",
    [`${scenarios}/daily-statements.test.ts`],
    [
      "each day that statements share reads all of their account",
      "const rows = yield* readStatements(deps, [...ids])",
      "const { rows } = yield* readAccountStatements(deps.storage, external_account_id); void ids"
    ],
    [
      "what a job has made of a file waits for the clock",
      "source === undefined ? [] : [makeDueTimer(matching, lookTimer, at)]",
      "source === undefined ? [makeDueTimer(matching, lookTimer, at)].slice(1) : []"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-breaks.ts",
    [`${scenarios}/daily-statements.test.ts`],
    [
      "warnings of statements are written with their file alone",
      "yield* writeNotices(deps, account.id, roster, found)",
      "yield* writeNotices(deps, account.id, roster, { ...found, statements: undefined })"
    ]
  ),
  ...of("src/machines/kernel/balances.ts", growth, [
    "the number before is looked for among all of them",
    "findFirst(byNumber.length, (at) => byNumber[at]!.number > number) - 1",
    "byNumber.findLastIndex((each) => each.number <= number)"
  ]),
  ...of("src/machines/kernel/pages.ts", growth, [
    "the block after a late line is looked for among all of them",
    "this.all[findFirst(this.all.length, (place) => this.latest[place]! > day)]",
    "this.all.find(({ place }) => this.latest[place]! > day)"
  ]),
  ...of("src/machines/kernel/bookings.ts", growth, [
    "the statements of a day are looked for among all before it",
    "findFirst(inOrder.length, (n) => latest[n]! >= from)",
    "0"
  ]),
  ...of(
    "src/machines/kernel/matching.ts",
    ["test/property/matching.test.ts"],
    [
      "of two accounts the later one has a payment",
      "(a.account ?? 0) - (b.account ?? 0) ||",
      "(b.account ?? 0) - (a.account ?? 0) ||"
    ],
    ["a payment is told from lines of two accounts", "told_from: isAskedElsewhere ? [] : same", "told_from: same"],
    [
      "what another resource has of a payment has no name of it",
      "this.keptOf = groupBy(kept,",
      "this.keptOf = groupBy([] as typeof kept,"
    ],
    [
      "a name takes what another line names more closely",
      "!this.isOpen(one) || this.naming(one.resource_id).length === 0",
      "true"
    ],
    [
      "what another resource has of a payment is alike, although a line names the payment",
      "listNamesOf(one).every((id) => this.naming(id).length === 0)",
      "this.naming(one.resource_id).length === 0"
    ],
    ["each line has a list of candidates of its own", "lists.set(key, list)\n", "\n"],
    ["candidates are as many as there are movements", "const CANDIDATES_MAX = 100", "const CANDIDATES_MAX = Infinity"],
    ["what an entry explained is executed twice", "this.nextExplained(line, all) !== undefined", "false"],
    ["two lines are what an entry explained", "this.counted.set(key, counted + 1)\n    return of[", "return of["],
    [
      "money that came in another amount is low",
      `(line.direction === "debit" || isOther) &&`,
      `line.direction === "debit" &&`
    ],
    [
      "money that came beside its line is high",
      `kind === "amount_differs" && told_from.length > 0`,
      `kind === "amount_differs"`
    ],
    ["more than a payment by its fee is low on either side", `other.direction === "debit" && resource`, "resource"],
    [
      "each line of another amount is told from a payment under way",
      "(this.nextOf(line, [due])?.amount ?? 0n)",
      "due.amount"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/balance-differences.ts",
    ["test/scenarios/reconciliation/moved-differences.test.ts"],
    ["a transaction is beside the total that has it", "...(data.within ?? [])]", "]"],
    [
      "what was explained is since the day that counted it",
      `(one.kind === "gap" ? stated?.first : stated?.last) ?? one.day`,
      "one.day"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/position.ts",
    ["test/scenarios/reconciliation/moved-differences.test.ts"],
    ["what has its line before the first day is outstanding", "- moved - late", "- moved"]
  ),
  ...of(
    "src/engine/resources/reconciliation/position.ts",
    ["test/scenarios/reconciliation/before-the-first-day.test.ts"],
    ["a share of a line of before has lost its direction", `(data.direction === "debit" ? amount : -amount)`, "amount"]
  ),
  ...of(
    "src/engine/work/reconciliation/Reconciliations.ts",
    ["test/scenarios/reconciliation/adoptions.test.ts"],
    [
      "two adoptions share the last room of a limit",
      "if (isCounted) yield* deps.resolutions.beginAdoption(",
      "if (false) yield* deps.resolutions.beginAdoption("
    ],
    [
      "an adoption that is none stays counted",
      "Effect.andThen(deps.resolutions.endAdoption(id), new",
      "Effect.andThen(Effect.void, new"
    ],
    [
      "an adoption is counted twice",
      "isCounted ? { ...call, if_match: null, act:",
      "isCounted && false ? { ...call, if_match: null, act:"
    ],
    [
      "an adoption is of any version",
      "    yield* checkVersion(call, String(row.version), makeBreakVersion(row))",
      "    yield* Effect.void"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    ["test/scenarios/reconciliation/adoptions.test.ts"],
    [
      "a break is resolved at any version",
      "    yield* checkVersion(call, String(row.version), makeBreakVersion(row))\n",
      ""
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-shares.ts",
    ["test/property/line-shares.test.ts"],
    ["what cancels itself out is nobody's", "shares[n]![0]! += line - ", "shares[n]![0]! += 0n * "],
    ["each of some has all of the first", "left[n] = rest - share", "left[n] = rest"],
    [
      "a line of one movement has what both have in common",
      "if (match !== undefined && others.length === 0) return",
      "if (match === undefined) return"
    ]
  ),
  ...of(
    "src/engine/representations/movements/batch.ts",
    ["test/engine/representations/stored.test.ts"],
    ["a batch that was cancelled takes what was checked", `status === "cancelled" && created === 0`, "false"]
  ),
  ...of("src/engine/resources/reconciliation/matching.ts", drawn, [
    "two dismissed breaks are told from one payment",
    "for (const step of steps) taken.add(step)",
    ""
  ]),
  ...of(
    "src/engine/resources/reconciliation/closing.ts",
    ["test/scenarios/reconciliation/before-the-first-day.test.ts"],
    ["each row reads all accounts of its side", "positions.set(key, position)", ""]
  ),
  ...of(
    "src/statements/date.ts",
    ["test/statements/mt940.test.ts"],
    [
      "a far entry date is in another year than its statement",
      "Number(isWithin(dateIn(b))) - Number(isWithin(dateIn(a))) ||",
      ""
    ],
    [
      "29 February is of the nearest year that has it",
      "return dateIn(nearest!)",
      "return dateIn(nearest!) ?? dateIn(year - 1)"
    ]
  ),
  ...of(
    "src/engine/work/reconciliation/statement-reading.ts",
    ["test/scenarios/reconciliation/provider-statement.test.ts"],
    ["one that waits keeps its place", "{ ...waiting, cursor: null, failing_since: null }", "body"]
  ),
  ...of("src/engine/resources/reconciliation/rival-lines.ts", named, [
    "a line of another account that has a payment keeps it",
    "return [...matched, ...lines.values()]",
    "return [...lines.values()]"
  ]),
  ...of(
    "src/engine/resources/reconciliation/possible-days.ts",
    ["test/engine/resources/reconciliation/provider-statement.test.ts"],
    ["a provider's line may be of any time before", "at >= 0 && day", "day"]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    named,
    [
      "parts of a day share a line",
      "if (group.some(({ statement_id }) => areParts(statement_id)(own))) return undefined",
      ""
    ],
    ["any two exports share a line", "return group.filter(", "return [] ?? group.filter("],
    ["what only a report has stays", "const isWithdrawn = !isStated && (", "const isWithdrawn = false && ("],
    ["a statement that was replaced still says what there is", "replacedBy(id) === undefined)", "true)"],
    [
      "the later of two statements of one number is replaced",
      "a.arrived - b.arrived)\n    .at(-1)!",
      "a.arrived - b.arrived)\n    .at(0)!"
    ],
    [
      "parts of a day under one number replace each other where it comes back to a balance",
      " || isWalk(some)) continue",
      ") continue"
    ],
    [
      "statements of several common days are parts",
      "if (a.last !== this.day || b.first !== this.day) return undefined",
      ""
    ]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    ["test/kernel/bookings.test.ts"],
    ["parts of parts are none", "          open.push(next)", "          void next"],
    ["parts under one number need not hang together", "return seen.size === begun.size", "return true"],
    [
      "a statement that no other leads to is a part",
      "if (ends.length > 2 || ends.some((count) => count > 1 || count < -1)) return false",
      ""
    ],
    [
      "a correction of a day that moved nothing is a part of it",
      "opening !== closing).length < 2",
      "opening !== closing).length < 1"
    ],
    [
      "statements of several days are parts of one number",
      "if (first !== last || opening === null",
      "if (opening === null"
    ],
    [
      "what says nothing takes what another names",
      "const isBound = isLikewise && isSilent(unit)",
      "const isBound = false"
    ],
    ["a report is a booking of any text", "[all, isReference, isText, none]) {", "[all, isReference, none]) {"]
  ),
  ...of(
    "src/machines/kernel/balances.ts",
    named,
    [
      "the first statement is not held against the account",
      `this.add("balance_differs", one, amount, day, before)
      else`,
      `void 0
      else`
    ],
    [
      "a difference is found again in each statement after it",
      "      this.balance += amount\n      isThere",
      "      isThere"
    ],
    [
      "lines between statements do not lead to the next",
      "const net = nets.get(day) ?? 0n",
      "const net = begins.has(day) ? (nets.get(day) ?? 0n) : 0n"
    ]
  ),
  ...of(
    "src/machines/kernel/matching.ts",
    ["test/property/matching.test.ts"],
    ["a payment is told from each line of another amount", "this.counted.set(name, counted + 1)", "void counted"],
    [
      "a payment is told from another amount beside its own",
      "this.counted.set(this.nameOf(line), Infinity)",
      "void line"
    ],
    [
      "a movement that another line has is free for two lines that name its resource",
      "(one) => this.isOpen(one) && one.direction === first.direction && one.amount === first.amount\n      )\n      const inOrder",
      "(one) => one.direction === first.direction && one.amount === first.amount\n      )\n      const inOrder"
    ],
    [
      "the first of more lines than movements that name a resource as strongly are they",
      "if (strong.length > open.length) {",
      "if (strong.splice(open.length).length > 999) {"
    ],
    ["a merchant's reference proves another amount wrong", `by !== "reference" ||`, "true ||"],
    [
      "a fee that has a merchant's reference is none",
      `(direction === "debit" && resource?.fees.includes(amount) === true) ||`,
      ""
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-breaks.ts",
    [`${scenarios}/balances.test.ts`],
    [
      "what a person dismissed is open when it comes back",
      `each.data.action === "dismiss" && isSameAmount(each, stated)`,
      `each.data.action === "dismiss" && each.state === "open"`
    ],
    [
      "a difference that was another's stays open beside it",
      "const ended = open.filter(({ id }) => !kept.has(id))",
      "const ended = open.filter(({ data }) => !now.has(keyOf(data.statement_id!, data.kind)))"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    [`${scenarios}/balances.test.ts`],
    [
      "a difference is opened again of which nothing is left",
      "if (isOfStatements(b.kind)) return",
      "if (false) return"
    ],
    [
      "a difference that is opened again has its amount of before",
      "const now = isDismissed ?",
      "const now = !isDismissed ?"
    ],
    [
      "a difference is two open breaks once one is opened again",
      "const keys = isOfStatements(kind)",
      "const keys = !isOfStatements(kind)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    [`${scenarios}/withdrawn.test.ts`, `${scenarios}/reversed-entries.test.ts`],
    [
      "an entry that was made for a line holds no other line",
      "(break_id !== null || line_id !== null)) return line",
      "break_id !== null) return line"
    ],
    [
      "an entry that was made for a break holds no line",
      "(break_id !== null || line_id !== null)) return line",
      "break_id === null && line_id !== null) return line"
    ],
    [
      "an entry that was made for nothing holds lines",
      "(break_id !== null || line_id !== null)) return line",
      "break_id !== undefined && line_id !== undefined) return line"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/books.ts",
    [`${scenarios}/matching.test.ts`],
    [
      "a line is like no payment of the last hours of its day, behind UTC",
      "created_before: at + 2 * dayMs",
      "created_before: at + dayMs"
    ],
    [
      "a line is like no payment that was made before its day in UTC",
      "created_after: at - MADE_BEFORE_MS",
      "created_after: at"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-plan.ts",
    ["test/property/line-plan.test.ts"],
    [
      "a sealed line keeps its bookings beside what it would be by now",
      "bookings: listStoredBookings(fillMembers(data), data.statement_id, bookings)",
      "bookings: stating.bookings"
    ],
    ["a line is its only booking, whichever statement has it", "&& kept[0]!.statement_id === owner", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-plan.ts",
    [`${scenarios}/corrections.test.ts`],
    [
      "a line is withdrawn before the statement that has it is read",
      "isWithdrawn: isWhole && one.isWithdrawn",
      "isWithdrawn: one.isWithdrawn"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-joining.ts",
    [`${scenarios}/corrections.test.ts`],
    [
      "what a node has read of a statement is read again",
      "const fresh = excludeExisting(known, stored)",
      "const fresh = stored"
    ],
    ["a plan is written though another statement has come", "!== expected.version) return", "=== -1) return"],
    [
      "lines are made though another statement has come",
      "if (!isSigned && joined.taken",
      "if (isSigned && joined.taken"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-joining.ts",
    [`${scenarios}/withdrawn.test.ts`],
    [
      "what a person had decided of a line is gone once it was withdrawn",
      "lines.flatMap(stepNames).every((name) => isThere.has(name))",
      "false"
    ],
    [
      "a part of what a person had decided is so again",
      "sumSigned(open) === sumSigned(lines.map(({ data }) => data))",
      "true"
    ],
    ["each line is decided again alone", "names.some((name) => steps.has(name))", "names.length + steps.size === 0"]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-plan.ts",
    [`${scenarios}/restored.test.ts`],
    [
      "what a person had decided before a line was withdrawn the last time is so again",
      "{ former_matches: undefined, former_status: undefined }",
      "{}"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/line-joining.ts",
    [`${scenarios}/restored.test.ts`],
    ["a booking and its reversal are each other no more", "matches.some(isLine)", "false"],
    [
      "a line of another day is not decided again",
      "isOpen(row) && row.data.former_lines !== undefined",
      "row.data.former_lines === null"
    ],
    ["a line of another day stays what it was with one that is gone", "if (lines.length === 1) continue", "continue"]
  ),
  ...of(
    "src/machines/reconciliation/statement-line.ts",
    [`${scenarios}/restored.test.ts`],
    ["what was decided before a person decided otherwise is so again", 'rule === "person"', 'rule === "alike"']
  ),
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    [`${scenarios}/restored.test.ts`],
    [
      "what is undone is decided again",
      "&& row.data.former_matches !== undefined",
      "&& row.data.former_matches === null"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/balance-differences.ts",
    [`${scenarios}/sealed-days.test.ts`],
    ["lines of a sealed day cancel each other out", "some.some(({ differs }) => differs) ||", ""],
    ["differences of two days cancel each other out", "|| ofDays.some((own) => sumAmounts(own) !== 0n)", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/held-breaks.ts",
    ["test/property/held-breaks.test.ts"],
    ["a line is told from no payment under way", "...(isTwice ? [] : underWay)", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/held-breaks.ts",
    [`${scenarios}/held-breaks.test.ts`],
    ["people hold a line that is none", "(isOpen(one) || free.has(one.id))", "true"],
    ["two breaks are told from one payment", "&& !elsewhere.has(step)", ""],
    ["a break is told from what another line is", "(one.open || isFreed.has(step))", "true"]
  ),
  ...of(
    "src/engine/resources/reconciliation/held-breaks.ts",
    ["test/property/held-breaks.test.ts"],
    ["a line is told from what it is exactly", "sumSigned(payments) === sumSigned(toHeldData(own)) ? [] :", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/unexplained.ts",
    [`${scenarios}/held-breaks.test.ts`],
    [
      "a break counts on the first of its days",
      "{ keys, day: data.accounted_on, row }",
      "{ keys, day: lines[0]!.data.accounted_on, row }"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/unexplained.ts",
    [`${scenarios}/outstanding.test.ts`],
    ["a day before the first open one has lines of its own alone", "date <= counting.first", "date === counting.first"]
  ),
  ...of(
    "src/engine/resources/reconciliation/balance-differences.ts",
    [`${scenarios}/outstanding.test.ts`],
    ["a balance has a line that its statement does not have", "since: data.booked_on", "since: data.disowned_on!"]
  ),
  ...of(
    "src/engine/resources/reconciliation/balance-differences.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    [
      "a line from before the first day that its statement does not have is a difference",
      "data.booked_on < opening.date",
      "false"
    ]
  ),
  ...of(
    "src/engine/calls/reads.ts",
    ["test/engine/calls/all-rows.test.ts"],
    ["a long list is counted with each of its many pages", "Math.min(2 * size, LARGEST_PAGE)", "size"]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-roster.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    ["a seal is about the days before the first", "day >= opening.date) return sealed", "true) return sealed"]
  ),
  ...of(
    "src/machines/kernel/balances.ts",
    [`${scenarios}/outstanding.test.ts`],
    ["a statement beside its day moves the day", "isApart ? 0n :", ""]
  ),
  ...of(
    "src/engine/commit/UnitOfWork.ts",
    ["test/http/requests/approved-amounts.test.ts"],
    ["an act comes to more than was approved", "approved !== undefined && taken.length > 0 &&", "false &&"]
  ),
  ...of(
    "src/engine/resources/reconciliation/balance-differences.ts",
    [`${scenarios}/balances.test.ts`],
    [
      "what an entry explains of a statement is explained for good",
      "amount: -toSignedDifference(data)",
      "amount: 0n * toSignedDifference(data)"
    ],
    [
      "what a person dismissed of a statement is explained by an entry",
      `(data as BreakData).action === "explain"`,
      `(data as BreakData).action !== "cleared"`
    ]
  ),
  ...of(
    "src/engine/input/statement-reference.ts",
    ["test/engine/input/statement-reference.test.ts"],
    ["a line that is dated before its payment names nothing", "time <= now + aheadMs", "time <= booked + aheadMs"]
  ),
  ...of(
    "src/engine/resources/reconciliation/late-names.ts",
    named,
    [
      "what a line names of another amount stays unseen where the name comes late",
      "for (const row of [...ofAmounts, ...named]",
      "for (const row of [...ofAmounts]"
    ],
    [
      "a name that comes late goes before no weaker one",
      "stated.get(resource_id)?.some((name) => text.includes(name)) === true",
      "stated.get(resource_id)?.some((name) => text.includes(name)) === undefined"
    ]
  ),
  ...of("src/engine/resources/reconciliation/matching.ts", named, [
    "what is alike stays on an account that has no payouts any more",
    "...(looked_by !== account.settings && !account.isClosed",
    "...(false"
  ]),
  ...of(
    "src/engine/resources/reconciliation/missing-movements.ts",
    named,
    ["what is missing stays on an account that has no payouts any more", " || accountOf(one) !== account.id", ""],
    [
      "an account with withdrawn lines does not look again",
      "...withdrawn.flatMap(({ index_key }) => keys.get(index_key) ?? [])",
      ""
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/missing-movements.ts",
    [`${scenarios}/restored.test.ts`],
    ["what a person has said of a withdrawn line is missing on another account", "decided.get(resource_id) ?? ", ""]
  ),
  ...of("src/engine/resources/reconciliation/books.ts", drawn, [
    "what another statement says of a line names nothing",
    "const others = listOtherVersions(",
    "const others = listOtherVersions([]); void ("
  ]),
  ...of(
    "src/engine/resources/reconciliation/matching.ts",
    [`${scenarios}/break.test.ts`],
    ["a later look puts off the next run", "next_at: Math.min(next_at, look_at), look_at", "next_at: look_at, look_at"]
  ),
  ...of("src/machines/kernel/bookings.ts", drawn, [
    "reports that contradict each other are two bookings of one statement",
    "!decides(statement_id) && !(isDecided && (reports(own) || reports(statement_id)))",
    "!decides(statement_id)"
  ]),
  ...of("src/machines/kernel/balances.ts", drawn, [
    "a part of a day may begin with anything",
    "reached.add(deriveOpening(one))\n      reach()",
    "for (const each of rest) reached.add(deriveOpening(each))\n      reach()"
  ]),
  ...of("src/engine/resources/reconciliation/matching.ts", named, [
    "what a line only mentions may be alike, whatever names it elsewhere",
    "add([...movements.values()].filter(isNamed))",
    "add(movements.values())"
  ]),
  ...of(
    "src/engine/resources/reconciliation/matched-account.ts",
    drawn,
    [
      "each account has books of its own",
      "begin: findBeginnings(mirrors)",
      "begin: findBeginnings([row as (typeof mirrors)[number]])"
    ],
    [
      "an account that is made later changes nothing",
      "settings: mirrors.reduce(",
      "settings: mirrors.slice(0, 1).reduce("
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/break.ts",
    ["test/engine/commit/acts.test.ts"],
    ["an adoption of held lines has no amount", 'via !== "resolved" && via !== "reopened" &&', 'via !== "resolved" &&']
  ),
  ...of(
    "src/engine/work/reconciliation/Reconciliations.ts",
    [`${scenarios}/break.test.ts`],
    [
      "an adoption comes to nothing before it succeeds",
      "toLimitedAct(call, toResolutionAct(line.data))",
      "toLimitedAct(call, { ...toResolutionAct(line.data), sums: [] })"
    ]
  ),
  ...of(
    "src/engine/work/reconciliation/Reconciliations.ts",
    ["test/engine/work/reconciliation/looks.test.ts"],
    ["looks at an account wait for each other", "if (isResting || looking.has(id))", "if (isResting)"]
  ),
  ...of(
    "src/engine/work/reconciliation/Reconciliations.ts",
    [`${scenarios}/matching.test.ts`],
    ["a look does not rest", "if (isResting || looking.has(id))", "if (looking.has(id))"]
  ),
  ...of(
    "src/engine/resources/controls/limit.ts",
    ["test/scenarios/controls/limit.test.ts"],
    [
      "a limit of acts drops its currency",
      "if (max_amount === undefined && currency !== undefined)\n",
      "if (max_amount === undefined && tier !== undefined)\n"
    ]
  ),
  ...of(
    "src/machines/kernel/balances.ts",
    ["test/property/balances.test.ts"],
    [
      "of two statements that end a day with one balance, the one that came last has the difference",
      "last.find(({ closing }) => closing === latest)!",
      "latestOf(last)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/release.ts",
    [`${scenarios}/reversed-entries.test.ts`],
    [
      "a break whose match is undone says that it ended by it",
      "[...(yield* unsettleBreaks(deps, lines, decided, at))]",
      "[]"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/books-lock.ts",
    ["test/property/desk/people.test.ts"],
    [
      "lines that a person frees wait for the clock",
      "const ids = [...new Set(account_ids)]",
      "const ids = [...new Set<string>()]"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/moved-books.ts",
    drawn,
    ["an outcome wakes no matching", "if (isNews) waiting.forget()", "void isNews"],
    ["a failure wakes no matching", 'new Set(["world", "clearing"])', 'new Set(["world"])']
  ),
  ...of(
    "src/engine/resources/reconciliation/moved-books.ts",
    ["test/engine/resources/reconciliation/moved-books.test.ts"],
    ["commits of a merchant wait for each other's look", "_${period}_${nth}`", "_${period}`"],
    [
      "each line that is written has the accounts read again",
      "isNews ||= !known.has(external_account_id)",
      "isNews = true"
    ]
  ),
  ...of("src/engine/resources/reconciliation/matching.ts", drawn, [
    "a line that came before a sealed day is never decided again",
    "Math.min(since, looked_until ?? created_at)",
    "Math.min(looked_until ?? created_at)"
  ]),
  ...of(
    "src/machines/reconciliation/break.ts",
    [`${scenarios}/dismissals.test.ts`],
    ["what is dismissed of lines is any amount of theirs", "dismissed.amount === now.amount &&", "true &&"],
    [
      "a dismissed break of lines that people hold never opens again",
      ` || context.action === "dismiss") && context.held`,
      `) && context.held`
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/break.ts",
    [`${scenarios}/dismissals.test.ts`],
    [
      "matching decides what a person has unmatched and dismissed",
      ` || row.data.action === "cleared" || isDismissed(row))`,
      ` || row.data.action === "cleared")`
    ]
  ),
  ...of(
    "src/machines/kernel/matching.ts",
    [`${scenarios}/dismissals.test.ts`],
    [
      "a dismissed line is a movement that is alike later",
      "names.length === 0 && is_dismissed !== true",
      "names.length === 0"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/break.ts",
    ["test/http/requests/approved-amounts.test.ts"],
    ["what waits for a break stays when it becomes another", ", isSeenBreak),", "),"],
    ["dismissing a break has no amount", `action === "dismiss" ? (data.amount ?? "0") : `, ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/closing.ts",
    [`${scenarios}/closing.test.ts`],
    ["a day is accepted with another amount than was seen", "if (seen !== undefined &&", "if (false &&"],
    ["money out is explained as money in", "explained: sumDayLines(", "explained: -sumDayLines("]
  ),
  ...of(
    "src/engine/resources/deposits/exceptions.ts",
    ["test/scenarios/deposits/resolution-actions.test.ts"],
    ["an exception is resolved at any version", "    yield* checkVersion(call, makeExceptionVersion(row))\n", ""]
  ),
  ...of(
    "src/engine/resources/controls/approval.ts",
    ["test/http/requests/approved-amounts.test.ts"],
    [
      "who approves does not see what was asked",
      "approvalBodyFor(row, call), request, result",
      "approvalBodyFor(row, call), result"
    ]
  ),
  ...of(
    "src/engine/work/reconciliation/break-files.ts",
    [`${scenarios}/break-files.test.ts`],
    [
      "a file decides a break that has become another",
      "if (!isRepeat) yield* checkRow",
      "if (isRepeat) yield* checkRow"
    ],
    [
      "a row adopts another payment than it names",
      "resource_id: resource_ids?.length === 1 ? resource_ids[0] : undefined",
      ""
    ],
    [
      "a row without a version says nothing of candidates",
      `b.resources.length === 0 && trimCell(cells["version"]) !== undefined`,
      "b.resources.length === 0"
    ],
    ["a repeat is told to export again", "!b.actions.includes(given.action) || (", "("]
  ),
  ...of(
    "src/engine/representations/reconciliation/break.ts",
    [`${scenarios}/break-files.test.ts`],
    ["a file undoes another resolution", "b.adjusting_entry_id, b.resolved_at, ", ""]
  ),
  ...of(
    "src/machines/reconciliation/break.ts",
    ["test/engine/representations/break.test.ts"],
    ["a version does not say which way", "b.direction ?? null, b.exposure", "b.exposure"]
  ),
  ...of(
    "src/machines/reconciliation/break.ts",
    ["test/http/requests/approved-amounts.test.ts"],
    ["an approved match takes the candidate of then", ", listMatchedByDefault(b).toSorted()]", "]"]
  ),
  ...of("src/machines/reconciliation/break.ts", drawn, [
    "an approved entry pairs a line with another payment",
    "(b.told_from ?? []).map(",
    "[].map("
  ]),
  ...of(
    "src/engine/resources/reconciliation/matching.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    [
      "a line before the first day has a break",
      "found.resources.length === 0 && lines.every(({ day }) => day < opening.date)",
      "found.resources.length === 0 && lines.every(({ day }) => day === opening.date)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/held-breaks.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    [
      "a break that people hold is about a line before the first day",
      "left.filter((one) => !isInOpening(account, hold.found, one))",
      "left"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    [
      "a line before the first day is of a break of its own once its match is undone",
      "lines.filter((line) => !isInOpening(account, found, line))",
      "lines"
    ],
    [
      "a line before the first day is the reversal of one since then",
      "before !== undefined && !lines.every((line) => isBefore(account, line))",
      "before !== undefined && lines.length < 2"
    ],
    [
      "matching decides again of a line before the first day what a person has undone",
      "const apart = others.length > 0 ?",
      "const apart = isApart && others.length > 0 ?"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/external-account.ts",
    [`${scenarios}/chain-statement.test.ts`],
    ["an account goes on where another one has read since", "held !== null && reader !== id", "held === null"]
  ),
  ...of(
    "src/engine/resources/reconciliation/position.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    [
      "the opening balance has all of a step of which one line is from before it",
      "share > moved ? moved : share",
      "share > 0n ? moved : 0n"
    ],
    ["the opening balance has more of a step than it is", "share > moved ? moved : share", "share"],
    ["the opening balance has nothing of what came in before it", "-share < moved ? moved : -share", "0n"],
    [
      "what was under way is whole in the books where a line of before is of it",
      "one.moved - shareBefore(before, key, one.moved)",
      "one.moved"
    ],
    [
      "a position reads the lines since the first day for those before",
      ".filter((day) => day < data.opening.date)",
      ".filter((day) => day > data.opening.date)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/unexplained.ts",
    [`${scenarios}/before-the-first-day.test.ts`],
    [
      "a line before the first day is unexplained",
      "!inBreaks.has(line.id) && !isBefore(account.data, line)",
      "!inBreaks.has(line.id)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-plan.ts",
    ["test/http/requests/statement-upload.test.ts"],
    ["a balance without a date is one of an impossible day", `balance?.date === ""`, "balance === undefined"]
  ),
  ...of(
    "src/statements/bai2/bai2.ts",
    ["test/statements/bai2.test.ts"],
    ["an interim report of the day before is final", `new Set(["1", "3"])`, `new Set(["3"])`]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    ["test/property/statement-parts.test.ts"],
    [
      "a booking of an earlier day is that of the earlier statement",
      'return this.mayOverlap(a, b) ? "perhaps" : "parts"',
      "return undefined"
    ],
    ["balances have a booking since its day", 'if (ended === "") return one.first', "return one.first"]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    [`${scenarios}/backdated.test.ts`],
    ["a correction leaves the other format", "  correctOtherFormats(numbered, replaced)\n", ""],
    [
      "a statement tells only of its own days how others stand to each other",
      "return some.filter((day) => describe(day, before)",
      "return [].filter((day) => describe(day, before)"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/account-days.ts",
    [`${scenarios}/outstanding.test.ts`],
    [
      "an open line is in a balance since the day that counts it",
      "rows.filter(({ data }) => data.booked_on <= date)",
      "rows.filter(({ data }) => data.accounted_on <= date)"
    ],
    [
      "a line after the balance moves on the day that counts it",
      `"booked_on", [begin, date]`,
      `"accounted_on", [begin, date]`
    ],
    [
      "what came after its seal is outstanding where nothing states a balance",
      "since: yield* sumLateLines(storage, account, date)",
      "since: 0n"
    ]
  ),
  ...of(
    "src/machines/kernel/bookings.ts",
    [`${scenarios}/same-statement.test.ts`],
    ["a statement of the same days is another", ", [first, last, opening].join()]", "]"],
    ["a statement that replaces another is another", "[id, replacedBy(id)?.id ?? id, [first", "[id, [first"]
  ),
  ...of(
    "src/engine/resources/reconciliation/balance-differences.ts",
    [`${scenarios}/same-statement.test.ts`],
    ["an entry explains what its own statement says alone", ".map(toCurrent)", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement-breaks.ts",
    [`${scenarios}/same-statement.test.ts`],
    [
      "a dismissal is of its own statement alone",
      "listKeys(one).flatMap((each) => known.get(each) ?? [])",
      "known.get(key) ?? []"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/counting-days.ts",
    [`${scenarios}/same-statement.test.ts`],
    [
      "a seal knows a difference by its own statement alone",
      "keys.map((key) => known.get(key)).find",
      "[known.get(keys[0]!)].find"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/account-days.ts",
    [`${scenarios}/accepted-days.test.ts`],
    [
      "a balance that a statement has by now is that of a sealed day",
      "(part.since <= stated.date ? part.amount : 0n)",
      "0n"
    ],
    [
      "a day before the latest sealed one begins with what counts later",
      "own - sumDayLines(late.flat().filter(isLate))",
      "own"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/account-days.ts",
    [`${scenarios}/backdated.test.ts`],
    [
      "an opening balance has what is booked back",
      "(stated !== undefined && findCountedDay(relations, line) <= stated.date)",
      "(stated !== undefined && line.data.booked_on <= stated.date)"
    ]
  ),
  ...of("src/engine/resources/reconciliation/account-days.ts", named, [
    "a day begins at one time in all zones",
    "const key = `${time_zone} ${date}`",
    "const key = date"
  ]),
  ...of("src/engine/resources/reconciliation/settlement-time.ts", named, [
    "a settlement time is that of another day",
    "Math.floor(at / quarterMs)",
    "Math.floor(at / quarterMs / 384)"
  ]),
  ...of(
    "src/machines/kernel/bookings.ts",
    [`${scenarios}/interim.test.ts`],
    ["an interim report of BAI2 decides about others", "interim === true || format ===", "format ==="]
  ),
  ...of(
    "src/engine/resources/reconciliation/resolution.ts",
    [`${scenarios}/break.test.ts`],
    [
      "an entry is another line than the one that it names",
      "named.length > 0 ? [own, ...movements.map(toPart)] : [...movements.map(toPart), own]",
      "[...movements.map(toPart), own]"
    ],
    [
      "the line that an entry names is not first",
      "[...named, ...all.filter(({ id }) => id !== entry.line_id)]",
      "[...all.filter(({ id }) => id !== entry.line_id), ...named]"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/statement.ts",
    [`${scenarios}/sealed-days.test.ts`],
    ["an account that is closed while its file is read takes it", "yield* checkActive(account)\n", ""],
    ["the account may close while its file is written", "changes.push(requireVersion(account, account))", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/counting-days.ts",
    ["test/property/closes.test.ts"],
    [
      "what a later seal had open stays on a day that was sealed without it",
      "counts === undefined || counts.includes(key)",
      "true"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/unexplained.ts",
    [`${scenarios}/sealed-days.test.ts`, `${scenarios}/accepted-days.test.ts`, `${scenarios}/closing.test.ts`],
    [
      "a seal says that it counts nothing",
      "all.filter(({ day }) => day === date).flatMap(({ keys }) => keys)",
      "[] as ReadonlyArray<string>"
    ]
  ),
  ...of(
    "src/engine/resources/reconciliation/matching.ts",
    [`${scenarios}/undone.test.ts`],
    ["what is opened again is not new", "|| decided.opened.has(id)", ""],
    ["what is free again contests nothing", "Math.min(late.since, findFreedSince(state.data))", "late.since"]
  ),
  ...of(
    "src/engine/resources/reconciliation/release.ts",
    [`${scenarios}/undone.test.ts`],
    [
      "what an entry explained without lines stays taken",
      "account_id === own?.data.external_account_id ? explained : []",
      "[]"
    ]
  )
]
