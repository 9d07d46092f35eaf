/** Defects of adapters that no simulation uses: webhooks, rates, keys, databases. */
import { of, type TestedDefect } from "./defect.ts"

const replacedTests = ["test/adapters/provider/evm-replaced.test.ts"]

const replacedPayoutsTests = ["test/adapters/provider/evm-replaced-payouts.test.ts"]

const feedTests = ["test/adapters/provider/evm-forks.test.ts", "test/simulation/evm-feed.test.ts"]

export const adapters: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/adapters/provider/evm/quorum.ts",
    ["test/cli/adapters.test.ts"],
    ["a node's answer is shown in full", "safe.slice(0, reasonMax)", "safe"],
    ["a node's answer shows the credential", `left.replaceAll(secret, "…"), line)`, "left, line)"]
  ),
  ...of(
    "src/adapters/provider/evm/quorum.ts",
    ["test/adapters/provider/evm-reasons.test.ts"],
    [
      "a node's answer shows the credential as it is without its encoding",
      "flatMap((part) => [part, decodeUri(part)])",
      "flatMap((part) => [part])"
    ]
  ),
  ...of(
    "src/cli/adapters.ts",
    ["test/cli/adapters.test.ts"],
    ["adapters are asked one after the other", `{ concurrency: "unbounded" }`, "{ concurrency: 1 }"]
  ),
  ...of(
    "src/adapters/provider/evm/check.ts",
    ["test/cli/adapters.test.ts"],
    ["tokens are asked one after the other", `tokenCheck, { concurrency: "unbounded" }`, "tokenCheck"]
  ),
  ...of(
    "src/adapters/provider/evm/transfers.ts",
    feedTests,
    ["a block of another fork is read", "if (expected !== undefined && is !== expected &&", "if (1 > 2 &&"],
    ["what a stranger sends away is not booked", "known.get(from)?.destination === to", "from === to"]
  ),
  ...of(
    "src/adapters/provider/evm/transfers.ts",
    ["test/adapters/provider/evm-forks.test.ts"],
    [
      "a call that fails discards a range",
      "if (kept.length === 0) return yield* one.failure",
      "if (kept.length >= 0) return yield* one.failure"
    ]
  ),
  ...of(
    "src/adapters/provider/evm/deposits.ts",
    feedTests,
    [
      "blocks are booked before the last one proves them",
      "if (held.last.number !== final.number) {",
      "if (held.last.number > final.number) {"
    ],
    [
      "a doubt is no longer told while blocks are read again",
      "if ((feed.doubt ?? null) === null) return feed",
      "if (held.last.number !== final.number) return feed"
    ],
    [
      "blocks that a doubt has read again outlive it",
      "again: current.again?.isDoubted === true ? null : (current.again ?? null)",
      "again: current.again ?? null"
    ],
    [
      "what is held stays held on another fork",
      "last.value.hash !== held.last.hash) deps.kept = undefined",
      "1 > 2) deps.kept = undefined"
    ]
  ),
  ...of("src/adapters/provider/evm/deposits.ts", feedTests, [
    "a deposit stays whose transaction reverts where it is mined again",
    `isInReceipt(payin, receipt) ? receipt.block : "gone"`,
    "receipt.block"
  ]),
  ...of(
    "src/adapters/provider/evm/upkeep.ts",
    replacedPayoutsTests,
    [
      "what was told to have failed is sent again",
      `(is_void === true || again.told.result !== "done")`,
      "is_void === true"
    ],
    ["a nonce does not wait for one that may pay the same", "if (waits_for.length > 0) return", ""]
  ),
  ...of("src/adapters/provider/evm/booking.ts", replacedPayoutsTests, [
    "what a replaced block has settled stays settled",
    "yield* reopen(after, isReplacing)",
    ""
  ]),
  ...of(
    "src/adapters/provider/evm/settlement.ts",
    replacedPayoutsTests,
    [
      "what was told of a nonce is told otherwise nowhere",
      "reported === undefined || reported.result !== readWord(slot) || reported.paid !== outcome.paid",
      "reported === undefined"
    ],
    ["what a replaced block had paid stays a line", "...takeBackTransfers(deps, slot, found, rest, now), ", ""],
    [
      "the gas of a replaced block stays a line",
      `again === undefined ? [] : lineOf(again.told, "credit", ":back")`,
      "again !== undefined ? [] : []"
    ],
    [
      "what another transaction has taken after a success may be submitted again",
      `again !== undefined && again.told.result !== "unused" ? "reverted"`,
      `again !== undefined && again.told.result === "done" && 1 > 2 ? "reverted"`
    ]
  ),
  ...of(
    "src/adapters/provider/evm/payins.ts",
    ["test/adapters/provider/evm-changes.test.ts"],
    [
      "the amount of a deposit is in the decimals of the configuration",
      "decimalsOf(payin)!",
      "tokens.get(payin.token)?.decimals ?? 0"
    ]
  ),
  ...of(
    "src/adapters/provider/evm/settlement.ts",
    ["test/adapters/provider/evm-changes.test.ts"],
    ["what was paid is in the decimals of the configuration", "(transfer.decimals ??", "(null ??"]
  ),
  ...of("src/adapters/provider/evm/arrivals.ts", feedTests, [
    "a transaction that is mined again has brought what it brought before",
    "|| !isInReceipt(one, receipt)",
    ""
  ]),
  ...of(
    "src/adapters/provider/evm/deposits.ts",
    ["test/adapters/provider/evm-forks.test.ts"],
    [
      "blocks that cannot be read again hold up new ones",
      "const again = yield* Effect.result(rereadFinalBlocks(deps, feed))",
      "const again = Result.succeed(yield* rereadFinalBlocks(deps, feed))"
    ]
  ),
  ...of(
    "src/adapters/provider/evm/settlement.ts",
    ["test/adapters/provider/evm-forks.test.ts"],
    ["what a sweep took of blocks that were passed stays in the books", "!one.gone)", "one.gone)"],
    [
      "what a sweep took of later blocks is taken at once",
      "isPassed = feed !== undefined && block <= feed.final.number",
      "isPassed = feed !== undefined"
    ]
  ),
  ...of(
    "src/adapters/provider/evm/deposits.ts",
    ["test/adapters/provider/evm-forks.test.ts"],
    [
      "what a sweep took is booked where nodes list it",
      "left: [...held.left, ...(yield* findUnlistedOutflows(deps, final, held))]",
      "left: held.left"
    ]
  ),
  ...of("src/adapters/provider/evm/booking.ts", feedTests, [
    "what left stays booked when its block is replaced",
    "yield* drainList(leftAfter(after, last), (id) => undoOutflow(deps, id, isReplacing))",
    ""
  ]),
  ...of(
    "src/adapters/provider/evm/payins.ts",
    [...replacedTests, "test/simulation/evm-feed.test.ts"],
    [
      "a deposit that fails again has the id of the first time",
      "...((payin.told ?? 0) > 1 ? [payin.told] : [])",
      `...(payin.credited && stage === "confirmed" ? ["again"] : [])`
    ]
  ),
  ...of("src/adapters/provider/evm/payins.ts", replacedTests, [
    "a deposit is away since it was detected",
    "seen_at: now",
    "seen_at: known?.seen_at ?? now"
  ]),
  ...of("src/adapters/provider/evm/booking.ts", replacedTests, [
    "a deposit is away since it was confirmed",
    `credited: true, seen_at: now }`,
    "credited: true }"
  ]),
  ...of("src/adapters/provider/evm/payins.ts", replacedTests, [
    "an earlier build has told nothing of its deposits",
    `payin.told ?? (payin.status === "detected" && !payin.credited ? 0 : 1)`,
    "payin.told ?? 0"
  ]),
  ...of("src/adapters/provider/evm/arrivals.ts", feedTests, [
    "a deposit that failed is in the books",
    `(status === "detected" && credited)`,
    "credited"
  ]),
  ...of(
    "src/adapters/provider/evm/booking.ts",
    ["test/adapters/provider/evm-statements.test.ts"],
    ["what the hot wallet had at first is a line too", "|| place.block <= lined_after", ""]
  ),
  ...of(
    "src/adapters/provider/evm/transfers.ts",
    ["test/adapters/provider/evm-statements.test.ts"],
    [
      "a sweep is a line",
      "(isOurs(from) ? to !== deps.wallet : to === deps.wallet)",
      "(isOurs(from) || to === deps.wallet)"
    ]
  ),
  ...of(
    "src/adapters/provider/evm/settlement.ts",
    ["test/adapters/provider/evm-statements.test.ts"],
    ["a payout that no node listed has no line", "times === undefined || feed === undefined", "feed === undefined"]
  ),
  ...of(
    "src/adapters/provider/evm/statements.ts",
    ["test/adapters/provider/evm-statements.test.ts"],
    ["a statement has blocks that are not booked completely", "feed.partial ?? feed.next", "feed.next"]
  ),
  ...of(
    "src/adapters/provider/solana/statements.ts",
    ["test/adapters/provider/solana/statements.test.ts"],
    ["accounts are taken as read at one slot", "one.slot <= slots.get(account)!", "1 > 2"],
    ["all accounts are taken as read at the latest slot", "one.slot <= slots.get(account)!", "1 < 2"],
    ["an account is read before the end of the page", "[...own.keys()], final)", "[...own.keys()], above)"],
    [
      "the credits of one transaction are one line with its payment",
      "watched !== null && delta > 0n ? [{",
      "1 > 2 ? [{"
    ],
    ["a page is given whose lines lead elsewhere", "final - first < listingSlots", "1 > 2"]
  ),
  ...of(
    "src/adapters/provider/chain/provider.ts",
    ["test/adapters/provider/evm-changes.test.ts"],
    ["an address is issued before the decimals of the tokens are read", "let isPassed = false", "let isPassed = true"]
  ),
  ...of(
    "src/adapters/provider/chain/refunds.ts",
    ["test/adapters/provider/chain-refunds.test.ts"],
    ["a refund that failed keeps its amount", `if (end.outcome !== "success") return 0n`, ""],
    ["a refund that is absent keeps its amount", `end === "signed" || canSign`, `end !== null`],
    ["a refund that is signed takes nothing", `end === "signed" || canSign`, "canSign"],
    ["a refund that can still be signed takes nothing", `end === "signed" || canSign`, `end === "signed"`],
    [
      "a refund takes what it was to return",
      "amount === null ? BigInt(reserved) :",
      "amount !== undefined ? BigInt(reserved) :"
    ],
    [
      "a pay-in that is not final is never refunded",
      `if (status === "detected") return { _tag: "unavailable" }`,
      `if (status === "detected") return rejected("it is not final")`
    ],
    [
      "what was signed is forgotten",
      `if (earlier._tag !== "unsigned") return toRefundResult(earlier)`,
      `if (earlier._tag !== "unsigned") return rejected("unknown")`
    ],
    [
      "a refund that failed on the chain keeps its amount until somebody learns it",
      `entry === undefined ? "unsigned" : yield* chain.endOf(entry)`,
      `entry === undefined ? "unsigned" : "signed"`
    ],
    [
      "a refund that is rejected does not end",
      "? Effect.map(chain.reject(command, result.reason, unsigned), toRefundResult)",
      "? Effect.succeed(result)"
    ],
    ["refunds exceed their pay-in", "+ what.units > BigInt(payin.amount)", "> BigInt(payin.amount)"]
  ),
  ...of(
    "src/adapters/provider/chain/refunds.ts",
    ["test/adapters/provider/chain-refunds.test.ts"],
    [
      "a refund goes to whoever paid, also to the hot wallet",
      "const fault = findRecipientFault(",
      "const fault = null && findRecipientFault("
    ]
  ),
  ...of(
    "src/adapters/provider/chain/recipients.ts",
    [
      "test/adapters/provider/evm-payouts.test.ts",
      "test/adapters/provider/evm-refunds.test.ts",
      "test/adapters/provider/solana/refusals.test.ts"
    ],
    ["the hot wallet is paid", "if (isAmong(own)) return", "if (1 > 2) return"],
    ["a token is paid", "if (isAmong(tokens)) return", "if (1 > 2) return"],
    [
      "the zero address and the system program are paid",
      "return loss === null ? null :",
      "return loss !== undefined ? null :"
    ],
    ["no address is an address", "if (fault !== null) return", "if (1 > 2) return"]
  ),
  ...of(
    "src/adapters/provider/evm/payments.ts",
    ["test/adapters/provider/evm-payouts.test.ts"],
    [
      "an address in capital letters is not paid",
      "findRecipientFault(recipients, destination.address) ??",
      "(/^0x[0-9A-F]+$/.test(destination.address) ? `${destination.address} is no address` : null) ?? findRecipientFault(recipients, destination.address) ??"
    ]
  ),
  ...of(
    "src/adapters/provider/solana/provider.ts",
    ["test/adapters/provider/solana/refusals.test.ts"],
    [
      "a memo that no transaction has room for is tried without end",
      "if (wrong !== null) return `the memo",
      "if (1 > 2) return `the memo"
    ]
  ),
  ...of(
    "src/adapters/provider/chain/reports.ts",
    ["test/adapters/provider/chain-refunds.test.ts", "test/adapters/provider/solana/changes.test.ts"],
    [
      "an event of a refund says no amount",
      "command_id, ...ended, outcome",
      "command_id, ...ended, amount: null, outcome"
    ],
    ["a refund that failed is a success", `ended.outcome === "success" ? "success" : "failed"`, `"success"`],
    ["a payout that ended is a refund", `purpose === "payout"`, `purpose !== "payout"`]
  ),
  ...of(
    "src/adapters/provider/chain/tokens.ts",
    ["test/adapters/provider/evm-payouts.test.ts", "test/adapters/provider/solana/refusals.test.ts"],
    [
      "an amount with more decimals is paid",
      "parseAmount(amount, token.decimals)",
      "parseAmount(amount.slice(0, 8), token.decimals)"
    ]
  ),
  ...of(
    "src/adapters/provider/chain/options.ts",
    ["test/adapters/provider/solana/refusals.test.ts"],
    ["a node may be of any scheme", "|| !/^https?:$/.test(new URL(one).protocol)", ""],
    ["a provider has any name", "if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name))", "if (1 > 2)"]
  ),
  ...of(
    "src/adapters/provider/solana/credits.ts",
    ["test/adapters/provider/solana/payers.test.ts"],
    ["the payer is one of those who gave", "= sources.size === 0 ? givers : sources", "= givers"],
    ["of two who paid one is refunded", "payer === null || others.length > 0", "payer === null"],
    ["what passes through somebody's account is refunded there", "return signers.has(payer) ||", "return 1 < 2 ||"],
    ["who got it in the same transaction is no payer", "return signers.has(payer) ||", "return"],
    ["who did not sign is no payer", "|| -(changes.get(payer) ?? 0n) >= delta", ""],
    ["a transfer that is not shown says nothing", "givers.length === 1 && givers[0] === payer && sum", "sum"],
    ["who gave another while it was minted is the payer", "&& sumMoves(changes.values()) <= 0n", ""],
    [
      "a transfer of nothing is a payment",
      "({ amount, destination }) => destination === account && amount > 0n",
      "({ destination }) => destination === account"
    ],
    ["a transfer to anybody is into the account", "destination === account && amount > 0n", "amount > 0n"]
  ),
  ...of(
    "src/adapters/provider/solana/rpc.ts",
    ["test/adapters/provider/solana/payers.test.ts"],
    [
      "an account that changed hands is of its last owner",
      "owner: owners.size === 1 ? [...owners][0]! : null",
      "owner: [...owners].at(-1) ?? null"
    ],
    ["the transfers of programs are not read", "...(meta.innerInstructions ?? [])", "...[]"],
    ["a transfer of any program counts", "programId: Schema.Literal(TOKEN_PROGRAM_ADDRESS)", "programId: Schema.String"]
  ),
  ...of(
    "src/adapters/provider/solana/payins.ts",
    ["test/adapters/provider/solana/payers.test.ts"],
    ["a deposit of an earlier build is refunded to nobody", "|| payin.payer !== undefined", "|| payin.payer !== null"],
    [
      "what a node does not show is refunded to nobody",
      "if (credit?.isFinal === true) return credit.from_address",
      "return credit?.from_address ?? null"
    ]
  ),
  ...of(
    "src/adapters/provider/solana/reading.ts",
    ["test/adapters/provider/solana/deposit-faults.test.ts"],
    ["an account that holds more is passed", "accounts.doubt && describeMissingAmount(accounts.doubt)", "undefined"],
    ["an account that holds more holds up the others", "incomplete ??= page", ""],
    ["what holds more is swept", "if (found.missing > 0n) doubt ??=", "if (found.missing > 1n << 200n) doubt ??="],
    ["an empty account is not read again", "|| isMarked(watched)", ""]
  ),
  ...of(
    "src/adapters/provider/solana/unswept.ts",
    ["test/adapters/provider/solana/deposit-faults.test.ts"],
    [
      "a sweep takes nothing from the books",
      "return addUnswept(counted, account, -readSweptUnits(sweep))",
      "return counted"
    ]
  ),
  ...of(
    "src/adapters/provider/solana/unswept.ts",
    ["test/adapters/provider/solana/statements.test.ts"],
    [
      "a payment of as much as the last sweep is taken as recorded",
      "if (sweep === undefined) return",
      "if (sweep === undefined || amount === unswept) return"
    ],
    [
      "a payment of as much as a sweep under way is taken as recorded",
      "return sweep.ended === null || amount",
      "if (sweep.ended === null) return amount !== unswept\n      return amount"
    ]
  ),
  ...of(
    "src/adapters/webhook/http.ts",
    [
      "test/adapters/webhook/http.test.ts",
      "test/adapters/webhook/ssrf.test.ts",
      "test/adapters/webhook/address.test.ts"
    ],
    ["a redirect is a delivery", "statusCode >= 200 && statusCode < 300", "statusCode >= 200 && statusCode < 400"],
    [
      "a stale connection fails the attempt",
      `new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])`,
      `new Set(["EPIPE"])`
    ],
    ["a date to retry after is not read", `if (!/^[A-Za-z]{3,9},? .*\\d/.test(text)) return null`, "return null"]
  ),
  ...of(
    "src/adapters/webhook/address.ts",
    [
      "test/adapters/webhook/http.test.ts",
      "test/adapters/webhook/ssrf.test.ts",
      "test/adapters/webhook/address.test.ts"
    ],
    ["loopback is public", `range === "loopback" && environment === "test"`, `range === "loopback"`],
    ["all of IPv6 is routed", `(parsed.kind() === "ipv4" || isInNetwork(parsed, routed6))`, "true"],
    ["the cloud's host agent is public", `  "168.63.129.16/32"\n`, ""],
    ["a password in an address", `parsed.username !== "" || parsed.password !== ""`, `parsed.username !== ""`]
  ),
  ...of(
    "src/adapters/rates/http.ts",
    ["test/adapters/rates/http.test.ts"],
    ["a rate of zero", "!positive.test(mid) || !/[1-9]/.test(mid)", "!positive.test(mid)"]
  ),
  ...of(
    "src/adapters/rates/http.ts",
    ["test/adapters/rates/http.test.ts"],
    [
      "a pair the other way round is not read",
      ": base === code && quote === PIVOT",
      ": base === quote && quote === PIVOT"
    ]
  ),
  ...of(
    "src/adapters/signer/keys.ts",
    ["test/adapters/signer/local.test.ts", "test/adapters/signer/kms.test.ts"],
    [
      "the order itself is a key",
      "toInteger(secret) > 0n && toInteger(secret) < order",
      "toInteger(secret) > 0n && toInteger(secret) <= order"
    ]
  ),
  ...of(
    "src/engine/crypto/signing.ts",
    ["test/adapters/cipher/aes-gcm.test.ts"],
    [
      "a key that is not base64",
      `key?.length === 32 && key.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "") ? key`,
      "key?.length === 32 ? key"
    ]
  ),
  ...of(
    "src/adapters/provider/solana/payins.ts",
    ["test/adapters/provider/solana/deposit-faults.test.ts"],
    ["what brings nothing stays open", "  if (!isFinal) {", "  {"]
  )
]
