import type { Movement } from "../../client/generated/resources.ts"

/** Finds the id of the resource behind a transaction: a deposit is its own, any other transaction names its movement. */
export const resourceOf = ({ id, source_id, type }: Pick<Movement, "id" | "source_id" | "type">): string =>
  type === "deposit" ? id : source_id
