/** How long tests wait for what must happen, where no rule says how soon. */

/** Far longer than it takes, also on a loaded machine of two cores. A hang still ends. */
export const POLL_TIMEOUT_MS = 60_000

/** Asks again until `isDone`, and answers. Errors: rejects with the last answer when the timeout ends. */
export const until = async <A>(
  ask: () => A | Promise<A>,
  isDone: (answer: A) => boolean = (answer) => answer === true
): Promise<A> => {
  const end = performance.now() + POLL_TIMEOUT_MS
  for (;;) {
    const answer = await ask()
    if (isDone(answer)) return answer
    if (performance.now() > end) throw new Error(`not done after ${POLL_TIMEOUT_MS} ms: ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
