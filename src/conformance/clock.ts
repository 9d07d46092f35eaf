/** Real time: the kit judges another process, over sockets. */

/** Returns the current time, in epoch milliseconds. */
export const now = (): number => Date.now()

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the result of `work`, or that of `late` after `ms`. `work` itself goes on. */
export const raceTimeout = <A, B>(ms: number, work: Promise<A>, late: () => B): Promise<A | B> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<B>((resolve) => {
    timer = setTimeout(() => resolve(late()), ms)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}

/** Asks until `ask` has something, or until `ms` are over. Waits a little longer each time, at most a second. */
export const until = async <A>(ms: number, ask: () => Promise<A | undefined>): Promise<A | undefined> => {
  const end = now() + ms
  for (let pause = 20; ; pause = Math.min(1000, Math.ceil(pause * 1.5))) {
    const found = await ask()
    if (found !== undefined) return found
    if (now() + pause > end) return undefined
    await sleep(pause)
  }
}
