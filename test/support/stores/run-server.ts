/** The run's Postgres. The first test that needs it starts it: a run of the kernel alone has none. */
import { inject } from "vitest"

// A test may put another in its place.
const get = fetch

let asked: Promise<string> | undefined

const ask = async (): Promise<string> => {
  const answer = await get(inject("postgres"))
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

/** Its URL, with the database `postgres`. Errors: rejects with the reason when it cannot start. */
export const serverUrl = (): Promise<string> => (asked ??= ask())
