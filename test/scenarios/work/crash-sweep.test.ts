/** A process that ends at any call of a port while a payment is made; `npm run test:all` has every other request. */
import { expect, it } from "vitest"
import { catalogue } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { makeJournaledStore } from "../../support/stores/journaled.ts"
import { prepareNode, sweep } from "../../support/faults/crash-sweep.ts"

covers("IDEM-7", "SERVICE-2")
it("a transfer that is repeated with its key has one effect and one answer, wherever its process ended", async () => {
  const store = await makeJournaledStore()
  const { creating, ends } = await sweep(store, await prepareNode(store), catalogue.createTransfer!)
  expect(creating.at(-1)).toMatch(/^storage\.commit$/)
  expect(ends).toBeGreaterThan(1)
})
