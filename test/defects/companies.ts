/** Defects of the connectors of payment companies: each would pay twice, release what was paid, or lose what came. */
import { of, type TestedDefect } from "./defect.ts"

const payouts = ["test/adapters/provider/paystack/payouts.test.ts"]
const events = ["test/adapters/provider/paystack/events.test.ts"]
const mapping = ["test/adapters/provider/paystack/mapping.test.ts"]
const unreadable = ["test/adapters/provider/paystack/unreadable.test.ts"]
const integration = ["test/adapters/provider/paystack/integration.test.ts"]

export const companies: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/reports/progress.ts",
    ["test/scenarios/work/stuck.test.ts"],
    ["nobody is told who must act", "(last?.awaited_person ?? null)", "null"],
    ["a person waits for an approval, too", "openCommands.has(cause) ?", "!openCommands.has(cause) ?"]
  ),
  ...of(
    "src/adapters/verification/sumsub/verification.ts",
    ["test/adapters/verification/sumsub/events.test.ts"],
    [
      "what was approved before a new start is withdrawn after it",
      "const undecided = { approved: false, approved_as: null }",
      "const undecided = { approved: readData<StartedSession>(row)?.approved ?? false, approved_as: null }"
    ]
  ),
  ...of(
    "src/adapters/provider/solana/transaction.ts",
    ["test/adapters/provider/solana/refusals.test.ts"],
    ["a memo has no compute units", 'memoByteUnits * Buffer.byteLength(memo ?? "")', "0"]
  ),
  ...of(
    "src/adapters/provider/bridge/payins.ts",
    ["test/adapters/provider/bridge/payins.test.ts"],
    ["an account of a command whose key still holds is taken", "|| (yield* isDoubtful(command_id, all))", "|| 1 > 2"]
  ),
  ...of(
    "src/adapters/provider/company/issues.ts",
    ["test/adapters/provider/company-payins.test.ts"],
    ["an account that was taken meanwhile rejects the issue", "made.isChosen === true", "1 > 2"]
  ),
  ...of(
    "src/engine/reports/timeline/timeline.ts",
    ["test/scenarios/work/stuck.test.ts"],
    ["a merchant reads who acts at the provider", "isOwn ? null : progress.awaited_person", "progress.awaited_person"]
  ),
  ...of("src/adapters/provider/paystack/banks.ts", events, [
    "an account that its bank cannot confirm is nobody's",
    "isOfHolder === undefined",
    "isOfHolder === null"
  ]),
  ...of("src/adapters/provider/paystack/events.ts", integration, [
    "a key that was taken away is a fault of each sweep",
    "makeSweep(submissions, lookAtSent",
    "makeSweep(submissions, lookAgain"
  ]),
  ...of(
    "src/adapters/provider/paystack/owner.ts",
    integration,
    ["what needs a key is named by another currency's", "sent.currency === currency", "sent.currency !== currency"],
    [
      "accounts need no key",
      "const hasAccounts = yield* rounds.hasBegun(listsOf({ currency }).payins)",
      "const hasAccounts = false"
    ]
  ),
  ...of(
    "src/cli/companies/check.ts",
    ["test/cli/check-company.test.ts"],
    ["a live key pays", '!key.startsWith("sk_test_")', '!key.startsWith("sk_")']
  ),
  ...of(
    "src/adapters/provider/company/submissions.ts",
    payouts,
    ["a command is absent as soon as it is not found", "now - sent_at >= grace_ms", "now >= sent_at"],
    ["one look-up that finds nothing is enough", "if (missing_since === null)", "if (missing_since === -1)"],
    [
      "a balance that the command itself has taken releases it",
      'if (begun === "exists" || !begun.isFirst || !(',
      'if (begun === "exists" || !('
    ],
    ["what the ledger has is not asked", "if (!(yield* isUnbooked))", "if (1 > 2)"]
  ),
  ...of(
    "src/adapters/provider/company/submissions.ts",
    events,
    [
      "a refund is requested again while it may be on its way",
      "sent.company_id === null && isFenced && isSameOwner",
      "sent.company_id === null && isSameOwner"
    ],
    [
      "a state that comes again is reported again",
      "reports.find(({ event_id }) => event_id === event?.event_id) ?? event",
      "event"
    ]
  ),
  ...of(
    "src/adapters/provider/company/submissions.ts",
    ["test/adapters/provider/circle/payouts.test.ts"],
    [
      "the id of what is not understood is thrown away",
      'posted._tag === "unknown" ? posted : {}',
      'posted._tag === "unknown" && 1 > 2 ? posted : {}'
    ]
  ),
  ...of(
    "src/adapters/provider/paystack/payouts.ts",
    payouts,
    [
      "a payout is sent while another one waits for a code",
      "return isHeld ? undefined : ",
      "return 1 > 2 ? undefined : "
    ],
    ["what a build before sent is not found", ': { currency, payin_id, units, body: "" },', ": undefined,"],
    [
      "what was never sent is unknown where its key was taken away",
      "callsOf(expected.currency)?.verify(expected)",
      "Effect.flatMap(requireCalls(expected.currency), ({ verify }) => verify(expected))"
    ]
  ),
  ...of("src/adapters/provider/paystack/payouts.ts", events, [
    "a refund is fenced by a reference that it has not",
    "isFenced: ({ payin_id }) => payin_id === null",
    "isFenced: () => true"
  ]),
  ...of(
    "src/adapters/provider/company/statement.ts",
    ["test/adapters/provider/company-statements.test.ts"],
    ["what is listed late is not on the statement", "found[hourOf(at)] !== seen[hourOf(at)]", "1 > 2"],
    [
      "what was listed late is taken by each round",
      "seen = addSeen(Object.fromEntries(others), taken)",
      "seen = { ...seen }"
    ],
    [
      "what a round did not see is forgotten",
      "Math.max(from, nextHour(round.began - overlapMs - unsettledMs))",
      "Math.max(from, nextHour(round.began))"
    ],
    [
      "what is listed late while nobody reads is lost",
      "isLeft(known) ? yield* readLate(known, now, source, 0) : known",
      "known"
    ],
    [
      "a part of an hour that was read before a pause stops the statement",
      "return { ...place, from: since, late:",
      "return { ...place, late:"
    ],
    [
      "a round that took several pages is never over",
      "late.began !== before?.late.began || late.at !== before.late.at",
      "late.began !== before?.late.began"
    ]
  ),
  ...of(
    "src/adapters/provider/circle/statements.ts",
    ["test/adapters/provider/circle/statements.test.ts"],
    ["a late hour for which there is no room is on every page", "isLate && most.at < end", "isLate && most.at > end"],
    [
      "what was listed late and cannot be read is not told",
      "unread.filter((key) => !watched.some((one) => one.key === key))",
      "unread.filter(() => 1 > 2)"
    ]
  ),
  ...of("src/adapters/provider/company/client.ts", payouts, [
    "a pause that was asked for is not kept",
    "if ((yield* now) < resumes_at)",
    "if ((yield* now) < 0)"
  ]),
  ...of("src/adapters/provider/company/client.ts", mapping, [
    "an id above 2^53 loses digits",
    "? (source ?? String(value)) : value",
    "? String(value) : value"
  ]),
  ...of("src/adapters/provider/company/entries.ts", payouts, [
    "a code that is awaited holds back nobody",
    "isOpen(data) && data.waits && ",
    "isOpen(data) && !data.waits && "
  ]),
  ...of(
    "src/adapters/provider/company/entries.ts",
    unreadable,
    ["a refund that waits for its payer holds back payouts", ' && data.purpose === "payout"', ""],
    [
      "what was never sent is open for ever",
      "event === null && (sent_at !== null || company_id !== null)",
      "event === null"
    ]
  ),
  ...of("src/adapters/provider/company/submissions.ts", unreadable, [
    "the debit of an earlier submission does not count",
    "sent.first_sent_at ?? sent.sent_at!",
    "sent.sent_at!"
  ]),
  ...of("src/adapters/provider/company/sweep.ts", unreadable, [
    "what one item cannot read holds up those behind it",
    "Effect.result(Effect.asVoid(look(item)))",
    "Effect.asSome(look(item))"
  ]),
  ...of(
    "src/adapters/provider/paystack/owner.ts",
    integration,
    ["what another integration does not find is missing", "if (!isSameOwner(sent.sent_by, found))", "if (1 > 2)"],
    [
      "another integration's key sends payouts",
      "if (kept !== undefined && isOtherOwner(kept, found)) return",
      "if (kept === undefined && isOtherOwner(found, found)) return"
    ],
    [
      "the start takes another integration's key",
      "return isOtherOwner(kept, found) ? ",
      "return found.key === kept.account ? "
    ]
  ),
  ...of(
    "src/adapters/provider/paystack/payouts.ts",
    unreadable,
    ["a ledger with rows that cannot be read proves an absence", "if (unreadable.length > 0) return false", ""],
    [
      "another word of the ledger is of another thing",
      "if (model === undefined || typeof model_row",
      "if (model === undefined) continue\n    if (typeof model_row"
    ],
    [
      "a refund that may be the command's is another's",
      "of === undefined && mayBeRefund(",
      "of !== undefined && mayBeRefund("
    ]
  ),
  ...of(
    "src/adapters/provider/paystack/payins.ts",
    unreadable,

    [
      "a pay-in whose payer cannot be read is nobody's",
      'typeof email !== "string" || issued.has',
      'typeof email === "string" && issued.has'
    ]
  ),
  ...of("src/adapters/provider/company/windows.ts", unreadable, [
    "the second part of a long list is not read",
    "while (at < end && !(yield* isEnough))",
    "while (at < from && !(yield* isEnough))"
  ]),
  ...of(
    "src/adapters/provider/company/windows.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    ["a round begins again with each sweep", "|| last.at >= last.began", "|| last.at >= 0"]
  ),
  ...of(
    "src/adapters/provider/company/windows.ts",
    ["test/adapters/provider/company-payins.test.ts"],
    [
      "an account that was issued is not listened to once none are",
      "if (!isBegun && last === undefined && ",
      "if (!isBegun && "
    ]
  ),
  ...of(
    "src/adapters/provider/paystack/payins.ts",
    ["test/adapters/provider/company-payins.test.ts"],
    [
      "an account of another domain is nobody's",
      "issued.has(keys.account(email).id)",
      "email.endsWith(String(payins?.email_domain))"
    ]
  ),
  ...of(
    "src/adapters/provider/bridge/payins.ts",
    ["test/adapters/provider/company-payins.test.ts"],
    [
      "the statement has no deposits once no accounts are issued",
      "rounds.hasBegun(activityList)",
      "Effect.succeed(false)"
    ]
  ),
  ...of("src/adapters/provider/company/sweep.ts", events, [
    "a return after a success is not looked for",
    "sent.state !== stateOf(item)",
    "sent.state === stateOf(item)"
  ]),
  ...of(
    "src/adapters/provider/company/sweep.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    [
      "a return at Circle after a success is not looked for",
      "sent !== undefined && sent.state !== stateOf(item)",
      "1 > 2"
    ]
  ),
  ...of("src/adapters/provider/company/sweep.ts", events, [
    "a failed payout that the company pays afterwards is not looked for",
    "lookAtFailed, lookAtOpen]",
    "lookAtOpen]"
  ]),
  ...of("src/adapters/provider/company/submissions.ts", events, [
    "a failed payout that is pending again is not open",
    "outcome === null ? null : paymentEvent",
    "outcome === null ? sent.event : paymentEvent"
  ]),
  ...of("src/adapters/provider/paystack/events.ts", unreadable, [
    "a refund that fails after it was processed is not looked for",
    "...all.map(lookAtRefunds),",
    ""
  ]),
  ...of("src/adapters/provider/paystack/mapping.ts", payouts, [
    "a transfer of another amount is the command's",
    "if (BigInt(found.amount) !== units || ",
    "if ("
  ]),
  ...of("src/adapters/provider/paystack/mapping.ts", mapping, [
    "a payout that waits for a code has failed",
    'otp: openState("it waits for a code on the owner\'s telephone", {',
    'otp: endState("failed", "it waits for a code on the owner\'s telephone", {'
  ]),
  ...of("src/adapters/provider/paystack/events.ts", events, [
    "a callback counts with the new key alone",
    ".flatMap(({ secrets }) => secrets)",
    ".flatMap(({ secrets }) => [secrets[0]])"
  ]),
  ...of(
    "src/adapters/provider/circle/payouts.ts",
    ["test/adapters/provider/circle/payouts.test.ts"],
    [
      "a payment of tenths of a cent",
      "const units = parsePaymentUnits(command.amount, paymentDecimals)",
      "const units = parsePaymentUnits(command.amount)"
    ],
    ["an address is paid before it is active", 'if (recipient.status !== "active")', 'if (recipient.status === "")'],
    ["an address that is approved on one chain is approved on all", "one.chain === chain && ", ""]
  ),
  ...of(
    "src/adapters/provider/circle/mapping.ts",
    ["test/adapters/provider/circle/payouts.test.ts", "test/adapters/provider/circle/mapping.test.ts"],
    ["a failed transfer that is on the chain has failed", 'status === "failed" && hashOf(payment) !== null', "1 > 2"],
    ["what is coming back has failed", 'comingBack("it is coming back")', 'makeFailure("it is coming back")'],
    ["what an exchange took of a return is not counted", "+ credit! - debit!", "+ credit!"],
    [
      "a payment in another form is another payment",
      'if (typeof place !== "string" || place === "") return true',
      'if (typeof place !== "string" || place === "") return false'
    ],
    ["a payment less its fee is another payment", "(isThere && paid < units)", "(isThere && paid < 0n)"],
    [
      "an amount that cannot be compared is another one",
      "return paid === undefined || paid === units",
      "return paid === units"
    ],
    [
      "a transfer to another address is the command's",
      "toComparableAddress(address) === to && at === chain",
      "at === chain"
    ],
    ["a key with another body is a rejection", 'codes: [1083] }, "unknown")', 'codes: [1083] }, "rejected")']
  ),
  ...of(
    "src/adapters/provider/company/lists.ts",
    ["test/adapters/provider/circle/payouts.test.ts"],
    [
      "a page of Circle's that is short is the last",
      "last = found.at(-1)?.id ?? last",
      "last = found.at(-1)?.id ?? last\n    if (found.length < 50) return { began, items, beyond: -1, last }"
    ],
    [
      "a list of Circle's that repeats itself is whole",
      "if (found.some(({ id }) => items.has(id)))",
      "if (found.some(({ id }) => items.has(id))) return { began, items, beyond: -1, last }\n    if (1 > 2)"
    ]
  ),
  ...of(
    "src/adapters/provider/company/lists.ts",
    ["test/adapters/provider/bridge/payouts.test.ts"],
    [
      "a page of Bridge's that is short is the last",
      "last = found.at(-1)?.id ?? last",
      "last = found.at(-1)?.id ?? last\n    if (found.length < 50) return { began, items, beyond: -1, last }"
    ],
    [
      "a list of Bridge's that repeats itself is whole",
      "if (found.some(({ id }) => items.has(id)))",
      "if (found.some(({ id }) => items.has(id))) return { began, items, beyond: -1, last }\n    if (1 > 2)"
    ]
  ),
  ...of(
    "src/adapters/provider/circle/calls.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    ["a transfer of another environment is not acknowledged", "if (reply.status === 404 && ", "if (1 > 2 && "],
    [
      "whoever answers 404 is Circle",
      "reply.status === 404 && reply.json !== undefined) return",
      "reply.status === 404) return"
    ]
  ),
  ...of(
    "src/adapters/provider/circle/events.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    [
      "a payout that cannot be read is passed over",
      'return Effect.fail(unreadFault("payout", item))',
      "return Effect.undefined"
    ]
  ),
  ...of(
    "src/adapters/provider/company/sns.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    [
      "a certificate of any host",
      "name.exec(message.SigningCertURL)?.[1]",
      "/(\\/[^/]*)$/.exec(message.SigningCertURL)?.[1]"
    ],
    ["a message of any topic", " || found.value.TopicArn !== arn", ""],
    ["an old message", "Math.abs(now - Date.parse(message.Timestamp))", "Date.parse(message.Timestamp) - now"],
    ["a subscription is confirmed before its signature", "if (!isSigned || ", "if ("]
  ),
  ...of(
    "src/adapters/provider/circle/payins.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    [
      "a deposit that is late is forgotten",
      "return !isPendingTransfer(transfer) || ",
      "return isPendingTransfer(transfer) || "
    ],
    [
      "a deposit that cannot be read is forgotten",
      'Effect.fail(unreadFault("transfer", item))',
      "Effect.succeed(true)"
    ],
    [
      "a network that is not served any more is not listened to",
      "allNetworks.find((one) =>",
      "config.networks.find((one) =>"
    ]
  ),
  ...of(
    "src/adapters/provider/circle/statements.ts",
    ["test/adapters/provider/circle/statements.test.ts"],
    ["a watched item has no turn", "...watched.slice(asked), ...seen", "...seen"],
    ["a page asks without end", "requests -= found?.requests ?? lists * listRequestsMax", "requests -= 0"],
    ["a return is told by each round", "back.began_at < since || back.began_at >= until", "back.began_at >= until"],
    ["a round over the payouts never rests", "end - returns.since < rest", "end - returns.since < 0"],
    ["a statement that waits does not say so", "if (taken.at < end) warnings.push(warnFull(what, taken.at))", ""],
    [
      "Circle is asked all the time about what is not final",
      "isNew && now - cursor.asked_at < askedMs",
      "isNew && 1 > 2"
    ]
  ),
  ...of(
    "src/adapters/provider/circle/statement-cursor.ts",
    ["test/adapters/provider/circle/statements.test.ts"],
    ["what was not final is never on the statement", "item.at < at ? [{ key: item.key, until: null }] : []", "[]"],
    ["what failed is forgotten", "item.at + failedMs > now ? [", "item.at > now ? ["],
    ["what failed later is forgotten", "until: until ?? now + failedMs", "until: until ?? now"],
    ["what is newer than the cursor has room for is lost", "?.at ?? to\n", "?.at === 0 ? 0 : to\n"],
    ["an old cursor loses returns", "at - returnsMs), until", "at), until"]
  ),
  ...of(
    "src/adapters/provider/company/keyed.ts",
    ["test/adapters/provider/bridge/payouts.test.ts"],
    [
      "a key is used after the company has forgotten it",
      "isFenced(expected) && isFresh(request, now)",
      "isFenced(expected)"
    ],
    ["a key that has run out is used for ever", "isVoid !== true && isFresh(known, now)", "isVoid !== true"],
    ["a key that is bound to a refusal is used again", "data: { ...known, isVoid: true }", "data: known"],
    [
      "a request that may have been executed gets another key",
      "known !== undefined && (isSent(sent) || (",
      "known !== undefined && (1 > 2 || ("
    ],
    [
      "a payment without a reference is not seen",
      "listed.filter((payment) => mayBe(payment, expected))",
      "listed.filter(() => 1 > 2)"
    ],
    ["a clock that is fast hides a payment", "clockSlackMs = 60 * 60_000", "clockSlackMs = 10 * 60_000"]
  ),
  ...of(
    "src/adapters/provider/company/keyed.ts",
    ["test/adapters/provider/circle/payouts.test.ts"],
    [
      "what another command has is taken for a lost one",
      "if ((yield* ofPayment(one.id)) === undefined)",
      "if (one.id !== undefined)"
    ]
  ),
  ...of(
    "src/adapters/provider/company/answers.ts",
    ["test/adapters/provider/circle/payouts.test.ts"],
    [
      "a form that cannot be read has no id",
      "in a form that cannot be read: ${made.id}`, made.id)",
      "in a form that cannot be read: ${made.id}`)"
    ]
  ),
  ...of(
    "src/adapters/provider/company/submissions.ts",
    ["test/adapters/provider/circle/payouts.test.ts"],
    [
      "a submission that an absent has overtaken is sent",
      "attempt <= (sent.fenced ?? -1)",
      "attempt < (sent.fenced ?? -1)"
    ],
    ["an absent fences nothing", "(fenced) => command.attempt ?? fenced + 1", "(fenced) => fenced"]
  ),
  ...of(
    "src/adapters/provider/company/submissions.ts",
    unreadable,
    [
      "a refund that was made late is made again",
      "if (!calls.isFenced && before !== undefined && before.posts > 0",
      "if (!calls.isFenced && before !== undefined && before.posts > 9"
    ],
    ["a refund that an absent has overtaken is sent", "attempt ?? (entry?.fenced ?? -1) + 1", "attempt ?? 1e9"]
  ),
  ...of("src/adapters/provider/company/submissions.ts", payouts, [
    "what keeps a command from being sent undoes an earlier POST",
    "return isSent(yield* find(command_id)) ? ",
    "return 1 > 2 ? "
  ]),
  ...of("src/adapters/provider/company/payins.ts", unreadable, [
    "a pay-in that cannot be read is forgotten",
    "const open = new Set(looked)",
    "const open = new Set<string>()"
  ]),
  ...of(
    "src/adapters/provider/bridge/payouts.ts",
    ["test/adapters/provider/bridge/payouts.test.ts"],
    ["a closed account is paid", "known !== undefined && (yield* calls.isActive(known.id))", "known !== undefined"],
    [
      "EUR is paid by what it costs",
      'currency === "USD" ? { amount: amountOf(units) } : {}',
      "{ amount: amountOf(units) }"
    ],
    [
      "a wrong digit of a routing number is not seen",
      '!isRoutingNumber(bank_code ?? "")',
      '!/^[0-9]{9}$/.test(bank_code ?? "")'
    ]
  ),
  ...of(
    "src/adapters/provider/bridge/mapping.ts",
    ["test/adapters/provider/bridge/payouts.test.ts", "test/adapters/provider/bridge/mapping.test.ts"],
    ["a transfer of another amount is the command's", " || unitsOf(amountIn(transfer, currency)) !== units", ""],
    [
      "a transfer of another reference is the command's",
      "if (client_reference_id !== command_id)",
      "if (client_reference_id === 7)"
    ],
    ["what Bridge does not say has failed", 'mayLeave: true, port: "unknown"', 'mayLeave: true, port: "failed"'],
    [
      "a key that was used before is a rejection",
      'makeEarlierRequest("the key was used before"',
      'refused("the key was used before"'
    ]
  ),
  ...of(
    "src/adapters/provider/bridge/events.ts",
    ["test/adapters/provider/bridge/events.test.ts"],
    ["an old webhook counts", "Math.abs(now - Number(at)) > toleranceMs", "Number(at) - now > toleranceMs"],
    [
      "a webhook is signed over its text",
      'verify("sha256", digest, key,',
      'verify("sha256", Buffer.concat([Buffer.from(`${at}.`), bytes]), key,'
    ],
    [
      "a return after a success is not looked for",
      'endedWithin(returnDays, "paidOn")',
      'endedWithin(returnDays, "failedOn")'
    ]
  ),
  ...of(
    "src/adapters/provider/bridge/activity.ts",
    ["test/adapters/provider/bridge/payins.test.ts"],
    [
      "a pay-in counts before its USDC is there",
      'payment_submitted: { port: "waits"',
      'payment_submitted: { port: "confirmed"'
    ],
    ["a test payment of a bank is a pay-in", 'microdeposit: { port: "none"', 'microdeposit: { port: "confirmed"'],
    [
      "what moved in an unknown way is a credit",
      'deposit: "credit",\n  direct',
      'undeliverable: "credit",\n  deposit: "credit",\n  direct'
    ]
  ),
  ...of(
    "src/adapters/provider/bridge/payins.ts",
    ["test/adapters/provider/bridge/payins.test.ts"],
    ["a deposit that is reviewed is forgotten", "sweeps: [list, askOpen]", "sweeps: [askOpen]"],
    [
      "an account is made twice after a day",
      "mayArrive(kept, now) || (yield* findMade(kept)).length > 0",
      "mayArrive(kept, now)"
    ],
    ["a request that is on its way is made again", "if (mayArrive(kept, now) || (yield*", "if ((yield*"],
    [
      "an account of another command is taken",
      "(yield* books.read(entries.keys.account(id))) !== undefined",
      'id === ""'
    ],
    ["an account that is used already is taken", "newsIn(item) === null)", "newsIn(item) !== item)"],
    ["one of several accounts is guessed", "if (others.length === 0) return made", "return made"],
    ["what was never told has failed", "if (hasFailed && !(yield* reports.reported([id])).has(id)) return null", ""],
    [
      "a refund is told as a loss too",
      'if (hasFailed && (yield* findRefundState(submissions, id)) !== "none") return null',
      ""
    ],
    [
      "a refund that failed hides what Bridge sent back",
      '!(event?._tag === "refund" && event.outcome === "failed")',
      'event?._tag !== "payin"'
    ],
    ["a deposit whose end is listed late is forgotten", "sweeps: [list, askOpen]", "sweeps: [list]"],
    [
      "a deposit goes back in part",
      "String(unitsOf(amount, paymentDecimals)) !== arrival.units",
      "unitsOf(amount, paymentDecimals) === undefined"
    ],
    ["a deposit goes back twice", "if (!hasFailed && !isVoid) return", "if (!hasFailed && isVoid) return"],
    ["a deposit of EUR goes back from USDC", 'if (currency !== "USD") return', 'if (currency === "GBP") return']
  ),
  ...of(
    "src/adapters/provider/bridge/statements.ts",
    ["test/adapters/provider/bridge/payins.test.ts"],
    [
      "a line of fiat is not changed",
      "direction: opposite[direction], amount, currency",
      "direction, amount, currency"
    ],
    [
      "what cannot be read is left out",
      "unreadable.length > 0 && { unreadable }",
      "unreadable.length > 99 && { unreadable }"
    ],
    ["what is listed late is left out", "const from = Math.min(at, place.from)", "const from = at"]
  ),
  ...of(
    "src/adapters/provider/bridge/statements.ts",
    ["test/adapters/provider/company-statements.test.ts"],
    ["an old walk is read again", "if (next.at >= began - unsettledMs) kept = {}", ""]
  ),
  ...of(
    "src/adapters/provider/company/issues.ts",
    ["test/adapters/provider/bridge/payins.test.ts"],
    ["an account is given to two", "known.find((row) => row.command_id !== command_id) ?? known[0] ?? data", "data"]
  ),
  ...of(
    "src/adapters/provider/company/issues.ts",
    ["test/adapters/provider/company-payins.test.ts"],
    [
      "what was asked for an account is forgotten",
      "yield* ask(command, known?.asked,",
      "yield* ask(command, undefined,"
    ],
    ["an account that was issued is issued again", "if (known?.issued !== undefined)", "if (known?.issued === null)"],
    ["an account is listened to only after a sweep", "...begun].filter(", "...begun.slice(2)].filter("]
  ),
  ...of(
    "src/engine/resources/parties/verification-outcome.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    [
      "a doubt about the customer of before is an exception",
      "if (identityVersionOf(data) === identityVersionsOf(row.data).latest) return false",
      "return false"
    ],
    [
      "a doubt about the customer as it is is dropped",
      "!isAtProvider(row) || VerificationKind.lifecycle.hasEnded(state, machine)) return false",
      "!isAtProvider(row)) return true"
    ]
  ),
  ...of(
    "src/adapters/provider/circle/statements.ts",
    ["test/adapters/provider/circle/statements.test.ts"],
    ["what never becomes final holds the statement for good", "if (room <= 0 && found", "if (1 > 2 && found"],
    ["what is not final is let go although there is room", "let room = openMax - countOpen(watched)", "let room = 0"],
    ["what is not final is let go at once", "found.at + returnsMs <= now", "found.at <= now"]
  ),
  ...of(
    "src/adapters/provider/company/statement.ts",
    ["test/adapters/provider/paystack/long-hours.test.ts"],
    ["an hour is listed whole by one page", "?? hourMs, isEnough: Effect.sync(isEnough) }", "?? hourMs }"],
    ["each page lists an hour from its begin", "hours.set(key, { place, found })", "hours.delete(key)"]
  ),
  ...of(
    "src/adapters/provider/company/issues.ts",
    ["test/adapters/provider/bridge/refused-accounts.test.ts"],
    ["a refused account holds up others", "entries: isOnly ?", "entries: 1 > 2 ?"],
    ["a refusal says that an earlier request made nothing", "stored?.posts === 1 &&", ""]
  ),
  ...of(
    "src/adapters/provider/bridge/payins.ts",
    ["test/adapters/provider/bridge/refused-accounts.test.ts"],
    ["a refused account is asked for under the key of the refusal", "before && !isVoid ?", "before ?"]
  ),
  ...of(
    "src/adapters/provider/company/issues.ts",
    ["test/adapters/provider/circle/events.test.ts"],
    ["one address has two owners", "if (kept.command_id !== command_id) return", "if (1 > 2) return"]
  ),
  ...of(
    "src/adapters/provider/bridge/payins.ts",
    ["test/adapters/provider/company-payins.test.ts"],
    ["a key ends at midnight", "isKeyed(kept, now) && before?.body === body) return kept", "false) return kept"]
  ),
  ...of(
    "src/adapters/provider/company/reports.ts",
    ["test/adapters/provider/bridge/payins.test.ts"],
    [
      "a pay-in that failed after all is not told",
      ' && (reported.event.stage === event.stage || event.stage !== "failed"))',
      ")"
    ]
  ),
  ...of(
    "src/adapters/verification/sumsub/mapping.ts",
    ["test/adapters/verification/sumsub/mapping.test.ts"],
    [
      "another date of birth is the customer's",
      'if (born.replace(/^(\\d{4})-(\\d{2})-(\\d{2})$/, "$2/$3/$1") !== date_of_birth)',
      'if (born === "")'
    ],
    [
      "a person who was born on no day is the customer",
      "if (born === null) return",
      "if (born === date_of_birth) return"
    ]
  ),
  ...of(
    "src/adapters/verification/sumsub/verification.ts",
    ["test/adapters/verification/sumsub/verification.test.ts", "test/adapters/verification/sumsub/events.test.ts"],
    [
      "a customer is kept after a verdict",
      "const data = { ...before, customer: null, ...approval }",
      "const data = { ...before, ...approval }"
    ],
    ["a customer is kept after a month", "{ ...session, customer: null }", "session"],
    [
      "days on which nobody started are left out",
      "const before = (yield* books.read<{ readonly to: number }>(forgottenKey))?.to ?? today",
      "const before = today - dayMs"
    ]
  )
]
