/** `npm ci` ends with it: `npx corridor` runs the sources in this repository. Whatever Node there is runs this file. */
import { rmSync, symlinkSync } from "node:fs"

const link = new URL("../node_modules/.bin/corridor", import.meta.url)
rmSync(link, { force: true })
// Windows has no links without a right of its own. `npm start` needs none.
if (process.platform !== "win32") symlinkSync("../../src/cli/main.ts", link)
