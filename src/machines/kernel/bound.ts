/** Functions that take first what they need, as one service that has it. */

/** Binds the first parameter of each function to `given`. Not for functions with type parameters: they would lose them. */
export const bindFirst = <Given, Functions extends Readonly<Record<string, (given: Given, ...rest: never) => unknown>>>(
  given: Given,
  functions: Functions
) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, use]) => [name, (...rest: never) => use(given, ...rest)])
  ) as unknown as {
    readonly [Name in keyof Functions]: Functions[Name] extends (given: Given, ...rest: infer Rest) => infer Result
      ? (...rest: Rest) => Result
      : never
  }
