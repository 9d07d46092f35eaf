/** The operations that a script may call, by their dotted names. */
import { type AnyOperation, isOperation, type Table } from "../../engine/calls/operation.ts"
import { tables } from "../../engine/operations.ts"

const table = {
  ...tables.merchant,
  merchants: tables.merchants,
  operator: tables.operator,
  sandbox: { ...tables.sandbox, ...tables.clock }
} as unknown as Table

/** Finds the operation with a dotted name. Errors: throws `RangeError` when there is none. */
export const requireOperation = (call: string): AnyOperation => {
  let at: AnyOperation | Table | undefined = table
  for (const name of call.split(".")) at = at === undefined || isOperation(at) ? undefined : at[name]
  if (at === undefined || !isOperation(at)) throw new RangeError(`there is no operation ${call}`)
  return at
}
