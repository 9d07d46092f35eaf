/** The package as somebody installs it: packed, and unpacked beside its dependencies and nothing else. */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const compiler = resolve("node_modules/typescript/bin/tsc")
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Partial<
  Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>
>

/**
 * Packs and installs into the folder `app`, as an application in strict TypeScript. `more`: further packages of the application.
 * `built`: packs what `npm run build` has made; otherwise it is built first.
 */
export const installInto = async (
  app: string,
  { built = false, more = [] }: { readonly built?: boolean; readonly more?: ReadonlyArray<string> } = {}
): Promise<void> => {
  const scripts = built ? ["--ignore-scripts"] : []
  const options = ["--json", "--silent", ...scripts, "--pack-destination", app]
  const { stdout } = await run("npm", ["pack", ...options], { encoding: "utf8" })
  const tarball = /[\w.-]+\.tgz/.exec(stdout)?.[0] ?? ""
  const corridor = join(app, "node_modules", "corridor")
  mkdirSync(corridor, { recursive: true })
  await run("tar", ["-xzf", join(app, tarball), "-C", corridor, "--strip-components=1"])
  const { dependencies = {}, optionalDependencies = {} } = manifest
  const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), "@types/node", ...more]
  for (const name of new Set(names)) {
    // Links what this machine has of a package into the application's own folder.
    const place = join(app, "node_modules", name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(resolve("node_modules", name), place)
  }
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }))
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "ES2024",
        module: "NodeNext",
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        outDir: "out",
        skipLibCheck: false
      },
      include: ["*.ts"]
    })
  )
}

/** Compiles the application. Returns the faults of its files and of the package's declarations, a line each. */
export const mistakesIn = async (app: string): Promise<ReadonlyArray<string>> => {
  const checked = await run(process.execPath, [compiler, "-p", app, "--pretty", "false", "--checkers", "1"], {
    cwd: app
  }).catch((failed: { readonly stdout: string }) => failed)
  // Declarations are checked too; those of other packages (XState's, under this compiler) are not ours to mend.
  const ours = /^(?:node_modules\/corridor\/|[\w-]+(?:\.config)?\.ts)\S*\(\d+,\d+\)/
  return checked.stdout.split("\n").filter((line) => ours.test(line))
}
