/** The audit page filters by every action that the audit log can have. */
import { expect, it } from "vitest"
import { auditedActions } from "../../src/console/pages/people/audited-actions.ts"
import { entries } from "../../src/engine/operations.ts"

it("every operation of operators that writes is an action of the audit page, in the order of the document", () => {
  const writing = entries.filter(
    ({ operation }) => operation.area === "operator" && operation.method !== "GET" && !operation.readsOnly
  )
  expect(auditedActions.filter((action) => !action.startsWith("session."))).toEqual(
    writing.map(({ operation }) => operation.id)
  )
})
