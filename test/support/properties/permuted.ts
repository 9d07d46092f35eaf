/** Every order of a few items. */
export const permute = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length < 2 ? [all] : all.flatMap((one, n) => permute(all.toSpliced(n, 1)).map((rest) => [one, ...rest]))
