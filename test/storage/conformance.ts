/** The laws of the storage port, held against every store. */
import { verdicts } from "./conformance/verdicts.ts"
import type { Nodes } from "./support.ts"

export const conformance = (nodes: Nodes): void => {
  verdicts(nodes)
}
