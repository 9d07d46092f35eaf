/**
 * Which Chromium the tests use: one that the machine has, or the one that `npm ci` brings on Linux, compressed in its package. That one
 * is unpacked once, with the libraries and fonts that a machine without a desktop lacks, to a folder that other runs find whole or not
 * at all.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

// The shell has no windows to draw, and takes half of the time.
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome"
]

/** Where the machine has one: `CHROMIUM_PATH`, the PATH, or where Playwright keeps its own. */
const found: string | undefined = [
  process.env["CHROMIUM_PATH"] ?? "",
  ...(process.env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
  chromium.executablePath()
].find((path) => path !== "" && existsSync(path))

const installed = fileURLToPath(new URL("../../../node_modules/@sparticuz/chromium", import.meta.url))

/** Undefined: the package has no Chromium for this machine. */
const unpacked: string | undefined =
  process.platform === "linux" && process.arch === "x64" && existsSync(join(installed, "package.json"))
    ? join(
        installed,
        "../../.cache",
        `chromium-${(JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string }).version}`
      )
    : undefined

/** What starts it. Undefined: there is none for this machine. */
export const browserHere: { readonly executablePath: string; readonly env?: Record<string, string> } | undefined =
  found !== undefined
    ? { executablePath: found }
    : unpacked === undefined
      ? undefined
      : {
          executablePath: join(unpacked, "chromium"),
          env: {
            ...(process.env as Record<string, string>),
            LD_LIBRARY_PATH: join(unpacked, "al2023/lib"),
            FONTCONFIG_PATH: join(unpacked, "fonts")
          }
        }

/** Unpacks the Chromium of the package if the tests use it, and no run did so before. Takes some seconds of a processor. */
export const unpackBrowser = async (): Promise<void> => {
  if (found !== undefined || unpacked === undefined || existsSync(unpacked)) return
  mkdirSync(dirname(unpacked), { recursive: true })
  const folder = mkdtempSync(`${unpacked}-`)
  const before = process.env["TMPDIR"]
  try {
    // The package unpacks to the temporary folder, and takes what is there for whole.
    process.env["TMPDIR"] = folder
    const { inflate } = await import("@sparticuz/chromium")
    await Promise.all(
      ["chromium.br", "fonts.tar.br", "swiftshader.tar.br", "al2023.tar.br"].map((name) =>
        inflate(join(installed, "bin", name))
      )
    )
    // That of the package looks for its fonts in the temporary folder, and without a font the browser ends.
    writeFileSync(
      join(folder, "fonts/fonts.conf"),
      `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${unpacked}/fonts</dir><cachedir>${unpacked}/fonts/cache</cachedir></fontconfig>
`
    )
    renameSync(folder, unpacked)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    // Another run was first.
    if (!existsSync(unpacked)) throw error
  } finally {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  }
}
