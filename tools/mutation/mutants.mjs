/** Lists the mutants of sources: paths come in as JSON, and JSON goes out, with the function that each mutant is in. */
import { readFileSync } from "node:fs"
import { Instrumenter } from "@stryker-mutator/instrumenter"
import { parseSync, traverse } from "@babel/core"

const quiet = () => {}
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  trace: quiet,
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: console.error
}
const options = { excludedMutations: ["StringLiteral"], plugins: null, ignorers: [], noHeader: true }

const offsetsOf = (text) => {
  const lines = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.push(at + 1)
  return ({ column, line }) => lines[line] + column
}

/** Where the functions of a source begin and end. */
const functionsIn = (path, text) => {
  const plugins = ["typescript", "explicitResourceManagement", ...(path.endsWith("x") ? ["jsx"] : [])]
  const tree = parseSync(text, { configFile: false, babelrc: false, parserOpts: { plugins, sourceType: "module" } })
  const found = []
  traverse(tree, {
    Function({ node: { end, start } }) {
      found.push([start, end])
    }
  })
  return found
}

/** The smallest of the ranges that has an offset. */
const innermost = (ranges, at) =>
  ranges.reduce(
    (least, one) =>
      one[0] <= at && at < one[1] && (least === null || one[1] - one[0] < least[1] - least[0]) ? one : least,
    null
  )

const found = []
for (const path of JSON.parse(readFileSync(0, "utf8"))) {
  const content = readFileSync(path, "utf8")
  const { mutants } = await new Instrumenter(logger).instrument([{ name: path, content, mutate: true }], options)
  const at = offsetsOf(content)
  const functions = functionsIn(path, content)
  for (const { location, mutatorName, replacement, status } of mutants)
    if (status !== "Ignored") {
      const [start, end] = [at(location.start), at(location.end)]
      found.push({ path, start, end, mutator: mutatorName, replacement, within: innermost(functions, start) })
    }
}
process.stdout.write(JSON.stringify(found))
