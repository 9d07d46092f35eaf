/** Builds `dist`: JavaScript, types, the files read at run time, and the console. */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { transform } from "esbuild"
import { bundleIn, joinModules } from "./bundled.ts"
import { addCommonJs } from "./client/commonjs.ts"
import { buildConsole } from "./console.ts"
import { describeBuild } from "./declarations.ts"

const root = dirname(import.meta.dirname)
const dist = join(root, "dist")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

// The console replaces its files itself: a server that runs from the sources may be reading them.
for (const entry of existsSync(dist) ? readdirSync(dist) : [])
  if (entry !== "console") rmSync(join(dist, entry), { recursive: true, force: true })
// Several checkers each check what they share: one takes a third of their processor time.
const options = ["-p", "tsconfig.build.json", "--checkers", "1"]
const compiled = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: "inherit" })
if (compiled.status !== 0) process.exit(1)

await describeBuild(dist)

cpSync(join(root, "src"), dist, {
  recursive: true,
  filter: (path) => path !== join(root, "src", "console") && (!path.endsWith(".ts") || statSync(path).isDirectory())
})

await addCommonJs(dist)

/** An entry of the package, for modules, and beside it for CommonJS if it has a form of its own. */
interface Entry {
  readonly types?: { readonly default: string }
  readonly default: string
  readonly import?: { readonly default: string }
}

const {
  bin,
  dependencies,
  exports: entries,
  name
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: object
  readonly exports: Readonly<Record<string, string | Entry>>
}
await bundleIn(root, join(dist, "http", "node", "index.js"), Object.keys(dependencies))

/** The files of an entry of the package: a pattern has those of all folders below it. */
const filesOf = (entry: string): ReadonlyArray<string> => globSync(entry.replace("*", "**/*"), { cwd: root })
for (const entry of Object.values(entries)) {
  if (typeof entry === "string" || entry.types === undefined) continue
  for (const types of globSync(entry.types.default.replace("*", "*/*"), { cwd: root })) {
    // The types of a file for consumers in CommonJS. Node loads an ES module with `require`; under `module: node16`
    // TypeScript knows that for declarations of CommonJS only.
    const file = join(root, types.replace(/\.d\.ts$/, ".d.cts"))
    const from = JSON.stringify(`./${basename(types, ".d.ts")}.js`)
    const text = `// @ts-ignore -- Node loads an ES module with require.\nexport * from ${from}\n`
    writeFileSync(file, text)
  }
}

/** A process of its own, which is not imported. */
const simulationWorker = "dist/cli/simulation/worker.js"
const modules = Object.values(entries).flatMap((entry) =>
  typeof entry === "string" ? [] : filesOf((entry.import ?? entry).default)
)
await joinModules(
  root,
  dist,
  name,
  [...modules, ...Object.values(bin), simulationWorker].map((file) => relative("dist", file)),
  // The client runs in browsers, the receiver on older Nodes, and the command has its own way to say it.
  (entry) => !/^(?:client|receiver|cli)\//.test(entry)
)

// The package has the files of this build only.
await buildConsole(undefined, { keep_ms: 0 })

/** The package's specifier of one of its sources. */
const specifierOf = (source: string): string =>
  `${name}/${source.replace(/\.ts$/, "")}`.replace(/(?:\/http)?(\/config)?\/index$/, "$1")
// The examples of a program, as who has installed the package runs them: Node takes no types below `node_modules`.
for (const path of globSync("examples/{*,support/*}.ts", { cwd: root })) {
  const { code } = await transform(readFileSync(join(root, path), "utf8"), { loader: "ts", target: "node22" })
  const file = join(dist, path.replace(/\.ts$/, ".js"))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    code
      .replace(/from "(?:\.\.\/)+src\/([^"]+)"/g, (_, source: string) => `from "${specifierOf(source)}"`)
      .replace(/from "(\.[^"]+)\.ts"/g, 'from "$1.js"')
  )
}
