/** Groups of operations of several resources. */
import type { Group } from "../calls/operation.ts"

export const operatorGroup: Group<"operator"> = {
  id: "operator",
  title: "Operator",
  description: "Holds, exceptions, the ledger and resources without progress."
}
