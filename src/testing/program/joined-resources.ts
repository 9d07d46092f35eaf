/**
 * What no act knows of: resources that have joined the registry. Each merchant creates one with the example of its creation,
 * and calls every operation on it with theirs. A resource that needs more has an act.
 */
import { type AnyOperation, isOperation, type Table } from "../../engine/calls/operation.ts"
import { tables } from "../../engine/operations.ts"
import { day, hour } from "./program.ts"
import type { ScriptMerchant, Script } from "./script.ts"

/** What acts and the beginning of a simulation call, by the name in the merchant's table. */
const scripted: ReadonlySet<string> = new Set([
  "apiKeys",
  "customers",
  "verifications",
  "wallets",
  "walletCredentials",
  "depositAddresses",
  "beneficiaries",
  "senders",
  "onramps",
  "offramps",
  "conversions",
  "transfers",
  "webhooks"
])

/** Where an example would change what others do, and so what the model predicts of them: rules that let payouts wait have acts. */
const instead: Readonly<Record<string, unknown>> = {
  createApprovalRule: { operations: ["batch"], approvals: 1 }
}

const readExample = ({ examples, id }: AnyOperation): unknown => instead[id] ?? Object.values(examples)[0] ?? {}

interface Unscripted {
  readonly name: string
  readonly creation: AnyOperation
  /** Operations on one resource, by the name of their method. */
  readonly onOne: ReadonlyArray<readonly [string, AnyOperation]>
}

const creations = Object.entries<Table | AnyOperation>(tables.merchant).flatMap(
  ([name, table]): ReadonlyArray<Unscripted> => {
    const creation = isOperation(table) ? undefined : table["create"]
    if (scripted.has(name) || creation === undefined || !isOperation(creation)) return []
    const methods = Object.entries(table as Table).filter((entry): entry is [string, AnyOperation] =>
      isOperation(entry[1])
    )
    return [{ name, creation, onOne: methods.filter(([, { names }]) => names.join() === "id") }]
  }
)

export const addJoinedResources = (s: Script, m: ScriptMerchant): void => {
  for (const { creation, name, onOne } of creations) {
    const n = s.add(m.n, `${name}.create`, [readExample(creation)], s.chance.between(0, day))
    for (const [method, operation] of onOne)
      s.add(m.n, `${name}.${method}`, [`@${n}.id`, readExample(operation)], day + s.chance.between(hour, day))
  }
}
