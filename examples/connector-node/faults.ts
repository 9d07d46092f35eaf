/**
 * Defects, for tests of a conformance kit: `CONNECTOR_FAULT=<name>` switches one on. Nothing else is changed, so that only
 * behaviour shows them. A connector for a bank does not need this file.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { type Bank, find, type Result } from "./commands.ts"
import type { Database } from "./database.ts"
import { minorOf } from "./money.ts"
import { type Asked, type Operations, operationsOf } from "./operations.ts"
import { execute } from "./payments.ts"
import { type Answer, type Parts, partsOf } from "./server.ts"
import { isSigned } from "./signatures.ts"

type Fault = (clean: Parts) => Parts
type Operation = Operations[string]

/** Puts `wrap` around one operation. */
const around = (
  name: string,
  wrap: (next: Operation, asked: Asked, parts: Parts) => Result | Promise<Result>
): Fault => {
  return (clean) => {
    const next = clean.operations[name]!
    return { ...clean, operations: { ...clean.operations, [name]: (asked) => wrap(next, asked, clean) } }
  }
}

/** The clean parts over another bank. */
const over = (bank: Bank): Parts => partsOf(bank, operationsOf(bank))

const isTaken = (result: Result): boolean => result["status"] === "accepted" || result["status"] === "settled"

const isKnown = ({ bank }: Parts, { id }: Asked): boolean => find(bank.db, "payout", id) !== undefined

/** As if it had never said that the id is absent. */
const forgetAbsence = ({ bank }: Parts, { id }: Asked): void =>
  bank.db.run("delete from absences where operation = 'payout' and id = ?", id)

/** Returns the bank's reference. */
const payAgain = ({ bank }: Parts, { body, id }: Asked): string | null =>
  bank.db.transaction(() => {
    const { amount, currency } = body
    const minor = minorOf(amount, currency)
    return minor === undefined ? null : execute(bank, "payout", id, minor, currency, body)
  })

/** What is done about the same id with other content. */
const onConflict = (answer: (next: Operation, asked: Asked, parts: Parts) => Result | Promise<Result>): Fault =>
  around("payout", async (next, asked, parts) => {
    const result = await next(asked)
    return result["status"] === "conflict" ? answer(next, asked, parts) : result
  })

/** A database whose transactions reach the disk only after a second without writes. */
const writtenLater = (db: Database): Database => {
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    db.run("commit")
  }
  return {
    ...db,
    transaction: (work) => {
      if (timer === undefined) db.run("begin immediate")
      clearTimeout(timer)
      timer = setTimeout(flush, 1_000)
      db.run("savepoint work")
      try {
        return work()
      } catch (error) {
        db.run("rollback to work")
        throw error
      } finally {
        db.run("release work")
      }
    },
    close: () => {
      flush()
      db.close()
    }
  }
}

const outcomeOf = (result: Result): Readonly<Record<string, unknown>> | undefined =>
  result["outcome"] as Readonly<Record<string, unknown>> | undefined

export const faults: Readonly<Record<string, Fault>> = {
  /** Looks for the id, waits for its core, and pays: callers at once all find nothing. */
  "pays-twice-at-once": around("payout", async (next, asked, parts) => {
    const wasKnown = isKnown(parts, asked)
    await pause(30)
    const isRace = !wasKnown && isKnown(parts, asked)
    const result = await next(asked)
    if (isRace && isTaken(result)) payAgain(parts, asked)
    return result
  }),

  /** Remembers in the process what it has paid: a repetition after a restart is paid again. */
  "pays-again-after-restart": (clean) => {
    const seen = new Set<string>()
    return around("payout", async (next, asked, parts) => {
      const isForgotten = isKnown(parts, asked) && !seen.has(asked.id)
      seen.add(asked.id)
      const result = await next(asked)
      if (isForgotten && isTaken(result)) payAgain(parts, asked)
      return result
    })(clean)
  },

  /** Starts with an empty table of payouts: what was paid before is absent. */
  "forgets-after-restart": (clean) => {
    clean.bank.db.run("delete from commands where operation = 'payout'")
    return clean
  },

  /** Acknowledges before the commit is on disk: a kill within a second loses it. */
  "lost-on-kill": ({ bank }) => over({ ...bank, db: writtenLater(bank.db) }),

  /** Looks only among what has settled. */
  "absent-while-executing": around("payout_status", async (next, asked) => {
    const result = await next(asked)
    return result["status"] === "pending" ? { status: "absent" } : result
  }),

  /** Takes a request up some time after it has read it, whether or not its caller still waits. */
  "absent-then-settles": around("payout", async (next, asked, parts) => {
    await pause(2_500)
    forgetAbsence(parts, asked)
    return next(asked)
  }),

  /** Takes a request that was delayed on its way, though it has said since that the id is absent. */
  "accepts-late-requests": around("payout", (next, asked, parts) => {
    forgetAbsence(parts, asked)
    return next(asked)
  }),

  /** Executes what it has rejected. */
  /** It waits for a person, and tells nobody. */
  "waits-in-silence": (clean) =>
    ["payout", "payout_status"].reduce(
      (parts, operation) =>
        around(operation, async (next, asked) => {
          const { awaited_person: _, ...result } = await next(asked)
          return result as Result
        })(parts),
      clean
    ),
  "rejected-then-settles": around("payout", async (next, asked, parts) => {
    const wasKnown = isKnown(parts, asked)
    const result = await next(asked)
    if (!wasKnown && result["status"] === "rejected") {
      const provider_reference = payAgain(parts, asked)
      parts.bank.db.run(
        "update commands set status = 'pending', result = ?, due_at = ? where operation = 'payout' and id = ?",
        JSON.stringify({ provider_reference, fee: null }),
        Date.now() + parts.bank.config.delay_ms,
        asked.id
      )
    }
    return result
  }),

  /** Executes every third payout, and says that it is unavailable. */
  "unavailable-executes": (clean) => {
    let count = 0
    return around("payout", async (next, asked, parts) => {
      const isThird = !isKnown(parts, asked) && ++count % 3 === 0
      const result = await next(asked)
      return isThird && isTaken(result) ? { status: "unavailable" } : result
    })(clean)
  },

  /** The same id with another body is another payment. */
  "other-body-executes": onConflict((_, asked, parts) => {
    payAgain(parts, asked)
    return { status: "accepted" }
  }),

  /** The same id with another body gets the first's result, as if it were accepted. */
  "other-body-accepted": onConflict((next, asked, { bank }) =>
    next({ ...asked, body: find(bank.db, "payout", asked.id)!.content })
  ),

  /** The same id with another body is called a conflict, and is paid all the same. */
  "conflict-executes": onConflict((_, asked, parts) => {
    payAgain(parts, asked)
    return { status: "conflict" }
  }),

  /** A payout that succeeded is later said to have failed. */
  "outcome-changes": (clean) => {
    const seen = new Set<string>()
    return around("payout_status", async (next, asked) => {
      const result = await next(asked)
      const outcome = outcomeOf(result)
      if (outcome?.["outcome"] !== "success") return result
      if (seen.has(asked.id)) return { ...result, outcome: { ...outcome, outcome: "failed", amount: null } }
      seen.add(asked.id)
      return result
    })(clean)
  },

  /** Nobody signs the answers. */
  "unsigned-answers": (clean) => ({
    ...clean,
    answers: (...about) => ({ ...clean.answers(...about), headers: { "content-type": "application/json" } })
  }),

  /** Signed answers that any request could have got. */
  "unbound-answers": (clean) => ({
    ...clean,
    answers: (_, operation, id, result) => clean.answers(`msg_${randomUUID()}`, operation, id, result)
  }),

  /** An unknown id is not found, as the web says it, and unsigned. */
  "unsigned-404": (clean) => ({
    ...clean,
    answers: (request_id, operation, id, result): Answer =>
      result["status"] === "absent"
        ? { status: 404, headers: { "content-type": "application/json" }, body: '{"error":"not found"}' }
        : clean.answers(request_id, operation, id, result)
  }),

  /** Anyone may pay. */
  "accepts-forged-requests": (clean) => ({ ...clean, accepts: () => true }),

  /** A recorded request holds for ever. */
  "accepts-old-requests": (clean) => ({
    ...clean,
    accepts: (headers, body) => isSigned(clean.bank.config.secrets, headers, body, Number.POSITIVE_INFINITY)
  }),

  /** A signed body holds on any path. */
  "accepts-other-paths": (clean) => ({ ...clean, checks: () => undefined }),

  /** Pays what is above the maximum of its own manifest, and below the minimum. */
  "ignores-limits": ({ bank, operations }) => {
    const offers = bank.config.offers.map(({ maximum: _, minimum: __, ...offer }) => offer)
    const parts = over({ ...bank, config: { ...bank.config, offers } })
    return { ...parts, operations: { ...parts.operations, manifest: operations["manifest"]! } }
  },

  /** Pays whole units. */
  "drops-decimals": around("payout", (next, asked) => {
    const { amount } = asked.body
    return next(
      typeof amount === "string" ? { ...asked, body: { ...asked.body, amount: amount.replace(/\..*/, "") } } : asked
    )
  }),

  /** Amounts of outcomes are JSON numbers. */
  "amounts-as-numbers": around("payout_status", async (next, asked) => {
    const result = await next(asked)
    const amount = outcomeOf(result)?.["amount"]
    return typeof amount === "string"
      ? { ...result, outcome: { ...outcomeOf(result), amount: Number(amount) } }
      : result
  }),

  /** A repeated request for an account gets another one. */
  "issues-another-account": (clean) => {
    const another = async (next: Operation, asked: Asked): Promise<Result> => {
      const result = await next(asked)
      const target = `8${String(Date.now()).slice(-9)}`
      return result["status"] === "issued" ? { ...result, target, provider_resource_id: `acct_${target}` } : result
    }
    return around("issue", another)(around("issue_status", another)(clean))
  },

  /** The payer of any customer is shown the collection account, without anything that says whose payment it is. */
  "details-of-another-account": (clean) => {
    const wrong = async (next: Operation, asked: Asked): Promise<Result> => {
      const result = await next(asked)
      const details = { ...(result["details"] as object), account_number: "1000000001" }
      return result["status"] === "issued" ? { ...result, details } : result
    }
    return around("issue", wrong)(around("issue_status", wrong)(clean))
  },

  /** Two events with one id: the second looks like a repetition of the first. */
  "event-ids-reused": (clean) => {
    clean.bank.db.run(
      `create temp trigger events_reused after insert on main.events when new.seq % 2 = 0 begin
         update events set body = json_set(body, '$.id',
           (select json_extract(body, '$.id') from events where seq = new.seq - 1)) where seq = new.seq;
       end`
    )
    return clean
  },

  /** Every second event is not in the list. */
  "events-lost": around("events", async (next, asked, { bank }) => {
    const { cursor, events } = await next(asked)
    const isListed = ({ id }: { readonly id: string }): boolean =>
      bank.db.get("select seq from events where json_extract(body, '$.id') = ?", id)?.["seq"] % 2n === 1n
    return { events: (events as ReadonlyArray<{ readonly id: string }>).filter(isListed), cursor }
  }),

  /** A callback is sent once, whether or not it is acknowledged. */
  "callbacks-once": (clean) => {
    const { bank } = clean
    const run: Database["run"] = (sql, ...values) =>
      sql.startsWith("update events set tries")
        ? bank.db.run(sql, null, ...values.slice(1))
        : bank.db.run(sql, ...values)
    return { ...clean, bank: { ...bank, db: { ...bank.db, run } } }
  },

  /** Callbacks are signed with another secret than answers. */
  "callbacks-other-secret": (clean) => {
    const secrets = [`whsec_${Buffer.from(randomUUID()).toString("base64")}`]
    return { ...clean, bank: { ...clean.bank, config: { ...clean.bank.config, secrets } } }
  }
}

/** Errors: throws `RangeError` for an unknown name. */
export const withFault = (name: string, clean: Parts): Parts => {
  const fault = faults[name]
  if (fault === undefined)
    throw new RangeError(
      `CONNECTOR_FAULT: found ${JSON.stringify(name)}; one of these is taken: ${Object.keys(faults).join(", ")}`
    )
  return fault(clean)
}
