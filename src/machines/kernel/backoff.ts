/** The delay after a number of failures in a row, in milliseconds: `first_ms` doubled after each, at most `max_ms`. */
export const computeBackoff = (first_ms: number, failures: number, max_ms: number): number =>
  Math.min(first_ms * 2 ** failures, max_ms)
