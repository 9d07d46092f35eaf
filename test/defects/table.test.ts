/** The seeded defects can be seeded: each text is in its file once, so that a change of the sources is a change of the table. */
import { existsSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { describe, expect, it } from "vitest"
import { replaceText } from "../../scripts/seeded.ts"
import type { Defect } from "../simulation/defect.ts"
import { defects as simulated } from "../simulation/defects.ts"
import { defects } from "./defects.ts"

/** Why a defect cannot be seeded, or nothing. */
const faultOf = (defect: Defect): ReadonlyArray<string> => {
  try {
    const text = replaceText(defect)
    // What does not parse would be noticed by any test.
    if (defect.file.endsWith(".ts")) stripTypeScriptTypes(text)
    return defect.from === defect.to ? [`${defect.name}: it changes nothing`] : []
  } catch (error) {
    return [`${defect.name}: ${(error as Error).message}`]
  }
}

describe("the seeded defects", () => {
  it("replace a text that their file has once, by one that parses", () => {
    expect([...defects, ...simulated].flatMap(faultOf)).toEqual([])
  })

  it("have names of their own", () => {
    const names = defects.map(({ file, name }) => `${file}: ${name}`)
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([])
  })

  it("name tests that exist", () => {
    const named = new Set(defects.flatMap(({ tests }) => tests))
    expect([...named].filter((path) => !existsSync(path))).toEqual([])
    expect(defects.filter(({ tests }) => tests.length === 0)).toEqual([])
  })
})
