/** How often a law is tried: in `npm test` a share of what `npm run test:all` and a file that is run alone try. */

/** The share, from 0 to 1. Not set: all. */
export const SHARE = "CORRIDOR_TEST_SHARE"

/** Of as many tries as the law has: the share of this run, and one at least. */
export const triesOf = (all: number): number => Math.max(1, Math.ceil(all * Number(process.env[SHARE] ?? 1)))
