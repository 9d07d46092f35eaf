/** Defects of approvals that no simulation shows: one act that waits once, who sees and decides it, and what ends it. */
import { of, type TestedDefect } from "./defect.ts"

const tests = ["test/http/requests/approvals.test.ts"]

export const controls: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/calls/acts.ts",
    tests,
    ["each act waits by itself", "if (act === null) return {}", "if (act !== undefined) return {}"],
    ["what its input says can be made once waits twice", "given.has(key)", "given.has(``)"],
    ["an entry that ends something waits twice", "|| taken.length > 0", ""],
    ["an act of another input is the one that waits", "params, body ?? {}, act.if_match", "params, {}, act.if_match"],
    ["the act of another maker is the one that waits", "[made_by.id, made_by.name, operation.id", "[operation.id"],
    ["an act waits again for the side that approved it", "&& !act.approved.includes(data.side)", ""],
    ["a repeat names the operators", "approvalBodyFor(known, call)", "approvalBodyFor(known, { operator: call })"],
    [
      "an act that waits has no amounts",
      "resource_id: call.subject ?? null, amounts: sumActs(sums), act",
      "resource_id: call.subject ?? null, amounts: sumActs([]), act"
    ],
    ["an act waits for what has just ended", "id === subject ||", "id === null ||"],
    ["an act is not tried again", "times: TRIALS_MAX", "times: 0"]
  ),
  ...of(
    "src/engine/commit/approval.ts",
    tests,
    ["nothing ends with what it is about", "waits(before.state) === waits(after.state)", "waits(before.state)"],
    [
      "operators go on waiting",
      "(one === undefined ? [] : [one.changes])), later]",
      "(one === undefined ? [] : [one.changes]))]"
    ]
  ),
  ...of(
    "src/engine/commit/approval.ts",
    ["test/http/requests/stale-acts.test.ts"],
    [
      "what waits for a rule stays when the rule is another",
      `(state) => state === "active", isUnchanged)`,
      `(state) => state === "active")`
    ],
    [
      "what waits for a limit stays when the limit is disabled",
      "isOfOneState && toCanonicalJson(before)",
      "toCanonicalJson(before)"
    ]
  ),
  ...of(
    "src/engine/resources/controls/limit.ts",
    ["test/http/requests/stale-acts.test.ts"],
    [
      "what waits for a limit stays when it is another",
      "makeApprovalEnding(() => true, isUnchanged)",
      "makeApprovalEnding(() => true)"
    ]
  ),
  ...of(
    "src/engine/resources/access/operator.ts",
    ["test/http/requests/stale-acts.test.ts"],
    [
      "what waits for an operator stays when it is another",
      `(state) => state === "active", isUnchanged)`,
      `(state) => state === "active")`
    ]
  ),
  ...of(
    "src/engine/resources/access/api-key.ts",
    ["test/http/requests/stale-acts.test.ts"],
    [
      "what waits for a merchant stays when its status is another",
      "(_, __, isOfOneState) => isOfOneState",
      "() => true"
    ]
  ),
  ...of(
    "src/engine/resources/controls/approval.ts",
    ["test/scenarios/parties/barred-reads.test.ts"],
    [
      "all open payouts are read to end those to one beneficiary",
      "[`beneficiary_id=${beneficiary_id}`, `status=${status}`]",
      "[`status=${status}`]"
    ]
  ),
  ...of(
    "src/engine/commit/BlockedJobs.ts",
    ["test/scenarios/movements/resumption.test.ts"],
    ["what waits is read from the beginning for each batch", "after = jobs.at(-1)?.id ?? after", "after = known"]
  ),
  ...of(
    "src/engine/resources/webhooks/webhook-endpoint.ts",
    ["test/scenarios/webhooks/failed.test.ts"],
    [
      "a page of what failed is left out",
      "if (page.length < REPLAY_PAGE) break",
      "if (page.length <= REPLAY_PAGE) break"
    ]
  ),
  ...of("src/machines/controls/approval.ts", tests, [
    "what has ended keeps its time",
    "{ expires_at: event.at, refusal: event.refusal }",
    "{ refusal: event.refusal }"
  ]),
  ...of(
    "src/engine/resources/controls/approval.ts",
    tests,
    ["the other side goes on waiting", ".filter(({ id }) => id !== but)", ".filter(() => false)"],
    [
      "what waits again after a reversal ends, too",
      ".filter(({ created_at }) => isStill || created_at <= until)",
      ".filter(({ created_at }) => isStill || created_at <= Infinity)"
    ],
    [
      "a merchant decides for operators",
      `if (row.data.side === (call.operator === null ? "merchant" : "operator")) return row`,
      "if (call.operator === null) return row"
    ],
    [
      "operators read what merchants decide",
      `if (call.operator !== null && row.data.side === "merchant") return`,
      `if (call.operator === undefined) return`
    ],
    ["operators list what merchants decide", `{ ...input, side: "operator" }`, "input"]
  ),
  ...of(
    "src/engine/representations/controls/approval.ts",
    tests,
    ["a merchant reads the names of operators", "operator !== null || body.side", "body !== undefined || body.side"],
    ["a merchant reads who declined", "declined_by === null ? null : asOperator(declined_by)", "declined_by"]
  ),
  ...of("src/engine/resources/controls/approval.ts", tests, [
    "who has lost the role decides",
    "{ ...caller, ...(yield* deps.auth.current(caller)) }",
    "caller"
  ]),
  ...of("src/engine/resources/access/api-key.ts", tests, [
    "a key that an operator makes is of itself",
    "return person ?? call.operator?.id ?? null",
    "return person ?? null"
  ]),
  ...of("src/engine/resources/access/merchant.ts", tests, [
    "the first key of a merchant is of nobody",
    "secret, call.operator?.id ?? null)",
    "secret, null)"
  ]),
  ...of(
    "src/engine/calls/ActiveApprovalRules.ts",
    tests,
    ["who made a key is another person", "[id, person].flatMap", "[person].flatMap"],
    ["two tokens of one person are two people", "one === null ? [] : [foldText(one)]", "one === null ? [] : [one]"]
  ),
  ...of("src/engine/representations/access/merchant.ts", tests, [
    "a merchant reads which operator made its key",
    `person?.startsWith("opr_") === true ? "operator" : (`,
    "("
  ]),
  ...of(
    "src/engine/calls/ActiveLimits.ts",
    ["test/scenarios/controls/limit.test.ts"],
    ["what just fits is refused", "exceeded: used + add > max", "exceeded: used + add >= max"],
    ["a limit of one covers all", "(scope_id !== null && scope_id !== subject)", "scope_id === undefined"],
    ["a limit on money counts acts", `sort === "count" ? [1n] :`, `sort !== undefined ? [1n] :`]
  ),
  ...of(
    "src/engine/calls/ActiveLimits.ts",
    ["test/http/requests/limited-acts.test.ts"],
    ["what is given back is taken", "from: null, add: `-${add}`, max: null", "from: null, add, max: null"],
    ["an approval passes limits that it does not name", "(passing.named?.includes(id) ?? true)", "passing !== null"]
  ),
  ...of(
    "src/engine/calls/limit-windows.ts",
    ["test/engine/calls/limit-windows.test.ts"],
    [
      "a day has 24 hours",
      "DateTime.startOf(DateTime.add(start, next[part]), part, { weekStartsOn: 1 })",
      "DateTime.add(start, { hours: 24 })"
    ],
    ["a week begins on Sunday", "DateTime.startOf(here, part, { weekStartsOn: 1 })", "DateTime.startOf(here, part)"],
    [
      "the oldest part of a rolling window counts no more",
      "from: Math.floor((at - length) / part)",
      "from: Math.ceil((at - length) / part)"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exception.ts",
    ["test/scenarios/deposits/resolution-actions.test.ts"],
    ...["refund", "credit", "apply", "dismiss"].map((action): readonly [string, string, string] => [
      `the ${action} of an exception counts to no limit`,
      `if (via !== "resolve" && via !== "adjusted" && via !== "reopened") return undefined`,
      `if (data.action === "${action}" || (via !== "resolve" && via !== "adjusted" && via !== "reopened")) return undefined`
    ])
  ),
  ...of(
    "src/engine/resources/movements/batch-check.ts",
    ["test/http/requests/dry-run.test.ts"],
    [
      "a dry run of a batch names the approval of a row that is refused",
      "waits !== undefined && row.errors.length === 0",
      "waits !== undefined"
    ],
    ["a dry run of a batch names no approval of a row", "if (waits !== undefined) dryRun.awaits = waits", ""]
  ),
  ...of(
    "src/engine/resources/movements/batch-check.ts",
    ["test/scenarios/movements/batches.test.ts"],
    [
      "a reference that is promised is free",
      "(part) => part.data.rows).filter(isPayable))",
      "(part) => part.data.rows).filter(() => false))"
    ],
    [
      "what has an error promises a reference",
      "(part) => part.data.rows).filter(isPayable))",
      "(part) => part.data.rows))"
    ],
    [
      "only the next part promises references",
      "const left = listRemainingParts(data)",
      "const left = listRemainingParts(data).slice(0, 1)"
    ],
    [
      "a reference that two rows have is given twice",
      "before === undefined ? taken.get(row.reference)",
      "before !== 0 ? taken.get(row.reference)"
    ],
    ["rows do not add up", "for (const [key, balance] of after) balances.set(key, balance)", ""]
  ),
  ...of(
    "src/engine/resources/movements/batch.ts",
    ["test/scenarios/movements/batches.test.ts"],
    [
      "what can never be confirmed is checked",
      "if (owner !== undefined) return yield*",
      "if (owner === call.merchant_id) return yield*"
    ],
    [
      "a cancelled batch keeps the totals of what it never paid",
      "replaceTotals(batch.data.totals, open, [])",
      "replaceTotals(batch.data.totals, [], [])"
    ]
  ),
  ...of(
    "src/engine/resources/movements/batch-check.ts",
    ["test/scenarios/movements/batches.test.ts"],
    ["a row has the fees of before its batch", "asked.hasOtherTier(wallet.data.currency, ahead)", "ahead < 0n"],
    [
      "a row pays at the postal address of another beneficiary",
      "address: Object.fromEntries(Object.entries(address ?? {}).filter(([, value]) => value !== null))",
      "address: Object.fromEntries(Object.entries(address ?? {}).filter(([, value]) => value === undefined))"
    ]
  ),
  ...of(
    "src/engine/resources/movements/batch-check.ts",
    ["test/scenarios/movements/batch-tiers.test.ts"],
    [
      "a row that the funds do not reach leads to a tier",
      "if (short !== undefined)",
      `if (short !== undefined && volumes.set("USDC", 1_000_000_000n).size > 0)`
    ],
    [
      "a row whose reference is taken leads to a tier",
      "if (why !== undefined) {",
      `if (why !== undefined && volumes.set("USDC", 1_000_000_000n).size > 0) {`
    ],
    [
      "a row that a limit has no room for leads to a tier",
      "if (stops !== undefined)",
      `if (stops !== undefined && volumes.set("USDC", 1_000_000_000n).size > 0)`
    ],
    [
      "a row that is refused takes its reference",
      "for (const { key, use } of guards) shown.set(key, use)",
      "for (const { key, use } of guards) shown.set(key, use)\n    rows.set(row.reference, row.row)"
    ],
    [
      "a row with an error keeps it in another tier",
      "return wallet !== undefined && isPriced(one.row)",
      "return wallet !== undefined && isPriced(one.row) && one.row.priced !== null"
    ]
  ),
  ...of(
    "src/engine/resources/movements/batch-payment.ts",
    ["test/property/batch-tiers.test.ts"],
    [
      "a row is priced by what is counted when it is paid",
      "if (volumes === undefined || volume_before === undefined)",
      "if (volumes === undefined || volume_before !== undefined)"
    ],
    ["the rows before it count for nothing", "ahead: BigInt(volume_before), since", "ahead: 0n, since"],
    ["what was moved before the batch counts for nothing", "since: BigInt(since)", "since: 0n"]
  ),
  ...of(
    "src/engine/resources/movements/batch.ts",
    ["test/property/batch-tiers.test.ts"],
    ["a confirmation keeps no volume", "by: call.key_id, ...volumes }", "by: call.key_id }"]
  ),
  ...of(
    "src/engine/resources/movements/batch-payment.ts",
    ["test/scenarios/movements/batches.test.ts"],
    [
      "a row pays whom its beneficiary has become",
      "if (now.data.screening_id === screening_id && isAsDescribed)",
      `if (now.data.screening_id !== "" && isAsDescribed)`
    ],
    [
      "a row pays whom the one that it found has become",
      "{ ...found, ...found.data }",
      "{ ...found, ...found.data, screening_id: undefined }"
    ],
    [
      "a part of a batch is recorded by two processes",
      `if (now.state === "completed" || read.find((row) => row.id === part.id)?.version !== part.version)`,
      "if (now.version < batch.version)"
    ],
    ["a row that one process refuses is paid by another", "written.changes, ...refused,", "written.changes,"],
    ["a row that is paid is recorded as refused", "new Map([...outcomes, ...paid])", "new Map(outcomes)"]
  ),
  ...of(
    "src/engine/resources/movements/batch-payment.ts",
    ["test/property/batch-limits.test.ts"],
    [
      "what a cancelled batch had begun is missing in its totals",
      `now.state === "cancelled" ? [] : part.data.rows.filter(isEnded)`,
      "part.data.rows.filter(isEnded)"
    ],
    ["a refused row stays counted in limits of batches", "...replaceCounts(lost, []),", ""],
    [
      "a movement keeps no share of what its batch counts",
      "...addCounts(changes, made, counted",
      "...addCounts(changes, undefined, counted"
    ],
    [
      "a movement that takes less stays counted as was confirmed",
      "...replaceCounts(splitShares(data, row), shares)",
      "...replaceCounts(shares, shares)"
    ],
    [
      "a row that a cancelled batch has not begun stays counted",
      `now.state === "cancelled" && !isPaid`,
      `now.state === "draft" && !isPaid`
    ],
    ["a batch that makes nothing stays counted", "data.created === 0", "data.created < 0"]
  ),
  ...of(
    "src/engine/resources/movements/batch-payment.ts",
    ["test/property/batch-limits.test.ts"],
    ["the shares of rows lose what is rounded", "upTo(before + BigInt(own)) - upTo(before)", "upTo(BigInt(own))"],
    ["rows have shares of the number of acts", "isAmountKey(key) && (", `key !== "" && (`]
  ),
  ...of(
    "src/engine/resources/movements/batch.ts",
    ["test/property/batch-limits.test.ts"],
    [
      "what is cancelled before it begins stays counted",
      "changes: [next.changes, ...replaceCounts(lost, [])]",
      "changes: [next.changes]"
    ]
  ),
  ...of("src/engine/resources/movements/creation.ts", tests, [
    "a payout that waits has no recipient",
    "{ recipient: beneficiary.name, beneficiary_id }",
    "{ beneficiary_id }"
  ]),
  ...of(
    "src/engine/commit/index-keys.ts",
    ["test/scenarios/reconciliation/matching.test.ts"],
    ["what moved in another amount is not found by it", ", ...listReportedKeys(row, searched)", ""],
    [
      "a reported amount without a currency is none of it",
      "const code = currency ?? due",
      'const code = currency ?? ""'
    ]
  ),
  ...of(
    "src/engine/commit/acts.ts",
    ["test/engine/commit/acts.test.ts"],
    ["an entry that ends an exception moves its money twice", ".find(({ length }) => length > 0) ?? []", ".flat()"],
    ["an operation hides its act", "if (hidden !== undefined)", "if (hidden === null)"],
    ["what is taken counts as given back", `one.add.startsWith("-")`, `one.add !== ""`],
    [
      "what is given back to a window is given back to all",
      "one.key === key && one.bucket === bucket",
      "one.key === key"
    ]
  ),
  ...of(
    "src/engine/commit/acts.ts",
    ["test/http/requests/controls.test.ts"],
    ["a merchant reads what others use", "isOwn: operator === null", "isOwn: operator !== null"]
  ),
  ...of(
    "src/engine/calls/ActiveLimits.ts",
    ["test/http/requests/controls.test.ts"],
    ["the refusal of the platform's limit says how far it is used", `isOwn && limit.data.scope === "platform"`, "false"]
  ),
  ...of(
    "src/engine/calls/dry-run.ts",
    ["test/http/requests/controls.test.ts"],
    ["a dry run says how far the platform's limit is used", `isOwn && scope === "platform" ? [] : [one]`, "[one]"]
  ),
  ...of(
    "src/engine/calls/ActiveApprovalRules.ts",
    ["test/http/requests/controls.test.ts"],
    ["the time of a rule does not count over a limit", "(times.length > 0 ? [Math.min(...times)] : [])", "[]"],
    [
      "the time of a limit does not count beside a rule",
      "(limits.length > 0 ? [limitExpiryMs] : [])",
      "(times.length > 0 ? [] : [limitExpiryMs])"
    ]
  ),
  ...of(
    "src/engine/commit/call.ts",
    ["test/http/requests/controls.test.ts"],
    [
      "a rule names a role of keys that approves nothing",
      `keyRoles.filter((role) => hasRole(role, "approver"))`,
      "keyRoles"
    ],
    [
      "a rule names a role of operators that approves nothing",
      `operatorRoles.filter((role) => hasOperatorRole(role, "support"))`,
      "operatorRoles"
    ]
  ),
  ...of(
    "src/engine/resources/controls/limit.ts",
    ["test/http/requests/controls.test.ts"],
    ["a limit that is made disabled needs room", `if (input.status !== "disabled") yield*`, "yield*"],
    ["null clears the last maximum", "after.max_amount === null && after.max_count === null", "false"]
  ),
  ...of(
    "src/engine/input/validation.ts",
    ["test/http/requests/controls.test.ts"],
    ["null clears nothing", "member.optional && !member.clears ?", "member.optional ?"]
  ),
  ...of(
    "src/engine/resources/reconciliation/entry-posting.ts",
    ["test/http/requests/limited-acts.test.ts"],
    [
      "what is reversed is not given back",
      "counted === undefined ? [] : [giveBack(counted)]",
      "counted === undefined ? [] : []"
    ]
  ),
  ...of(
    "src/engine/calls/executor.ts",
    ["test/http/requests/acts.test.ts"],
    [
      "an act in two commits is answered by the first",
      "if (finish === undefined || approval !== undefined) return (text = render(result))",
      "return (text = render(result))"
    ],
    [
      "the answer of the second commit is not stored",
      "if (isDone && dryRun === undefined) yield*",
      "if (isDone && dryRun !== undefined) yield*"
    ],
    [
      "nobody finishes what ended between two commits",
      "stored === undefined || !isResponseBegun(stored)",
      "stored === undefined || isResponseBegun(stored)"
    ],
    [
      "what waits for the other side has a resource",
      "about?.approval === undefined ? { result }",
      "about?.approval !== undefined ? { result }"
    ]
  ),
  ...of(
    "src/engine/commit/dry-run-storage.ts",
    ["test/http/requests/acts.test.ts"],
    ["the rows of a file do not see each other", "view === undefined ? storage", "view !== undefined ? storage"]
  ),
  ...of(
    "src/engine/resources/controls/approval.ts",
    ["test/scenarios/parties/screening.test.ts"],
    [
      "what is paid to nobody waits for approval",
      "(yield* readPayee(storage, row))?.isBarred !== true) continue",
      "row.version > 0) continue"
    ]
  ),
  ...of(
    "src/engine/resources/parties/screening.ts",
    ["test/scenarios/parties/screening.test.ts"],
    [
      "a blocked payee ends nothing",
      `...(state === "blocked" && before.state !== "blocked" ? [endPayouts(id, at)] : [])`,
      ""
    ],
    [
      "a late refusal ends nothing",
      "[takeUniqueKey(refusedScope, screening_id, resource_id), endPayouts(resource_id, at)]",
      "[takeUniqueKey(refusedScope, screening_id, resource_id)]"
    ]
  ),
  ...of(
    "src/engine/calls/acts.ts",
    ["test/http/requests/dry-run.test.ts"],
    [
      "a dry run of an act that would wait says nothing of what is not asked",
      "dryRun.not_asked.push(...record.not_asked)",
      ""
    ],
    ["a dry run of an act that would wait says nothing of what it writes", "dryRun.changes.push(...record.changes)", ""]
  ),
  ...of(
    "src/engine/calls/acts.ts",
    ["test/http/requests/acts.test.ts"],
    ["an act waits longer than its quote", "Math.min(...taken.map((row) => findExpiry(kinds, row)))", "Infinity"],
    ["what an input names ends, and the act waits on", "named.has(row.id) ||", ""],
    ["an act waits although its quote was used", "takes: taken.map(({ id }) => id)", "takes: []"]
  ),
  ...of(
    "src/engine/resources/controls/approval.ts",
    ["test/http/requests/acts.test.ts"],
    ["an act that has lost its rows is refused for good", "|| isContended(failure)", ""]
  ),
  ...of(
    "src/engine/calls/executor.ts",
    ["test/http/requests/acts.test.ts"],
    [
      "the conflict of an approved act is its answer for good",
      "if (submission.approved !== undefined && isContended(",
      "if (submission.approved === null && isContended("
    ]
  ),
  ...of(
    "src/engine/calls/ActiveApprovalRules.ts",
    ["test/engine/calls/active-approval-rules.test.ts"],
    [
      "a part that cannot be compared does not wait beside one that can",
      "!sums.every(isComparable)",
      "!sums.some(isComparable)"
    ],
    ["the longest time of two rules counts", "[Math.min(...times)]", "[Math.max(...times)]"],
    ["the time of the first of two rules counts", "[Math.min(...times)]", "[times[0]!]"],
    ["the fewest approvals of two rules count", "Math.max(1, ...covering", "Math.min(...covering"],
    [
      "the roles of one of two rules count",
      "roles: [...covering.map(({ roles }) => roles), ",
      "roles: [...covering.slice(0, 1).map(({ roles }) => roles), "
    ]
  ),
  ...of(
    "src/engine/calls/ActiveLimits.ts",
    ["test/http/requests/key-budgets.test.ts"],
    [
      "a key that another made has a budget of its own",
      "[act.api_key_id, ...(act.api_key_makers ?? [])]",
      "act.api_key_id"
    ]
  ),
  ...of(
    "src/engine/resources/access/api-key.ts",
    ["test/http/requests/key-budgets.test.ts"],
    ["a key counts to the one that made it, and to no other", "[id, ...(data.made_by ?? [])]", "[id]"],
    [
      "a key that an admin made counts to the admin's",
      `if (key_id === null || role === "admin") return []`,
      "if (key_id === null) return []"
    ]
  ),
  ...of(
    "src/engine/calls/acts.ts",
    ["test/http/requests/acts-in-two-commits.test.ts"],
    [
      "an act that writes its resource twice never waits",
      "all.findIndex((one) => one.id === id) === at",
      "all.length > at"
    ]
  ),
  ...of(
    "src/engine/calls/ActiveLimits.ts",
    ["test/property/batch-limits.test.ts"],
    ["a limit counts a row beside its batch", "ofLimit(one) === ofLimit(key))", "false)"],
    [
      "a row whose own word a limit has lost counts to it no more",
      "(yield* BatchOfRow) === undefined ? []",
      "true ? []"
    ]
  ),
  ...of(
    "src/engine/resources/movements/batch-payment.ts",
    ["test/property/batch-limits.test.ts"],
    ["a row that its batch has not counted is counted by nobody", "if (total === 0n) return []", ""]
  ),
  ...of(
    "src/engine/resources/reconciliation/break.ts",
    ["test/scenarios/reconciliation/dismissals.test.ts"],
    [
      "a dismissal that is undone stays counted",
      `via === "reopened" && counted !== undefined`,
      `via === "found" && counted !== undefined`
    ]
  ),
  ...of(
    "src/machines/reconciliation/break.ts",
    ["test/scenarios/reconciliation/dismissals.test.ts"],
    [
      "a dismissal keeps what limits counted of one before",
      `event.action === "adopt" ? context.counted : undefined`,
      "context.counted"
    ]
  )
]
