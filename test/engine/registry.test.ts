import { describe, expect, it } from "vitest"
import { type Kind, makeKinds, type ResourceKind, type TransactionKind } from "../../src/engine/commit/kind.ts"
import { begin } from "../../src/engine/commit/steps.ts"
import type { Registration } from "../../src/engine/operations/registration.ts"
import type { Sections } from "../../src/engine/calls/operation.ts"
import * as registered from "../../src/engine/operations/index.ts"
import { kinds, registry } from "../../src/engine/registry.ts"
import { CustomerKind } from "../../src/engine/resources/parties/customer.ts"
import { TransferKind, Transfers } from "../../src/engine/resources/movements/transfer.ts"
import { QuoteKind } from "../../src/engine/resources/movements/quote.ts"
import { subjects } from "../support/repository/covers.ts"
import { sources } from "../support/repository/source.ts"

const all = [...kinds.byName.values()]

describe("a kind", () => {
  it("is registered, and with it all that has operations", () => {
    const written = (folder: string, declared: RegExp) =>
      sources(folder).flatMap(({ code }) => [...code.matchAll(declared)].map(([, name = ""]) => name))
    // The entries of the audit log are written where every change is, and accepted rates where rates are read.
    const kinds = ["src/engine/resources", "src/engine/commit", "src/engine/calls"].flatMap((folder) =>
      written(folder, /export const (\w+Kind): \w+</g)
    )
    expect(kinds.length).toBe(all.length)
    expect(Object.keys(registered).toSorted()).toEqual(
      written("src/engine/operations", /export const (\w+) = \{[^}]*\} satisfies Registration/g).toSorted()
    )
    expect(registry).toHaveLength(Object.keys(registered).length)
    expect(new Set<unknown>(registry)).toEqual(new Set<unknown>(Object.values(registered)))
  })

  it("has the name of its machine", () => {
    for (const { kind, lifecycle } of all) expect([lifecycle.kind, lifecycle.machine.id]).toEqual([kind, kind])
  })

  it("declares its events exactly where its machine publishes", () => {
    const publishes = ({ lifecycle }: Kind) => JSON.stringify(lifecycle.machine.config).includes('"publish"')
    expect(all.filter(publishes)).toEqual(all.filter(({ events }) => events !== undefined))
    expect(all.filter(publishes).length).toBeGreaterThan(5)
  })

  it("that publishes has a rule for its event types", () => {
    const rules = Object.values(subjects.find(({ subject }) => subject === "TYPE")!.rules)
    for (const { events } of all)
      if (events !== undefined)
        expect(
          rules.some((rule) => rule.includes(`\`${events.category}.`)),
          events.category
        ).toBe(true)
  })

  it("is found by the ids of its resources", () => {
    expect(kinds.ofId("tfr_01j9z3k4m5n6p7q8r9s0t1v2w3")).toBe(TransferKind)
    expect(kinds.ofId("cust_01j9z3k4m5n6p7q8r9s0t1v2w3")).toBe(CustomerKind)
    for (const nobodys of ["evt_01j9z3k4m5n6p7q8r9s0t1v2w3", "tfr", "", "_"])
      expect(kinds.ofId(nobodys)).toBeUndefined()
  })

  it("shares its name and its prefix with no other", () => {
    expect(() => makeKinds([TransferKind, TransferKind], [])).toThrow(
      "the kinds transfer and transfer share the key tfr"
    )
    expect(() => makeKinds([TransferKind], [TransferKind])).toThrow(
      "the kinds transfer and transfer share the key transfer"
    )
  })
})

describe("an id", () => {
  const written = (call: RegExp) =>
    sources("src").flatMap(({ path, code }) =>
      path === "src/engine/ports/Ids.ts" ? [] : [...code.matchAll(call)].map(([, prefix = ""]) => prefix)
    )
  const ofKinds = all.flatMap((kind) => ("prefix" in kind ? [kind.prefix] : []))
  /** Of what is no resource: an event, a request. */
  const others = new Set(written(/\bids\.make\("(\w+)"\)/g))

  it("of a resource is made with the prefix of its kind", () => {
    expect(ofKinds.filter((prefix) => others.has(prefix as string))).toEqual([])
    expect(ofKinds.length).toBeGreaterThan(15)
  })

  it("is asked for by a prefix that something has", () => {
    const asked = written(/\b(?:Id|param|hasPrefix)\("(\w+)"/g)
    expect(asked.filter((prefix) => !ofKinds.includes(prefix) && !others.has(prefix) && prefix !== "prov")).toEqual([])
    expect(asked.length).toBeGreaterThan(30)
  })
})

/** Never called: what must not compile, does not. */
export const incomplete = [
  // @ts-expect-error -- a category without the body of its events
  (): Kind["events"] => ({ category: "memo" }),
  // @ts-expect-error -- a resource without a prefix has no ids
  (kind: Kind): ResourceKind => kind,
  // @ts-expect-error -- a transaction without its view
  (kind: ResourceKind): TransactionKind => kind,
  // @ts-expect-error -- a resource without operations
  (): Registration => ({ kind: TransferKind, layer: Transfers.layer }),
  // @ts-expect-error -- a resource without its service
  (operations: Sections): Registration => ({ kind: TransferKind, operations }),
  // @ts-expect-error -- a quote is shown as no transaction, so it descends from nothing
  () => begin(QuoteKind, { merchant_id: "mer_1", id: "quo_1", root_id: "ofr_1" }, {} as never, 0),
  () => begin(TransferKind, { merchant_id: "mer_1", id: "tfr_1", root_id: "ofr_1" }, {} as never, 0)
]
