/** Builds `dist`: JavaScript, types, the files read at run time, and the console. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { bundleIn } from "./bundled.ts"
import { addCommonJs } from "./client/commonjs.ts"
import { buildConsole } from "./console.ts"
import { describeBuild } from "./declarations.ts"

const root = dirname(import.meta.dirname)
const dist = join(root, "dist")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

// The console replaces its files itself: a server that runs from the sources may be reading them.
for (const entry of existsSync(dist) ? readdirSync(dist) : [])
  if (entry !== "console") rmSync(join(dist, entry), { recursive: true, force: true })
const compiled = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
if (compiled.status !== 0) process.exit(1)

await describeBuild(dist)

cpSync(join(root, "src"), dist, {
  recursive: true,
  filter: (path) => path !== join(root, "src", "console") && (!path.endsWith(".ts") || statSync(path).isDirectory())
})

await addCommonJs(dist)

const { dependencies, exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly dependencies: object
  readonly exports: Readonly<Record<string, string | { readonly types?: { readonly default: string } }>>
}
await bundleIn(root, join(dist, "http", "node", "index.js"), Object.keys(dependencies))

/**
 * The types of a file for consumers in CommonJS. Node loads an ES module with `require`; under `module: node16` TypeScript knows
 * that for declarations of CommonJS only.
 */
const commonJsTypes = (types: string): void => {
  const file = join(root, types.replace(/\.d\.ts$/, ".d.cts"))
  const from = JSON.stringify(`./${basename(types, ".d.ts")}.js`)
  const text = `// @ts-ignore -- Node loads an ES module with require.\nexport * from ${from}\n`
  writeFileSync(file, text)
}
for (const entry of Object.values(entries)) {
  if (typeof entry === "string" || entry.types === undefined) continue
  for (const types of globSync(entry.types.default.replace("*", "*/*"), { cwd: root })) commonJsTypes(types)
}

// The package has the files of this build only.
await buildConsole(undefined, { keep_ms: 0 })
