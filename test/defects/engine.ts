/** Defects of the engine that no simulation shows: gauges, reports, breakers, spans. */
import { of, type TestedDefect } from "./defect.ts"

export const engine: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/machines/deposits/deposit.ts",
    ["test/scenarios/movements/free-texts.test.ts"],
    [
      "an operator's words say that a refund failed",
      "{ rejection_reason: event.reason }",
      "{ failure_reason: event.reason }"
    ]
  ),
  ...of(
    "src/machines/kernel/payout.ts",
    ["test/scenarios/movements/free-texts.test.ts"],
    [
      "a provider's word says that a refund failed",
      `known = new Set(["failed",`,
      `known = new Set(["refund_failed", "failed",`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/auto-conversion.ts",
    ["test/scenarios/deposits/waiting-fees.test.ts"],
    ["a deposit that waits for a rate has the fee of then", "amount, at, detected?.scheduled)", "amount, at)"],
    ["a deposit without a schedule has the next one", "scheduled: yield* terms.scheduled(request, at) }", "}"]
  ),
  ...of(
    "src/engine/input/addresses.ts",
    ["test/engine/input/addresses.test.ts"],
    ["the characters of a memo are counted", "utf8ToBytes(memo).length", "memo.length"],
    ["an EVM network takes a memo", "if (evmNetworks.has(network)) return `is", "if (1 > 2) return `is"],
    ["an address in capital letters needs a checksum", "|| hex === hex.toUpperCase()", ""]
  ),
  ...of(
    "src/engine/resources/parties/beneficiary-details.ts",
    ["test/scenarios/parties/beneficiary.test.ts"],
    [
      "a memo that cannot be sent is taken",
      "if (wrong !== undefined) return yield* invalid(",
      "if (1 > 2) return yield* invalid("
    ]
  ),
  ...of(
    "src/engine/work/providers/event-reader.ts",
    ["test/scenarios/work/event-reading.test.ts"],
    [
      "a reading of a part counts as one of all",
      `answer === "read" || isMore ? fault : answer`,
      `answer === "read" || isMore ? undefined : answer`
    ],
    ["the last page says alone what cannot be read", "fault ??= page", "fault = page"]
  ),
  ...of(
    "src/engine/work/providers/refunds.ts",
    ["test/scenarios/deposits/refunds.test.ts"],
    ["a refund that is refused for now has failed", `outcome === "temporarily_unavailable" ? "unavailable" :`, ""],
    ["a refusal for now confirms a rejection", `? "unavailable" : "failed"`, `? "absent" : "failed"`],
    ["a refund is refused for ever", `(isOver && assessResult(answer) === "unavailable")`, `false`],
    [
      "a refund whose outcome is unknown has failed after a day",
      `isOver ? mayBeSubmitted.has(assessResult(confirmed)) :`,
      `isOver ||`
    ]
  ),
  ...of(
    "src/engine/calls/CurrentTerms.ts",
    ["test/engine/calls/current-terms.test.ts"],
    ["of two schedules of one date the later id decides", "b.created_at - a.created_at ||", ""],
    ["of two schedules of one date the older decides", "b.created_at - a.created_at", "a.created_at - b.created_at"],
    ["of two schedules of one moment any decides", "(b.id < a.id ? -1 : 1)", "0"]
  ),
  ...of(
    "src/engine/calls/CurrentTerms.ts",
    ["test/scenarios/movements/fee-schedules.test.ts"],
    ["a schedule decides before its date", "d.valid_from <= at &&", "true &&"],
    ["a schedule begins after its date", "d.valid_from <= at &&", "d.valid_from < at - 1 &&"],
    ["a merchant counts less than a pair", "merchant_id === null ? 0 : 4", "merchant_id === null ? 0 : 1"],
    ["a source counts as a destination does", "source_currency === null ? 0 : 2", "source_currency === null ? 0 : 1"],
    [
      "of equals the oldest date decides",
      "b.data.valid_from - a.data.valid_from",
      "a.data.valid_from - b.data.valid_from"
    ],
    ["a tier begins above its border", ">= BigInt(whole + decimals)", "> BigInt(whole + decimals)"],
    ["the first tier decides", "tiers.findLastIndex(", "tiers.findIndex("],
    ["what is under way is no volume", `["succeeded", "open"]`, `["succeeded"]`],
    ["an onramp is volume before it is paid", `operation === "onramp" ? ["succeeded"] :`, "false as boolean ? [] :"],
    ["the volume is that of every month", `DateTime.toEpochMillis(month) / HOUR`, "0"]
  ),
  ...of(
    "src/machines/kernel/pricing.ts",
    ["test/property/pricing.test.ts"],
    ["a fee passes its maximum", "maximum !== null && rounded > maximum ?", "maximum !== null && rounded < 0n ?"],
    ["a fee is below its minimum", "(atMost < minimum ? minimum : atMost)", "atMost"],
    ["a target pays the maximum in vain", "maximum === null || linear < left + maximum ?", "linear !== null ?"],
    ["a target does not pay the minimum", "most < left + minimum ? left + minimum : most", "most"]
  ),
  ...of(
    "src/machines/kernel/exchange.ts",
    ["test/scenarios/movements/fee-schedules.test.ts"],
    [
      "the network fee is no revenue",
      "[applyShortage(x, missing).fee, x.destination_currency]",
      "[0n, x.destination_currency]"
    ]
  ),
  ...of(
    "src/machines/kernel/rate-band.ts",
    ["test/kernel/rate-band.test.ts"],
    ["a move within a minute is taken", "if (!isWithin(per_usd, minute.per_usd, widths.minute))", "if (false)"],
    ["a move within a day is taken", "if (!isWithin(per_usd, day.per_usd, widths.day))", "if (false)"],
    [
      "a rate that falls is taken",
      "(a > b ? a : b) * ONE <= (a > b ? b : a) * (ONE + parseUnits(width))",
      "a * ONE <= b * (ONE + parseUnits(width))"
    ],
    [
      "a rate that rises is taken",
      "(a > b ? a : b) * ONE <= (a > b ? b : a) * (ONE + parseUnits(width))",
      "b * ONE <= a * (ONE + parseUnits(width))"
    ],
    ["the minute never begins anew", "now - last.minute.at >= MINUTE_MS ? before : last.minute", "last.minute"],
    ["the day never begins anew", "now - last.day.at >= DAY_MS ? before : last.day", "last.day"]
  ),
  ...of(
    "src/engine/calls/RateBand.ts",
    ["test/scenarios/movements/rate-band.test.ts", "test/scenarios/deposits/received.test.ts"],
    ["a pair that is far from its cross rate is quoted", "if (!isNearCross(value, given, taken, cross))", "if (false)"],
    ["a held rate is used", "if (reason !== null) return yield* holdRate(self, currency, reason)", ""],
    ["the gauge of a held rate does not rise", "findHeldGauge(name).record(1)", ""],
    ["the gauge of a held rate does not fall", "  findHeldGauge(name).record(0)\n", ""],
    [
      "a second source that does not answer holds the rate",
      "return other === null || isWithin",
      "return other !== null && isWithin"
    ],
    [
      "a held rate is not asked for again",
      "Effect.forEach([...held], (name) => Effect.ignore(readHeldRate(self, name)))",
      "Effect.void"
    ]
  ),
  ...of(
    "src/machines/deposits/exception.ts",
    [
      "test/scenarios/deposits/returned-parts.test.ts",
      "test/scenarios/deposits/refunded-parts.test.ts",
      "test/scenarios/deposits/parts.test.ts"
    ],
    [
      "a part of a return is counted for each report that states it",
      `return !parts.some(({ id }) => rest.parts.some((known) => known.id === id))`,
      "return true"
    ],
    [
      "a part that comes after a decision is booked where the money no longer is",
      `bookParts("losses"), "returnedLater"`,
      `bookParts("losses", "payer"), "returnedLater"`
    ],
    [
      "a loss keeps its exposure when parts come",
      `BigInt(exposure?.amount ?? "0") - brought`,
      `BigInt(exposure?.amount ?? "0")`
    ],
    [
      "the last part of a loss is not booked",
      `bookParts("payer", "losses"), "returned", "whole"`,
      `bookParts("payer"), "returned", "whole"`
    ],
    [
      "a part that goes to the payer stays in suspense",
      `bookParts("payer", "losses", "suspense")`,
      `bookParts("losses", "suspense")`
    ]
  ),
  ...of(
    "src/machines/deposits/exception.ts",
    ["test/scenarios/deposits/parts.test.ts"],
    [
      "what came under a refund that was rejected stays in suspense",
      `actions: ["unresolved", bookMeanwhile, "returnedMeanwhile", "isBack"]`,
      `actions: ["unresolved", "returnedMeanwhile", "isBack"]`
    ],
    [
      "an exception that parts made whole stays open",
      `{ guard: "wholeMeanwhile", target: "resolved"`,
      `{ guard: "wholeMeanwhile", target: "open"`
    ],
    [
      "more than is missing is booked",
      "const pickSmaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)",
      "const pickSmaller = (_: bigint, b: bigint): bigint => b"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/returned-parts.ts",
    ["test/scenarios/deposits/returned-parts.test.ts", "test/scenarios/deposits/refunded-parts.test.ts"],
    [
      "a part that was told without an id is counted again under its id",
      `const first = isSplit ? others : named && [named]`,
      `const first = isSplit ? others : undefined`
    ],
    [
      "the amount of a known part may change",
      `(amountOf(part) ?? part.amount) !== part.amount`,
      `amountOf(part) === ""`
    ],
    [
      "parts of more than was sent expose nothing",
      `    over === 0n\n      ? undefined`,
      `    over >= 0n\n      ? undefined`
    ],
    ["a part after the last one is booked", `brought > 0n && known.complete`, `brought < 0n`],
    [
      "an amount that is not the sum of the parts is taken",
      `isForeign || hasWrongSum(report) ? undefined`,
      `isForeign ? undefined`
    ],
    [
      "money of a part is held by nothing, because another exception held money before",
      `...(rest?.way !== "suspense" ? exposed(due + over) :`,
      `...(rest !== undefined ? exposed(due + over) :`
    ],
    [
      "a second return exposes the difference, where it may be a part",
      `stated > difference ? stated : difference`,
      "difference"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/returned-parts.ts",
    ["test/scenarios/deposits/told-otherwise.test.ts"],
    [
      "a return with what the provider had charged is another amount",
      "paid !== undefined && amount >= whole",
      "paid === undefined && amount >= whole"
    ],
    [
      "a report without parts is new after parts",
      'parts.every(({ id }) => id !== "")',
      'parts.every(({ id }) => id === "")'
    ]
  ),
  ...of(
    "src/engine/resources/deposits/payin-exception.ts",
    ["test/scenarios/deposits/recalled-again.test.ts"],
    [
      "a second recall of a pay-in is dropped",
      `if (before !== undefined && before.data.confirmed_again !== true) return`,
      `if (before !== undefined) return`
    ],
    [
      "what was confirmed again after its recall is dropped",
      `if (recall === undefined) return undefined`,
      `return undefined`
    ],
    [
      "what an entry has booked of a pay-in is nobody's matter",
      `data.given_up === "adjusted"`,
      `data.given_up === null`
    ]
  ),
  ...of(
    "src/engine/calls/executor.ts",
    ["test/http/requests/idempotency.test.ts"],
    [
      "a stored secret is given to a role below the one that it needs",
      `if (forbidden !== undefined) return forbidden`,
      `void forbidden`
    ]
  ),
  ...of(
    "src/engine/resources/movements/conversion.ts",
    ["test/scenarios/deposits/recalled-again.test.ts"],
    [
      "money that was to be converted is of no pay-in",
      `payin_id: converts?.payin_id ?? null,
      wallet_id: c.source_wallet`,
      `payin_id: null,
      wallet_id: c.source_wallet`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exception.ts",
    ["test/scenarios/deposits/recalled-again.test.ts"],
    [
      "exceptions of an earlier release keep nothing of their pay-in",
      "const keys = [payinIndexKey(payin), `resource_id=${root.id}`]",
      "const keys = [payinIndexKey(payin)]"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exception.ts",
    ["test/scenarios/deposits/overtaken.test.ts"],
    [
      "a recall does not see money that comes to suspense meanwhile",
      `return row === undefined ? changes : [requireVersion(row, row), ...changes]`,
      `return changes`
    ]
  ),
  ...of(
    "src/machines/deposits/deposit.ts",
    ["test/scenarios/deposits/overtaken.test.ts"],
    [
      "a deposit that is converted does not know of its recall",
      `received: { tags: [endedTag], on: recalls }`,
      `received: { type: "final" }`
    ]
  ),
  ...of(
    "src/machines/deposits/exception.ts",
    ["test/scenarios/deposits/recalled-again.test.ts"],
    [
      "money that came again is in no account",
      `actions: [refill, bookMeanwhile, "returnedMeanwhile",`,
      `actions: [bookMeanwhile, "returnedMeanwhile",`
    ],
    [
      "money that a recall had booked comes again without a booking",
      `actions: [refill, "cameAgain", "confirmedAgain"]`,
      `actions: ["cameAgain", "confirmedAgain"]`
    ],
    ["what a second recall frees is booked nowhere", `actions: ["openedAgain", bookFreed,`, `actions: ["openedAgain",`],
    [
      "what was dismissed before its recall comes again",
      `return hasFailed && findMoney(e) !== null`,
      `return findMoney(e) !== null`
    ],
    ["money of a pay-in that is confirmed again stays recalled", `{ recalled: false }`, `{}`]
  ),
  ...of(
    "src/machines/deposits/exception.ts",
    ["test/scenarios/deposits/recalled-money.test.ts", "test/property/suspense.test.ts"],
    [
      "money that was paid out is in suspense again once a write-off is reversed",
      `actions: ["unresolved", "refilled"]`,
      `actions: ["unresolved", "cameAgain"]`
    ]
  ),
  ...of(
    "src/machines/movements/onramp.ts",
    ["test/scenarios/movements/two-words.test.ts"],
    [
      "what a converter returns is booked as repaid to the payer",
      `{ guard: "paidDirectly", ...sentBack },\n    //`,
      `sentBack,\n    //`
    ],
    [
      "what a converter keeps of a return is nobody's loss",
      `actions: [because("returned"), "cameBack", handBack, lost]`,
      `actions: [because("returned"), "cameBack", handBack]`
    ],
    [
      "a converter returns what it was never given",
      `returned: { guard: "paidDirectly", ...sentBack },\n`,
      `returned: sentBack,\n`
    ],
    [
      "a converter keeps what it was never given",
      `refundFailed: { guard: "paidDirectly", ...refundFailed }`,
      `refundFailed`
    ],
    [
      "what is said of the payout ends the refund",
      `"refund.rejected": refundFailed\n`,
      `"refund.rejected": refundFailed,\n        "provider.refund_failed": refundFailed\n`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/contradictions.ts",
    ["test/scenarios/movements/two-words.test.ts"],
    [
      "nothing is at risk where a bank has repaid what another provider has",
      `isGivenBack(onramp) : onramp.data.funded_amount !== null`,
      `isGivenBack(onramp) : false`
    ],
    [
      "nothing is at risk where a converter keeps what is being refunded",
      `isCustomers || (isApart && row.state === "refunding")`,
      `isCustomers`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/discrepancies.ts",
    ["test/scenarios/movements/two-words.test.ts"],
    [
      "the loss of a converter's return is its bank's",
      `reason === "partial_return" && suspended === true`,
      `reason === "partial_return"`
    ]
  ),
  ...of(
    "src/engine/representations/movements/onramp.ts",
    ["test/scenarios/movements/onramp-refunds.test.ts"],
    [
      "a recall that comes later changes what is said of a refunded onramp",
      `(machine === "1" && isRecalled(data))`,
      `isRecalled(data)`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/deposits.ts",
    ["test/scenarios/parties/held-reads.test.ts"],
    ["each commit of a release reads all held deposits", `const page = 2 * batch`, `const page = 1000 * batch`]
  ),
  ...of(
    "src/engine/resources/deposits/exception-credit.ts",
    ["test/scenarios/deposits/counted-once.test.ts"],
    [
      "a pay-in that was not converted counts twice towards a tier",
      `e.payin_id !== null && !(yield*`,
      `e.payin_id !== null || !(yield*`
    ],
    [
      "what bounced of a pay-in counts twice towards a tier",
      `while (origin?.kind === "exception")`,
      `while (origin?.kind === "nothing")`
    ]
  ),
  ...of(
    "src/machines/movements/onramp.ts",
    ["test/scenarios/deposits/recalled-again.test.ts"],
    [
      "an onramp whose money is in suspense says that it was refunded",
      `actions: ["withdrawn", handBack, suspend] }`,
      "actions: [handBack, suspend] }"
    ]
  ),
  ...of(
    "src/machines/movements/onramp.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "what the provider had charged is exposed when too much comes back at once",
      `BigInt(context.funded_amount ?? "0")\n      return { discrepancy: found === null`,
      `BigInt(found.expected)\n      return { discrepancy: found === null`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/contradictions.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "a return that counted is at risk again when it is told again",
      "if (isReturn && last !== undefined &&",
      "if (1 > 2 && last !== undefined &&"
    ],
    [
      "a word without a figure repeats any amount",
      "toCanonicalFigures(a, whole) === toCanonicalFigures(b, whole)",
      "(a.amount === null || b.amount === null || toCanonicalFigures(a, whole) === toCanonicalFigures(b, whole))"
    ],
    [
      "a word that is told again is at risk again",
      `if (first !== undefined)\n      return`,
      `if (first === null)\n      return`
    ],
    [
      "another transaction alone is another payment",
      `].every(([one, other]) => one !== null`,
      `].some(([one, other]) => one !== null`
    ],
    [
      "a second payment is a repeat of the first",
      `event.outcome !== "success" || !isAnotherPayment`,
      `event.outcome !== null || !isAnotherPayment`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/contradictions.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "a success after a return is a repeat",
      `const sent = event.outcome === "success" && wasPaid ?`,
      `const sent = event.outcome === null && wasPaid ?`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/refund-reports.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "a success after a bounced refund is dropped",
      `return isKnown ? nothing : only({`,
      `return !event.parts ? nothing : only({`
    ],
    [
      "a second refund is a repeat of the first",
      `if (another !== undefined) return only(`,
      `if (another === null) return only(`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/returned-parts.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "the whole without a figure says nothing",
      `(amount ?? null) === null ? sent.amount :`,
      `(amount ?? null) === null ? total.toString() :`
    ],
    [
      "what is above is exposed again with each part",
      `const over = excess(total + brought) - excess(total)`,
      `const over = excess(total + brought)`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/discrepancies.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "a whole success without a figure repeats a short one",
      `const amount = figures.amount ?? toMinorOrNull(due)`,
      `const amount = figures.amount ?? null`
    ]
  ),
  ...of(
    "src/engine/work/providers/provider-events.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "what is missing of a reversal is at risk again when it is told again",
      `const exposure = details.exposure ?? null`,
      `const exposure = data.exposure`
    ]
  ),
  ...of(
    "src/engine/reports/timeline/explanation.ts",
    ["test/scenarios/work/explanations.test.ts"],
    [
      "a refund that failed is paid again after a success",
      `!isUnapplied || (one.severity === "high" &&`,
      `!isUnapplied || (one.severity === "low" &&`
    ],
    ["a success is said after what puts more at risk", `Number(isSuccess(b)) - Number(isSuccess(a)) ||`, ``],
    ["what puts least at risk is said first", `less < more ? 1 : -1`, `less < more ? -1 : 1`]
  ),
  ...of(
    "src/engine/resources/deposits/exception.ts",
    ["test/scenarios/deposits/told-otherwise.test.ts"],
    ["a recall stays high when the refund failed", `if (after === before) return []`, `if (after >= before) return []`],
    [
      "a recall stays low when its money is paid out later",
      `if (after === before) return []`,
      `if (after <= before) return []`
    ],
    [
      "a recall stays high when the refund of a deposit failed",
      `const exposures = recall === undefined ? []`,
      `const exposures = recall !== null ? []`
    ]
  ),
  ...of(
    "src/machines/deposits/exception.ts",
    ["test/scenarios/deposits/recalls.test.ts"],
    ["an adjusting entry pays somebody", `new Set(["dismiss", "adjust"])`, `new Set(["dismiss"])`]
  ),
  ...of(
    "src/machines/deposits/exception.ts",
    ["test/scenarios/deposits/recalled-money.test.ts"],
    [
      "a recall ends with the refund of its own money, and pages nobody",
      `{ guard: "recall", target: "open", actions: [letGo, "paid"] },
          { target: "resolved", actions: letGo }
        ],
        reopened: reversedMeanwhile,
        "refund.rejected"`,
      `{ target: "resolved", actions: letGo }
        ],
        reopened: reversedMeanwhile,
        "refund.rejected"`
    ],
    [
      "a recall exposes what came back of its refund",
      `...changeExposure(context, -BigInt(missing)), ...clearCounts(context)`,
      `...changeExposure(context, 0n * BigInt(missing)), ...clearCounts(context)`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exception.ts",
    ["test/scenarios/deposits/recalled-money.test.ts"],
    [
      "what a recall has paid out is given back to its limit",
      `const isGiven = isUndone(before, after) &&`,
      `const isGiven =`
    ]
  ),
  ...of(
    "src/engine/work/providers/refunds.ts",
    ["test/scenarios/deposits/ended-refunds.test.ts"],
    [
      "a refund that has ended is submitted again after a look-up",
      `if (!(yield* begun(log))) return undefined`,
      `yield* begun(log)`
    ],
    [
      "the intent of a refund is committed over what has become of it since",
      `return { changes: [requireVersion(now, now), { jobs: [again] }], result: !isToo }`,
      `return { changes: [{ jobs: [again] }], result: !isToo }`
    ],
    [
      "the answer about an earlier refund ends the later one",
      `accepts: (now) => isUnderWay(now, job),`,
      `accepts: (now) => now.state === refundingState,`
    ]
  ),
  ...of(
    "src/engine/work/providers/refunds.ts",
    ["test/scenarios/deposits/recalls.test.ts"],
    [
      "a refund is made although its pay-in was recalled before",
      `if (yield* overtaken) return`,
      `if ((yield* overtaken) && job.attempt < 0) return`
    ]
  ),
  ...of(
    "src/engine/work/providers/Inbox.ts",
    ["test/scenarios/movements/told-in-answers.test.ts"],
    [
      "a word in an answer is lost with the lease of its job",
      `if (first.result !== "duplicate" || lease === undefined) return first`,
      `if (first.result !== "applied" || lease === undefined) return first`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/returned-parts.ts",
    ["test/scenarios/deposits/returned-parts.test.ts"],
    ["how a return was divided is forgotten", "...(rest?.first ?? initial)", "...initial"],
    [
      "a part that is divided later is counted again",
      `whole !== undefined &&\n    named`,
      `unnamed !== undefined &&\n    named`
    ],
    ["one other part divides the first", "others.length > 1 &&", "others.length > 0 &&"],
    [
      "a part that was divided is new when an earlier report comes late",
      "former?.id === id ? former",
      "former?.id === id ? undefined"
    ],
    [
      "what the provider had charged cannot come back",
      `exception.data.rest?.way === "payer"`,
      `exception.data.rest?.way === "losses"`
    ],
    [
      "what the provider had charged cannot come back where nothing else was missing",
      `exception === undefined || exception.data.rest?.way`,
      `exception !== undefined && exception.data.rest?.way`
    ],
    [
      "what the provider had charged is exposed as if it had been missing",
      "const due = brought < missing ? brought : missing",
      "const due = brought"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/refund-reports.ts",
    ["test/scenarios/deposits/refunded-parts.test.ts"],
    [
      "a part that comes after its refund has bounced is booked",
      `return isKnown ? nothing :`,
      `if (isKnown) return nothing
  if (hasBounced && !event.parts) return`
    ]
  ),
  ...of(
    "src/engine/work/providers/provider-events.ts",
    ["test/scenarios/deposits/returned-parts.test.ts", "test/scenarios/deposits/refunded-parts.test.ts"],
    [
      "a refund under the id of another event exposes nothing",
      `if (event._tag !== "movement" && event._tag !== "refund") return`,
      `if (event._tag !== "movement") return`
    ],
    [
      "what an event under a used id would have booked is not urgent",
      `...assessSeverity({ ...about }, changes.length > 0)`,
      "...assessSeverity({ ...about })"
    ]
  ),
  ...of(
    "src/engine/resources/parties/verification-outcome.ts",
    ["test/scenarios/parties/verification.test.ts"],
    ["kyc.rejected has the customer of before", "customerSummary(after?.row ?? customer)", "customerSummary(customer)"]
  ),
  ...of(
    "src/engine/resources/parties/verification-outcome.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    [
      "an approval counts for whoever the customer is by then",
      "if (changes !== undefined && isOfAnotherCustomer(trigger, row, customer))",
      "if (1 > 2)"
    ],
    [
      "nobody asks again for a session that went on while its page was made",
      "if (row.version !== version) return { changes: [makeDueLookup(row, at)], result: undefined }",
      "if (row.version !== version) return { changes: [], result: undefined }"
    ]
  ),
  ...of(
    "src/engine/resources/parties/verification-outcome.ts",
    ["test/scenarios/parties/verifiers.test.ts"],
    [
      "another business than the one of the form is approved",
      'decision === "approve" && isOfAnotherBusiness',
      'decision !== "approve" && isOfAnotherBusiness'
    ]
  ),
  ...of(
    "src/engine/resources/parties/verified-identity.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    [
      "a callback counts for any customer that the provider was told of",
      "(first === latest ? latest : undefined)",
      "latest"
    ]
  ),
  ...of(
    "src/engine/resources/parties/customer.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    [
      "the provider is not told of a customer that changes",
      "session === undefined || !isAtProvider(session)",
      "session !== undefined"
    ],
    [
      "another document is the same customer",
      `const verifiedMembers = ["date_of_birth", "id_number", "id_type"]`,
      `const verifiedMembers = ["date_of_birth"]`
    ]
  ),
  ...of(
    "src/engine/work/providers/verifications.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    ["a look-up is about whoever the customer is after it", "report, asked: version }", "report }"]
  ),
  ...of(
    "src/engine/resources/parties/verification.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    [
      "one command is two requests",
      "version === 0 ? `start_${starts}` : `start_${starts}_${version}`",
      "`start_${starts}`"
    ]
  ),
  ...of(
    "src/engine/ports/Routing.ts",
    ["test/scenarios/movements/two-providers.test.ts"],
    [
      "an onramp goes to who gives no instructions",
      'request.operation === "payin" && provider',
      'request.operation === "issue" && provider'
    ]
  ),
  ...of(
    "src/engine/resources/parties/tiers.ts",
    ["test/http/verification-page/page.test.ts"],
    ["the page leaves out the cents of a limit", "return cents === 0n ? dollars", "return cents >= 0n ? dollars"]
  ),
  ...of(
    "src/engine/calls/limit-windows.ts",
    ["test/http/verification-page/page.test.ts"],
    ["the page says a day of a calendar for 24 hours", "ms % unit === 0 && ms > unit", "ms % unit === 0"]
  ),
  ...of(
    "src/http/verify/routes.ts",
    ["test/http/verification-page/page.test.ts"],
    ["a request for the head of a page opens its link", `method === "HEAD" ?`, `method === "OPTIONS" ?`]
  ),
  ...of(
    "src/engine/work/providers/provider-events.ts",
    ["test/scenarios/movements/event-ids.test.ts"],
    [
      "an event under a used id is about no resource",
      `return { row, ...assessSeverity({ ...returned, ...about }, changes.length > 0) }`,
      `return { ...assessSeverity({ ...returned, ...about }, changes.length > 0) }`
    ],
    ["zeros at the end of an amount make an event another one", `value.replace(/\\.?0+$/, "")`, "value"],
    [
      "false is another word than nothing",
      `if (value === null || value === false) return`,
      `if (value === null) return`
    ]
  ),
  ...of(
    "src/engine/resources/deposits/payin-exception.ts",
    ["test/scenarios/deposits/restated.test.ts"],
    [
      "a pay-in of another amount exposes all of it",
      `{ ...paid, amount: (difference < 0n ? -difference : difference).toString() }`,
      "paid"
    ],
    ["a smaller amount than was credited is no number", `difference < 0n ? -difference : difference`, "difference"]
  ),
  ...of(
    "src/engine/work/upkeep/Gauges.ts",
    ["test/engine/work/gauges.test.ts", "test/scenarios/work/gauges.test.ts", "test/http/document/metrics.test.ts"],
    ["a delivery under retry is not undelivered", "Math.max(age(due_since), age(retried_since))", "age(due_since)"],
    [
      "a delivery that was never attempted is not undelivered",
      "Math.max(age(due_since), age(retried_since))",
      "age(retried_since)"
    ],
    [
      "an exception that is resolved stays on its gauge",
      `open === 0 ? 0 : yield* countExceptions(self, "status=open", \`reason=\${reason}\`)`,
      `yield* countExceptions(self, \`reason=\${reason}\`)`
    ],
    ["a balance that is gone stays", `for (const series of last) if (!values.has(series)) series.record(0)\n`, ""],
    ["a state that waits is not counted", `rerouted: "waiting",`, ""],
    ["a held movement counts as unknown", `held: "held",`, `held: "unknown",`],
    [
      "the brakes of merchants are not counted",
      `["all", "provider", "merchant", "corridor"] as const`,
      `["all", "provider", "corridor"] as const`
    ]
  ),
  ...of(
    "src/engine/reports/providers.ts",
    ["test/engine/reports/providers.test.ts"],
    [
      "a brake on everything pauses no provider",
      `brake.scope === "all" || brake.provider === name`,
      "brake.provider === name"
    ],
    [
      "a brake on the provider does not pause it",
      `brake.scope === "all" || brake.provider === name`,
      `brake.scope === "all"`
    ],
    [
      "callbacks are told of as reading",
      "readable: events?.after !== undefined",
      "readable: events?.decode !== undefined"
    ]
  ),
  ...of(
    "src/engine/reports/search.ts",
    [
      "test/scenarios/reports/search.test.ts",
      "test/engine/commit/search-terms.test.ts",
      "test/http/requests/search.test.ts"
    ],
    ["the merchant is not regarded", "&& (merchant_id === undefined || row.merchant_id === merchant_id)", ""],
    ["a hash is not found", `"provider_reference", "transaction_hash", "account"`, `"provider_reference", "account"`],
    ["grouped digits are not an amount", `whole.replaceAll(",", "") + fraction`, "whole + fraction"]
  ),
  ...of(
    "src/engine/reports/statistics.ts",
    ["test/scenarios/reports/statistics.test.ts", "test/adapters/storage/postgres-measures.test.ts"],
    ["the volume of failures is counted", `if (tags.outcome === "succeeded") {`, `if (tags.outcome !== "open") {`],
    [
      "an open movement has failed",
      `else if (tags.outcome === "failed") sum.failed`,
      `else if (tags.outcome !== "succeeded") sum.failed`
    ]
  ),
  ...of(
    "src/engine/reports/operator-lists.ts",
    ["test/scenarios/reports/operator-lists.test.ts"],
    [
      "a customer of another merchant is listed",
      "merchant_id === undefined || merchant_id === owned?.merchant_id",
      "true"
    ],
    ["the currency of accounts is not regarded", "...(currency === undefined ? {} : { currency }),", ""]
  ),
  ...of(
    "src/engine/commit/observed-storage.ts",
    ["test/http/observability/traces.test.ts"],
    [
      "a commit's span names no movement",
      `"corridor.movement_id": unwrapSingle(rows.filter(isMovement).map(({ id }) => id)),`,
      ""
    ],
    [
      "a commit's span counts rows as jobs",
      `"corridor.commit.jobs": jobs.length`,
      `"corridor.commit.jobs": rows.length`
    ]
  ),
  ...of(
    "src/machines/kernel/recall.ts",
    ["test/scenarios/deposits/recalled-again.test.ts"],
    [
      "a recall that is over is one",
      "recalled ?? recalled_by !== undefined",
      "recalled === true || recalled_by !== undefined"
    ]
  ),
  ...of(
    "src/engine/resources/parties/verification-outcome.ts",
    ["test/scenarios/parties/verified-identity.test.ts"],
    [
      "a page replaces the one that was asked for meanwhile",
      "if (row.version !== version) return",
      "if (row.version < version) return"
    ]
  ),
  ...of(
    "src/engine/calls/acts.ts",
    ["test/http/requests/told-ids.test.ts"],
    ["what waits is made under another id", "...(ids.length === 0 ? {} : { ids }),", ""],
    ["what is asked for again is told under another id", "tellKnownIds(result, ids, known.data.act?.ids)", "result"]
  ),
  ...of(
    "src/engine/calls/Routes.ts",
    ["test/scenarios/movements/routing.test.ts"],
    ["who cannot pay the recipient is asked to", 'return answer !== "no"', "return true"],
    [
      "who does not know whether it can pay the recipient is not asked to",
      'return answer !== "no"',
      'return answer === "yes"'
    ],
    ["each row of a batch asks again about its recipient", "known?.set(key, answer)", "known?.delete(key)"],
    ["one recipient of a batch stands for all", "JSON.stringify([name, recipient])", "name"]
  ),
  ...of(
    "src/engine/resources/wallets/wallet-credential.ts",
    ["test/scenarios/wallets/wallet-credential.test.ts"],
    ["an account is issued whose money nobody converts", "if (destination_currency !== currency.code)", "if (1 > 2)"]
  ),
  ...of(
    "src/engine/calls/provider-call.ts",
    ["test/engine/calls/provider-call.test.ts"],
    [
      "a payout waits as long for what it can do without",
      "limitTime(query, whom, brieflyMs)",
      "limitTime(query, whom, timeoutMs)"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/auto-conversion.ts",
    ["test/scenarios/deposits/related.test.ts"],
    [
      "the event of a deposit does not show its conversion",
      "related.length === 0 ? events",
      "related.length >= 0 ? events"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exception-credit.ts",
    ["test/scenarios/deposits/related.test.ts"],
    [
      "the event of credited money does not show its family",
      "root_id === null ? [] : yield* list",
      "root_id !== undefined ? [] : yield* list"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/deposits.ts",
    ["test/scenarios/deposits/related.test.ts"],
    [
      "the answer to a release does not show the conversion",
      "depositBody(next.row, next.related)",
      "depositBody(next.row)"
    ]
  ),
  ...of(
    "src/engine/resources/parties/verification.ts",
    ["test/scenarios/parties/verification-starts.test.ts"],
    [
      "a start with another content has the id of before",
      "`${toStartName(starts, identityVersionOf(customer))}_${hash}`",
      "toStartName(starts, identityVersionOf(customer))"
    ],
    ["a start without an answer has told of nobody", "session.isNew ? latest : 0", "latest"],
    ["a look-up forgets under which id it was begun", "data.command_id ?? jobId", "jobId"]
  ),
  ...of(
    "src/engine/work/providers/verifications.ts",
    ["test/scenarios/parties/verification-starts.test.ts"],
    ["a look-up is about a start that never was", "starts }), id: startIdOf(row) }", "starts }) }"]
  ),
  ...of(
    "src/engine/resources/movements/onramp.ts",
    ["test/scenarios/movements/onramp.test.ts"],
    ["one id asks for accounts until several times", "`instruction_${rate_locked_until}`", '"instruction_1"']
  ),
  ...of(
    "src/engine/ports/tracing.ts",
    [
      "test/http/observability/traces.test.ts",
      "test/http/observability/log.test.ts",
      "test/embedded/telemetry.test.ts",
      "test/http/observability/sampling.test.ts"
    ],
    ["a traceparent of version 00 with more parts is read", `|| (version === "00" && more !== undefined)`, ""]
  ),
  ...of(
    "src/engine/resources/deposits/deposit.ts",
    ["test/scenarios/deposits/received.test.ts"],
    ["what waits is no longer received", `(state === "detected" || state === "waiting")`, `state === "detected"`]
  ),
  ...of(
    "src/engine/reports/wallet-statement.ts",
    ["test/scenarios/wallets/wallet-statement.test.ts"],
    ["a statement has no bound", "postings.length > linesMax", "false"]
  ),
  ...of(
    "src/engine/representations/wallets/wallet-statement.ts",
    ["test/scenarios/wallets/wallet-statement.test.ts"],
    ["a balance is dated after now", "(at < now ? at : now)", "at"],
    [
      "a file is written in one step",
      "    parts.push(writeCsvRows(rows))\n    yield\n",
      "    parts.push(writeCsvRows(rows))\n"
    ]
  ),
  ...of(
    "src/engine/reports/statistics.ts",
    ["test/scenarios/reports/statistics.test.ts"],
    ["a bar in a reason is lost", `tag.replaceAll(BAR, "|")`, "tag"]
  ),
  ...of(
    "src/engine/representations/webhooks/endpoint-health.ts",
    ["test/scenarios/webhooks/failed.test.ts"],
    ["what was not sent counts as attempted", "deliveryBody({ ...job, log: listAttempts(job) })", "deliveryBody(job)"]
  ),
  ...of(
    "src/engine/resources/deposits/payin-record.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "the remainder of money that was applied is forgotten",
      "rest: yield* restOf(payin, late) }",
      "rest: yield* restOf(payin, undefined) }"
    ],
    [
      "what was held and failed has no amount",
      "const confirmed = amount ?? failed_amount",
      "const confirmed = amount ?? undefined"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/payin-exception.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    [
      "a contradiction that is told again is at risk again",
      "Equal.equals((first.data as ExceptionData).exposure, exposure)",
      "false"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/payin.ts",
    ["test/scenarios/deposits/told-again.test.ts"],
    ["dust after a failure is a contradiction", "return booked === null && rest !== null", "return false"]
  )
]
