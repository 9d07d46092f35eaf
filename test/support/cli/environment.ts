import { fileURLToPath } from "node:url"

/** The file of the command: the built one where `.ci/run` has built it, which starts in half of the time, and that of the sources elsewhere. */
export const main = fileURLToPath(
  new URL(
    process.env["CORRIDOR_BUILT"] === "1" ? "../../../dist/cli/main.js" : "../../../src/cli/main.ts",
    import.meta.url
  )
)

/** All that a process of a test has of this one's environment: where commands are, and the code that earlier processes compiled. */
export const bare: Readonly<Record<string, string | undefined>> = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
}
