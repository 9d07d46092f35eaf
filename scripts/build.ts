/** Builds `dist`: JavaScript, types, the files read at run time, and the console. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { addCommonJs } from "./client/commonjs.ts"
import { buildConsole } from "./console.ts"

const root = dirname(import.meta.dirname)
const dist = join(root, "dist")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

// The console replaces its files itself: a server that runs from the sources may be reading them.
for (const entry of existsSync(dist) ? readdirSync(dist) : [])
  if (entry !== "console") rmSync(join(dist, entry), { recursive: true, force: true })
const compiled = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
if (compiled.status !== 0) process.exit(1)

cpSync(join(root, "src"), dist, {
  recursive: true,
  filter: (path) => path !== join(root, "src", "console") && (!path.endsWith(".ts") || statSync(path).isDirectory())
})

await addCommonJs(dist)

// The package has the files of this build only.
await buildConsole(undefined, { keep_ms: 0 })
