/** A PGlite directory belongs to one store: real processes, real locks. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { claimDirectory } from "../../../src/adapters/storage/pglite-files.ts"
import { PgliteStorage } from "../../../src/adapters/storage/pglite.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { type Running, startFile } from "../../support/http/served-process.ts"
import { fillDirectory } from "../../support/stores/pglite.ts"

const running = new Set<Running>()
const made: Array<string> = []
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL")
  await Promise.all([...running].map(({ exit }) => exit))
  running.clear()
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
})

const fresh = (): string => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "corridor-directory-")))
  made.push(parent)
  const directory = join(parent, "data")
  mkdirSync(directory)
  return directory
}

/** A process that requests a directory, and its output. */
const holder = async (directory: string): Promise<{ readonly process: Running; readonly printed: string }> => {
  const process = startFile("test/support/stores/directory-holder.ts", {}, [directory])
  running.add(process)
  return { process, printed: await process.printed(/(holds|refused: .*)\n/) }
}

const claimed = (directory: string): Promise<void> =>
  Effect.runPromise(Effect.asVoid(Effect.scoped(claimDirectory(directory))))

const refusal = (directory: string): Promise<string> =>
  Effect.runPromise(
    Effect.map(Effect.flip(Effect.scoped(claimDirectory(directory))), ({ message, retryable }) => {
      expect(retryable).toBe(false)
      return message
    })
  )

covers("SERVICE-14")
describe("a directory in use", () => {
  it("is refused to another process at once, with a message that names it and its holder, and is free once that is killed", async () => {
    const directory = fresh()
    const first = await holder(directory)
    expect(first.printed).toBe("holds")
    const { pid } = first.process.child
    const line = new RegExp(
      `^the directory ${directory} is in use by process ${pid} \\(directory-holder\\.ts\\) on \\S+, since \\S+Z$`
    )
    const other = await holder(directory)
    expect(other.printed.replace("refused: ", "")).toMatch(line)
    expect(await refusal(directory)).toMatch(line)

    first.process.child.kill("SIGKILL")
    await first.process.exit
    // The files that it left behind have no effect.
    expect(readdirSync(directory).sort()).toEqual(["corridor.holder", "corridor.lock"])
    await claimed(directory)
    expect(readdirSync(directory)).toEqual(["corridor.lock"])
  })

  it("goes to one of the processes that race for the directory of a killed one", async () => {
    const directory = fresh()
    const dead = await holder(directory)
    dead.process.child.kill("SIGKILL")
    await dead.process.exit
    const rivals = await Promise.all(Array.from({ length: 4 }, () => holder(directory)))
    expect(rivals.filter(({ printed }) => printed === "holds")).toHaveLength(1)
  })

  it("is the same by every path", async () => {
    const directory = fresh()
    const link = join(directory, "..", "link")
    symlinkSync(directory, link)
    const ways = [link, relative(process.cwd(), directory), `${directory}/../data/.`]
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          expect(yield* claimDirectory(link)).toBe(directory)
          for (const way of ways) {
            expect(yield* Effect.promise(() => refusal(way))).toContain(
              `the directory ${directory} is in use by process ${process.pid} `
            )
          }
        })
      )
    )
    for (const way of ways) await claimed(way)
  })

  it("is free when its holder file names a live process that holds no lock", async () => {
    const directory = fresh()
    writeFileSync(join(directory, "corridor.lock"), "")
    writeFileSync(join(directory, "corridor.holder"), `process ${process.pid} (node) on here, since yesterday\n`)
    await claimed(directory)
  })

  it("is a fault with a reason where no directory is possible", async () => {
    const file = join(fresh(), "file")
    writeFileSync(file, "")
    expect(await refusal(join(file, "data"))).toContain(`the directory ${join(file, "data")} cannot be used: ENOTDIR`)
  })
})

it("a store in a directory held by this process is refused, and opens once the first is closed, with its data", async () => {
  const directory = fresh()
  await fillDirectory(directory)
  const opened = async () => {
    const scope = Effect.runSync(Scope.make())
    const exit = await Effect.runPromiseExit(
      Effect.map(Layer.buildWithScope(PgliteStorage.layer({ directory }), scope), (context) =>
        Context.get(context, Storage)
      )
    )
    return { exit, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }
  const first = await opened()
  const store = Exit.isSuccess(first.exit) ? first.exit.value : expect.fail("the first store did not open")
  await Effect.runPromise(store.assign("kept", "yes"))

  const second = await opened()
  expect(Exit.isFailure(second.exit) && String(second.exit.cause)).toContain(`the directory ${directory} is in use by`)
  await second.close()
  // The refusal did not disturb the first store.
  expect(await Effect.runPromise(store.setting("kept"))).toBe("yes")
  expect(await refusal(directory)).toContain("is in use by")

  await first.close()
  const third = await opened()
  expect(Exit.isSuccess(third.exit) && (await Effect.runPromise(third.exit.value.setting("kept")))).toBe("yes")
  await third.close()
})
