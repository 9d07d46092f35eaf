import { describe, expect, it } from "vitest"
import { makeRecordLifecycle } from "../../src/machines/kernel/lifecycle.ts"

interface Note {
  readonly title: string
  readonly pinned: boolean
}

describe("a record", () => {
  const Notes = makeRecordLifecycle<Note>("note")
  const data: Note = { title: "a", pinned: false }

  it("is active from the beginning, as it was given", () => {
    expect(Notes.begin(data)).toMatchObject({ state: "active", data, ended: false })
  })

  it("takes the members of an update, and keeps the others", () => {
    const next = Notes.step("active", data, { type: "update", patch: { pinned: true } })
    expect(next).toMatchObject({ state: "active", data: { title: "a", pinned: true }, ended: false })
  })
})
