/**
 * What Corridor is told. An event is recorded in the transaction of what it reports, sent until it is acknowledged, and
 * can be read again at any time.
 */
import { randomUUID } from "node:crypto"
import { BadRequest, type Bank, type Body, type Result } from "./commands.ts"
import { signed } from "./signatures.ts"

const longest_wait_ms = 60_000
const timeout_ms = 10_000
const most_at_once = 20
const page = 100

/** Inside the transaction of its caller. */
export const record = ({ db }: Bank, type: string, members: Body): void => {
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ operation: "event", id, type, ...members })
  db.run("insert into events (body, next_at) values (?, ?)", body, Date.now())
}

/** The place after a cursor: sequence numbers are the cursors, and rows are written one transaction after another. */
export const after = (cursor: string | null): bigint => {
  if (cursor === null) return 0n
  if (/^\d{1,18}$/.test(cursor)) return BigInt(cursor)
  throw new BadRequest(`after: found ${JSON.stringify(cursor)}; a cursor of an earlier answer is taken`)
}

/** `GET /events?after=`: the oldest first. */
export const list = ({ db }: Bank, cursor: string | null): Result => {
  const from = after(cursor)
  const rows = db.all("select seq, body from events where seq > ? order by seq limit ?", from, page)
  return { events: rows.map(({ body }) => JSON.parse(body)), cursor: String(rows.at(-1)?.["seq"] ?? from) }
}

/** Whether Corridor acknowledged the event. Anything but 200 is no acknowledgement. */
const send = async ({ config }: Bank, url: string, body: string): Promise<boolean> => {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signed(config.secrets, body, JSON.parse(body).id) },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeout_ms)
    })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

/**
 * Sends the callbacks that are due, each time it is called. The next attempt is recorded before one begins, so that a kill
 * loses none, and one that hangs holds up no other.
 */
export const deliverer = (bank: Bank): (() => void) => {
  const { config, db } = bank
  const url = config.events_url
  let sending = 0
  const attempt = async (to: string, seq: bigint, body: string): Promise<void> => {
    sending += 1
    try {
      if (await send(bank, to, body)) db.run("update events set next_at = null where seq = ?", seq)
    } catch (error) {
      // It is sent again, and acknowledged again.
      console.error(error)
    }
    sending -= 1
  }
  return () => {
    if (url === undefined || sending >= most_at_once) return
    const now = Date.now()
    const due = db.all(
      "select seq, body, tries from events where next_at <= ? order by next_at limit ?",
      now,
      most_at_once - sending
    )
    for (const { body, seq, tries } of due) {
      const wait_ms = Math.min(config.retry_ms * 2 ** Math.min(Number(tries), 16), longest_wait_ms)
      db.run("update events set tries = tries + 1, next_at = ? where seq = ?", now + wait_ms, seq)
      void attempt(url, seq, body)
    }
  }
}
