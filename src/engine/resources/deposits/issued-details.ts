/** Whether the details of an issued account or address are those that were asked for. */
import type { IssueCommand, IssuedTarget } from "../../ports/Provider.ts"
import { sameTarget } from "./payin-target.ts"

/**
 * Why a payer who follows the details would not pay to what was asked for. Undefined: the payer would.
 *
 * An address has to be the target: pay-ins to another address would find no owner.
 */
export const detailsFault = (
  { details, target }: Pick<IssuedTarget, "details" | "target">,
  { network, type }: Pick<IssueCommand, "network" | "type">
): string | undefined => {
  if (type === "fiat")
    return "address" in details ? "details: found those of an address; those of a bank account are taken" : undefined
  if (!("address" in details)) return "details: found those of a bank account; those of an address are taken"
  if (details.network !== network)
    return `details.network: found ${JSON.stringify(details.network)}; ${JSON.stringify(network)} is taken`
  return sameTarget({ network, target }, { network, target: details.address })
    ? undefined
    : `details.address: found ${JSON.stringify(details.address)}; the target, ${JSON.stringify(target)}, is taken`
}
