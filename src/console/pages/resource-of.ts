import type { Movement } from "../../client/generated/resources.ts"

/** The resource that a transaction shows: a deposit is its own, any other names its movement. */
export const resourceOf = ({ id, source_id, type }: Pick<Movement, "id" | "source_id" | "type">): string =>
  type === "deposit" ? id : source_id
