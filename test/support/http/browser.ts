/** A Chromium, headless. */
import { type Browser, chromium } from "playwright-core"
import { describe } from "vitest"
import { browserHere } from "./chromium.ts"

/** Tests in a browser. Where there is none they are skipped, and say what to install. */
export const describeInBrowser = (title: string, tests: () => void): void => {
  const why = browserHere === undefined ? " (skipped: install Chromium, or give its path in CHROMIUM_PATH)" : ""
  describe.skipIf(browserHere === undefined)(`${title}${why}`, () => {
    tests()
  })
}

let browser: Promise<Browser> | undefined

/**
 * The browser of this process, which ends with it: the files of tests share it, and each visit has a context of its own. Nothing but
 * this machine is reached. Its sandbox needs a user other than root, and shared memory that containers often lack.
 */
export const launchBrowser = (): Promise<Browser> =>
  (browser ??= chromium
    .launch({
      ...browserHere,
      args: [
        "--no-sandbox",
        "--renderer-process-limit=1",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
      ]
    })
    .then((one) => one.once("disconnected", () => (browser = undefined))))
