/** Groups of operations of several resources. */
import type { Group } from "../calls/operation.ts"

export const merchantsGroup: Group<"operator_merchants"> = {
  id: "operator_merchants",
  title: "Operator: merchants",
  description: "The merchants of this service, and their API keys."
}

export const operatorGroup: Group<"operator"> = {
  id: "operator",
  title: "Operator",
  description: "Holds, exceptions, the ledger and resources without progress."
}

export const walletsGroup: Group<"wallets"> = {
  id: "wallets",
  title: "Wallets",
  description: "A wallet holds one currency for one customer."
}

export const reconciliationGroup: Group<"operator_reconciliation"> = {
  id: "operator_reconciliation",
  title: "Operator: reconciliation",
  description: "The books against banks and chains, and what corrects them."
}

export const controlsGroup: Group<"operator_controls"> = {
  id: "operator_controls",
  title: "Operator: controls",
  description: "What may happen: limits on money, and approvals by other people."
}
