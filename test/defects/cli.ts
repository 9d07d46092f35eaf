/** Defects of the command: what it follows, prints, compares and checks. */
import { of, type TestedDefect } from "./defect.ts"

export const cli: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/cli/commands/batch.ts",
    ["test/cli/desk.test.ts"],
    [
      "a batch that was cancelled while it was paid is well",
      `ended.counts.failed > 0 || ended.status === "cancelled"`,
      "ended.counts.failed > 0"
    ],
    [
      "a batch of which rows were refused is well",
      `ended.counts.failed > 0 || ended.status === "cancelled"`,
      `ended.status === "cancelled"`
    ]
  ),
  ...of(
    "src/cli/server/feed.ts",
    ["test/cli/feed.test.ts"],
    ["unwanted events are printed", "if (!isWanted(event)) continue", ""],
    [
      "a category selects nothing",
      `event_type === type || event_type.startsWith(\`\${type}.\`)`,
      "event_type === type"
    ],
    [
      "a type selects nothing",
      `event_type === type || event_type.startsWith(\`\${type}.\`)`,
      `event_type.startsWith(\`\${type}.\`)`
    ],
    ["one event more than the count", "if (++seen >= most) return", "if (++seen > most) return"],
    [
      "a server that is away is complained about at each attempt",
      `if (!isAway) complain(\`\${failure.lines[0]}`,
      `complain(\`\${failure.lines[0]}`
    ]
  ),
  ...of(
    "src/cli/verify/money.ts",
    ["test/cli/verify-findings.test.ts"],
    [
      "a movement that took too much out of clearing is no difference",
      `if (!hasEnded && !amount.startsWith("-")) return undefined`,
      "if (!hasEnded) return undefined"
    ],
    [
      "money in clearing of an ended movement is no difference",
      `if (!hasEnded && !amount.startsWith("-")) return undefined`,
      `if (!amount.startsWith("-")) return undefined`
    ],
    [
      "what only resources have set aside is no difference",
      "for (const [key, sum] of expected) {",
      "for (const [key, sum] of [] as Array<[string, bigint]>) {"
    ],
    [
      "suspense is not compared",
      "select x.merchant_id, 'suspense', x.currency, sum(x.amount)::text",
      "select x.merchant_id, 'suspense', x.currency, '0'"
    ],
    ["held accounts are not compared", "or starts_with(account, 'held:'))", ")"]
  ),
  ...of(
    "src/cli/verify/run.ts",
    ["test/cli/verify-findings.test.ts"],
    ["the jobs of deliveries are not checked", "(left(j.queue, 8) = 'delivery' or j.queue in", "(j.queue in"],
    ["a job that has ended counts as the next one", "j.id < r.id || '/' and j.status = 'pending'", "j.id < r.id || '/'"]
  ),
  ...of(
    "src/cli/verify/cells.ts",
    ["test/cli/verify-findings.test.ts"],
    [
      "a merchant that the directory does not name is nowhere",
      "const shard = assigned.get(id) ?? 0",
      "const shard = assigned.get(id) ?? at"
    ],
    [
      "a lookup key of a merchant elsewhere is shared",
      "found !== undefined && shardOf(found) === shardOf(row)",
      "found !== undefined"
    ]
  ),
  ...of(
    "src/adapters/storage/audit/check.ts",
    ["test/cli/verify-findings.test.ts"],
    ["fewer events than before are no difference", "or x.event_count < x.last_events", ""],
    ["a transition from another state is no difference", "or x.from_state is distinct from x.last_state", ""],
    ["the number of events of a row is not compared", "or t.event_count <> r.event_count", ""],
    ["the time of creation is not compared", "or t.created_at <> r.created_at", ""],
    [
      "a transition beyond the row is no difference",
      "where r.version is null or t.version > r.version",
      "where r.version is null"
    ],
    ["an event too many is no difference", `if (Number(readText(row, "high") || "0") > Number(counted))`, "if (false)"]
  ),
  ...of(
    "src/adapters/storage/audit/check.ts",
    ["test/cli/verify-findings.test.ts"],
    ["the number of postings of an account is not compared", "or coalesce(a.entries, 0) <> coalesce(m.entries, 0)", ""],
    [
      "a posting at another time is no difference",
      "and t.version = p.version and t.at = p.at",
      "and t.version = p.version"
    ]
  ),
  ...of(
    "src/adapters/storage/audit/check.ts",
    ["test/cli/verify-findings.test.ts", "test/cli/verify.test.ts"],
    [
      "an index entry of nothing is no difference",
      "where coalesce(i.n, 0) <> coalesce(t.n, 0) or i.term is distinct from t.term",
      "where coalesce(i.n, 0) < coalesce(t.n, 0) or (t.n is not null and i.term is distinct from t.term)"
    ],
    [
      "a resource without an index entry is no difference",
      "where coalesce(i.n, 0) <> coalesce(t.n, 0) or i.term is distinct from t.term",
      "where coalesce(i.n, 0) > coalesce(t.n, 0) or (i.n is not null and i.term is distinct from t.term)"
    ],
    [
      "the sums of amounts are not compared",
      "(coalesce(m.n, 0), coalesce(m.amount, 0)) <> (coalesce(r.n, 0), coalesce(r.amount, 0))",
      "coalesce(m.n, 0) <> coalesce(r.n, 0)"
    ]
  ),
  ...of(
    "src/cli/commands/verify.ts",
    ["test/cli/findings.test.ts"],
    [
      "the checks beyond the hundredth difference are not counted",
      "count > differences.length ?",
      "count < differences.length ?"
    ],
    [
      "a database with migrations from another file is verified",
      `...(different.length > 0 ? [\`\${different.join(", ")} came from another file\`] : [])`,
      ""
    ]
  ),
  ...of(
    "src/cli/commands/doctor.ts",
    ["test/cli/findings.test.ts", "test/cli/before-start.test.ts"],
    ["a braked provider is healthy", `health === "healthy" && !paused`, `health === "healthy"`],
    ["a failing provider is healthy", `health === "healthy" && !paused`, "!paused"],
    ["a clock that is behind is right", "there < before ? before - there : there > after", "there > after"],
    ["a clock that is ahead is right", "there > after ? there - after : 0", "0"],
    [
      "a memory database is lasting",
      `database._tag !== "memory" && !(database._tag === "pglite" && database.dir === null)`,
      `!(database._tag === "pglite" && database.dir === null)`
    ],
    ["missing keys are not reported", "for (const key of keys.missing)", "for (const key of [] as Array<string>)"],
    [
      "another environment is right",
      "if (stored !== undefined && stored !== config.environment)",
      "if (stored !== undefined && stored !== config.environment && 1 > 2)"
    ],
    ["an endpoint that is away is not reported", `return reached === 0\n    ? away`, `return reached === 0\n    ? []`],
    ["a newer release is right", "if (unknown.length > 0)", "if (unknown.length > 99)"],
    [
      "a failure ends with success",
      `const isWell = findings.every(({ status }) => status !== "fail")`,
      "const isWell = true"
    ]
  ),
  ...of(
    "src/cli/commands/explain.ts",
    ["test/cli/findings.test.ts"],
    ["a merchant's offramp is asked for among the transfers", `ofr: "offramps"`, `ofr: "transfers"`],
    [
      "the state is shown as the status",
      `const seen = status === state ? status : \`\${status} (\${state})\``,
      "const seen = status"
    ],
    ["attempts are not shown", "...(waits_for.attempts === 0 ?", "...(waits_for.attempts !== 0 ?"],
    ["the end is not shown", `ended_at === null ? "" : \`, ended \${ended_at}\``, `""`]
  ),
  ...of(
    "src/cli/commands/search.ts",
    ["test/cli/findings.test.ts"],
    [
      "the kind is sent as the merchant",
      "pickOptions({ kind, merchant_id: merchant, page })",
      "pickOptions({ merchant_id: kind, page })"
    ],
    [
      "further pages are not told",
      `typeof total === "number" && total > hits.length`,
      `typeof total === "number" && total < hits.length`
    ]
  ),
  ...of(
    "src/cli/server/api.ts",
    ["test/cli/findings.test.ts"],
    [
      "a key that is given loses against the token of the environment",
      "token === undefined || (Option.isSome(given.key) && Option.isNone(given.token))",
      "token === undefined"
    ]
  ),
  ...of(
    "src/cli/server/api.ts",
    ["test/cli/profiles.test.ts"],
    [
      "a stored credential is sent to the server of another URL",
      "isAsked && (yield* readBaseUrl(given.url)) !== found.url ? undefined : found",
      "found"
    ]
  ),
  ...of(
    "src/cli/server/profiles.ts",
    ["test/cli/profiles.test.ts"],
    ["a file of credentials that a group may read is read", "(mode & 0o077) !== 0", "(mode & 0o007) !== 0"],
    ["profiles are stored for everybody to read", "await chmod(partial, 0o600)", "await chmod(partial, 0o644)"]
  ),
  ...of(
    "src/cli/commands/create.ts",
    ["test/cli/resources.test.ts"],
    [
      "a key that is given is not sent",
      "{ key: Option.getOrUndefined(idempotencyKey) }",
      "{ key: undefined && idempotencyKey }"
    ]
  ),
  ...of(
    "src/http/docs/routes.ts",
    ["test/http/document/twins.test.ts"],
    [
      "a page of an operation that the server lacks is there",
      "id !== undefined && !operations.has(id)",
      "false && id !== undefined && operations.has(id)"
    ]
  ),
  ...of(
    "src/client/transport.ts",
    ["test/client/retries.test.ts", "test/client/faults.test.ts", "test/client/webhooks.test.ts"],
    [
      "a timeout of the service is not repeated",
      "status >= 500 || status === 408 || status === 429 ||",
      "status >= 500 || status === 429 ||"
    ],
    ["a POST without a key is repeated at 429", `(status === 429 && method !== "POST")`, "status === 429"],
    ["a refused credential decides an earlier attempt", "![401, 403, 408, 429]", "![403, 408, 429]"],
    ["one attempt more", "attempts > maxRetries ||", "attempts >= maxRetries + 2 ||"]
  ),
  ...of(
    "src/client/webhooks.ts",
    ["test/client/retries.test.ts", "test/client/faults.test.ts", "test/client/webhooks.test.ts"],
    ["an event of another message", `event === undefined || id !== \`msg_\${event.event_id}\``, "event === undefined"],
    [
      "a stale delivery",
      "if (!(Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds))",
      "if (now() / 1000 - Number(timestamp) > toleranceSeconds)"
    ]
  )
]
