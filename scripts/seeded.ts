/** Seeded defects: a copy of the sources with one text replaced. */
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Defect } from "../test/simulation/defect.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The text of a defect's file with the defect. Errors: throws unless the text to replace occurs exactly once. */
export const replaceText = ({ file, from, name, to }: Defect): string => {
  const text = readFileSync(join(root, file), "utf8")
  // What is around the text stays as it is: a line that ends before it still does.
  // Matches a text however it is indented and broken into lines: the formatter does both.
  const pattern = new RegExp(
    from
      .trim()
      .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
      .replace(/\s+/g, "\\s+"),
    "g"
  )
  const found = [...text.matchAll(pattern)].length
  if (found !== 1) throw new Error(`${name}: the text to replace occurs ${found} times in ${file}`)
  return text.replace(pattern, () => to.trim())
}

/** A folder of its own with copies of `paths`, relative to the root, and the installed packages. The caller removes it. */
export const copySources = (paths: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-defect-"))
  for (const path of paths) cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

/** A copy as of {@link copySources}, with a defect. Errors: throws as {@link replaceText} does. */
export const seedDefect = (defect: Defect, paths: ReadonlyArray<string>): string => {
  const text = replaceText(defect)
  const folder = copySources(paths)
  writeFileSync(join(folder, defect.file), text)
  return folder
}

/** Runs Vitest in a folder, in silence. Returns its exit status; null where it was ended. */
export const runVitest = (
  folder: string,
  args: ReadonlyArray<string>,
  options: { readonly timeout: number; readonly killSignal?: NodeJS.Signals; readonly env?: NodeJS.ProcessEnv }
): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [vitest, "run", "--bail", "1", ...args], {
      cwd: folder,
      stdio: "ignore",
      ...options
    })
    child.once("error", reject)
    child.once("exit", resolve)
  })

/** Does `work` for each of `items`, at most `workers` at once. */
export const eachOf = async <A>(
  items: ReadonlyArray<A>,
  workers: number,
  work: (item: A) => Promise<void>
): Promise<void> => {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: workers }, worker))
}
