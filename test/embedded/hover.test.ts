/** What an editor shows for the embedded calls: the words of the OpenAPI document, by TypeScript's language service. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describeDeclarations, withDescriptions } from "../../scripts/declarations.ts"
import { entries } from "../../src/engine/operations.ts"
import { openApi } from "../../src/http/openapi.ts"
import { covers } from "../support/repository/covers.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "corridor-hover-"))
const operations = new Map(entries.map(({ operation }) => [operation.id, operation]))
const program = join(folder, "program.ts")
/** Where `.ci/run` has built the package, its declarations are those. */
const isBuilt = process.env["CORRIDOR_BUILT"] === "1"
const calls = isBuilt ? join(root, "dist/embedded/Corridor.d.ts") : "./embedded/Corridor.d.ts"
const text = `import type { MerchantCalls } from "${calls}"
declare const calls: MerchantCalls
const transfer = await calls.transfers.create({ wallet_id: "", beneficiary_id: "", amount: "1.00" })
export const shown = [transfer.amount, transfer.beneficiary.screening_id]
export const offramp = await calls.offramps.get("ofr_1")
export const amounts = [offramp.destination_amount, offramp.received_amount]
`

/** The documentation that an editor shows at the last place of a text in the program. */
let shownAt: (found: string) => string

/** Makes the build's declarations of the embedded calls and what they import. `npm run check:types` checks them. */
const declare = (): void => {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const project = {
    extends: join(root, "tsconfig.build.json"),
    compilerOptions: { rootDir: join(root, "src"), outDir: folder, emitDeclarationOnly: true, noCheck: true },
    include: [],
    files: [join(root, "src", "embedded", "Corridor.ts")]
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project))
  execFileSync(process.execPath, [compiler, "-p", folder, "--checkers", "1"])
  describeDeclarations(join(folder, "engine"), operations)
}

beforeAll(() => {
  if (!isBuilt) declare()
  writeFileSync(program, text)
  // The project's own TypeScript has no language service in JavaScript; that of openapi-typescript has one.
  const ts = createRequire(join(root, "tools", "openapi-types", "package.json"))("typescript")
  const service = ts.createLanguageService({
    getScriptFileNames: () => [program],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name: string) =>
      ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name)) : undefined,
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => ({
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ESNext,
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: []
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories
  })
  shownAt = (found) =>
    ts.displayPartsToString(service.getQuickInfoAtPosition(program, text.lastIndexOf(found))?.documentation ?? [])
  // The first question reads the program.
  shownAt("create({")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

covers("SERVICE-26")
describe("an editor shows the words of the document", () => {
  const document = openApi({ base_url: "https://a", docs_url: "https://a/docs", environment: "test" })
  const { CreateTransfer, Offramp, Transfer, Beneficiary } = document["components"].schemas

  it("for a call", () => {
    const documented = document["paths"]["/v1/transfers"].post.description
    expect(documented).toContain("reserved")
    expect(shownAt("create({")).toBe(documented)
  })

  it("for a member of an input", () => {
    expect(shownAt("beneficiary_id: ")).toBe(CreateTransfer.properties.beneficiary_id.description)
  })

  it.each([
    ["amount, transfer", Transfer.properties.amount],
    ["screening_id", Beneficiary.properties.screening_id],
    ["destination_amount", Offramp.properties.destination_amount],
    ["received_amount", Offramp.properties.received_amount]
  ])("for a member of a result: %s", (found, { description }) => {
    expect(description.length).toBeGreaterThan(20)
    expect(shownAt(found)).toBe(description)
  })
})

it("a declaration that has other members than its schema is refused", () => {
  const lines = ['    create: Operation<"createTransfer", {}, Struct<{', "        readonly other: String;", "    }>>;"]
  expect(() => withDescriptions(lines.join("\n"), operations)).toThrow(
    "other is in its declaration, but not in its schema"
  )
  const declaration = '    create: Operation<"createTransfer", {}>;\n    next: Operation<"getTransfer", {}>;'
  expect(() => withDescriptions(declaration, operations)).toThrow("structs are not in its declaration")
})
