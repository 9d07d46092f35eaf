/** The end of `corridor serve`, whenever its signal comes. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { run } from "../../src/cli/run.ts"
import { startFile } from "../support/http/served-process.ts"
import { main } from "../support/cli/environment.ts"
import { covers } from "../support/repository/covers.ts"

const env = { DATABASE_URL: "memory:", PORT: "0", CORRIDOR_LOG_LEVEL: "none" }

covers("SERVICE-10")
it("heeds a signal from before it starts, and shows the secrets of its start even then", async () => {
  const acts: Array<string> = []
  const code = await run(["serve"], {
    env,
    directory: ".",
    say: (line) => void acts.push(line.split(/[:\d]/)[0]!),
    complain: () => {},
    readInput: Effect.succeed(""),
    status: undefined,
    colors: false,
    columns: 100,
    stopped: () => Effect.sync(() => void acts.push("heeds signals"))
  })
  expect([code, acts]).toEqual([
    0,
    ["heeds signals", "Corridor ", "API key, shown this once", "Operator token, shown this once"]
  ])
})

covers("SERVICE-10")
it("ends with 0 at a SIGTERM that comes with the first byte of its output", async () => {
  const server = startFile(main, env, ["serve"])
  await server.printed(/./)
  server.child.kill("SIGTERM")
  expect(await server.exit).toBe(0)
})

covers("TELEMETRY-12")
it("tells a person at a terminal where the console is, and what to do first", async () => {
  const startLines = async (more: object) => {
    const lines: Array<string> = []
    await run(["serve"], {
      env,
      directory: ".",
      say: (line) => void lines.push(line),
      complain: () => {},
      readInput: Effect.succeed(""),
      status: undefined,
      colors: false,
      columns: 100,
      stopped: () => Effect.void,
      ...more
    })
    return lines
  }
  const lines = await startLines({ isTerminal: true })
  expect(lines.every((line) => line.length <= 100)).toBe(true)
  const text = lines.join("\n")
  expect(text).toMatch(/^ {2}Console {2}http:\/\/127\.0\.0\.1:\d+\/console$/m)
  expect(text).toMatch(/^API key, shown this once: +sk_test_\S+$/m)
  expect(text).toMatch(/^First: open the console and sign in with the key or the token above\.$/m)
  expect((await startLines({}))[0]).toMatch(/^Corridor \S+ listens on http/)
})
