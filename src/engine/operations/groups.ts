/** Groups of the API's document that operations of several resources stand in. */
import type { Group } from "../calls/operation.ts"

export const operatorGroup: Group<"operator"> = {
  id: "operator",
  title: "Operator",
  description: "What the operator of this service decides and looks into."
}
