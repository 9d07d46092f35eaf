/** A Chromium that is installed here, headless. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { type Browser, chromium } from "playwright-core"

// The shell has no windows to draw, and takes half of the time.
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome"
]

/** Where it is: `CHROMIUM_PATH`, the PATH, or where Playwright keeps its own. `undefined`: nowhere. */
export const chromiumPath: string | undefined = [
  process.env["CHROMIUM_PATH"] ?? "",
  ...(process.env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
  chromium.executablePath()
].find((path) => path !== "" && existsSync(path))

let browser: Promise<Browser> | undefined

/**
 * The browser of this process, which ends with it: the files of tests share it, and each visit has a context of its own. Nothing but
 * this machine is reached. Its sandbox needs a user other than root, and shared memory that containers often lack.
 */
export const launched = (): Promise<Browser> =>
  (browser ??= chromium
    .launch({
      executablePath: chromiumPath!,
      args: [
        "--no-sandbox",
        "--renderer-process-limit=1",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
      ]
    })
    .then((one) => one.once("disconnected", () => (browser = undefined))))
