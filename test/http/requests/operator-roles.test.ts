/** Which role may call which operation of the operator API: one table, every operation and every role in it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operatorRoles } from "../../../src/engine/commit/call.ts"
import { entries } from "../../../src/engine/operations.ts"
import { catalogue, type Request } from "../../support/http/successful-requests.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

type Role = (typeof operatorRoles)[number]

/** The least role of each operation, written apart from its declaration. What is not named is a viewer's. */
const least: Readonly<Record<Exclude<Role, "viewer">, ReadonlyArray<string>>> = {
  support: [
    "reviewVerification",
    "reviewAccessRequest",
    "revokeAccessRequest",
    "freezeWalletCredential",
    "freezeDepositAddress",
    "approveOperatorApproval",
    "declineOperatorApproval",
    "replayFailedMerchantWebhookEvents"
  ],
  treasury: [
    "releaseDeposit",
    "rejectDeposit",
    "resolveException",
    "createAdjustingEntry",
    "resolveBreak",
    "resolveBreaks",
    "reverseAdjustingEntry",
    "createExternalAccount",
    "createStatementMapping",
    "previewStatementMapping",
    "createClosing",
    "takeStatements",
    "updateExternalAccount",
    "createFeeSchedule",
    "endFeeSchedule",
    "createLimit",
    "updateLimit",
    "createBrake",
    "releaseBrake",
    "acceptRate",
    "unfreezeWalletCredential",
    "unfreezeDepositAddress",
    "forwardWalletCredential",
    "disableWalletCredential"
  ],
  admin: [
    "createMerchant",
    "updateMerchant",
    "createMerchantApiKey",
    "revokeMerchantApiKey",
    "createOperator",
    "updateOperator",
    "rotateOperatorToken",
    "revokeOperator",
    "createOperatorApprovalRule",
    "updateOperatorApprovalRule",
    "endOperatorApprovalRule"
  ]
}

const operations = entries.map(({ operation }) => operation).filter(({ area }) => area === "operator")
const leastOf = (id: string): Role =>
  (Object.keys(least) as Array<keyof typeof least>).find((role) => least[role].includes(id)) ?? "viewer"
const allows = (role: Role, id: string): boolean => operatorRoles.indexOf(role) >= operatorRoles.indexOf(leastOf(id))

/** A stock with an operator of each role. */
const staffed = async (): Promise<{ readonly s: Stock; readonly tokens: ReadonlyMap<Role, string> }> => {
  const s = await startStocked()
  const tokens = new Map<Role, string>()
  for (const role of operatorRoles) {
    const { json } = await s.operate("/operator/v1/operators", { body: { name: `A ${role}`, role } })
    tokens.set(role, json.data.token)
  }
  return { s, tokens }
}

/** Where nothing of the operator API succeeds, and where everything does. */
let refusing: Awaited<ReturnType<typeof staffed>>
let allowing: Awaited<ReturnType<typeof staffed>>
beforeAll(async () => {
  refusing = await staffed()
  allowing = await staffed()
})
afterAll(() => Promise.all([refusing.s.api.close(), allowing.s.api.close()]))

describe("the table of roles", () => {
  it("names every operation that writes, and no other", () => {
    const writes = operations.filter(({ method }) => method !== "GET").map(({ id }) => id)
    expect(Object.values(least).flat().toSorted()).toEqual(writes.toSorted())
  })

  covers("OPERATOR-7")
  it.each(operations.map(({ id }) => id))("%s is refused below its role, and nothing is written", async (id) => {
    const { s, tokens } = refusing
    const request: Request = await catalogue[id]!(s)
    const before = s.effects.length
    for (const role of operatorRoles) {
      if (allows(role, id)) continue
      const { json, status } = await s.api.ask(request.path, { ...request, key: tokens.get(role)! })
      expect([status, json.code], `${role} ${id}`).toEqual([403, "forbidden"])
      expect(json.message).toContain(`requires the role ${leastOf(id)}`)
      expect(json.message).toContain(`has the role ${role}`)
    }
    expect(s.effects.length).toBe(before)
  })

  it.each(operations.map(({ id }) => id))("%s is open to its role and those above it", async (id) => {
    const { s, tokens } = allowing
    for (const role of operatorRoles.filter((one) => allows(one, id))) {
      const request = await catalogue[id]!(s)
      const { status, text } = await s.api.ask(request.path, { ...request, key: tokens.get(role)! })
      expect(status, `${role} ${id}: ${text}`).toBe(200)
    }
  })
})
