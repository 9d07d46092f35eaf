/** The systemd unit, by systemd's own checks where it is installed. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { graceMs } from "../../src/http/envelope-server.ts"
import { listSettings } from "../support/ops/known-settings.ts"

const unit = readFileSync("ops/systemd/corridor.service", "utf8")
const valuesOf = (name: string): ReadonlyArray<string> =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value)

const folder = mkdtempSync(join(tmpdir(), "corridor-systemd-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const analyze = (...args: ReadonlyArray<string>) => spawnSync("systemd-analyze", args, { encoding: "utf8" })
const isInstalled = analyze("--version").status === 0

describe("ops/systemd", () => {
  it.skipIf(!isInstalled)("passes systemd-analyze verify", () => {
    // What it starts is installed elsewhere.
    const [command = ""] = valuesOf("ExecStart")
    const binary = join(folder, "corridor")
    writeFileSync(binary, "#!/bin/sh\n")
    chmodSync(binary, 0o755)
    const copy = join(folder, "corridor.service")
    writeFileSync(copy, unit.replace(command.split(" ")[0]!, binary))
    const { output, status } = analyze("verify", copy)
    expect([output.join("").trim(), status]).toEqual(["", 0])
  })

  it.skipIf(!isInstalled)("is exposed to at most 2 of 10 by systemd-analyze security", () => {
    const { status, stdout } = analyze("security", "--offline=true", "--threshold=20", "ops/systemd/corridor.service")
    expect([stdout.split("\n").filter((line) => line.includes("Overall")).length, status]).toEqual([1, 0])
  })

  it("waits for longer than a stopping server takes", () => {
    expect(Number(valuesOf("TimeoutStopSec")[0]) * 1000).toBeGreaterThan(graceMs)
    expect(valuesOf("KillSignal")).toEqual(["SIGTERM"])
  })

  it("keeps what Node has compiled where nobody else writes", () => {
    const [cache] = valuesOf("Environment").flatMap((text) => /^NODE_COMPILE_CACHE=(.*)$/.exec(text)?.[1] ?? [])
    expect(cache).toBe(`/var/cache/${valuesOf("CacheDirectory")[0]}`)
    expect(valuesOf("DynamicUser")).toEqual(["yes"])
  })

  it("sets only settings that exist", () => {
    const names = [...readFileSync("ops/systemd/corridor.env.example", "utf8").matchAll(/^(\w+)=/gm)].map(
      ([, name = ""]) => name
    )
    const known = listSettings()
    expect(known.size).toBeGreaterThan(20)
    expect(names.filter((name) => !known.has(name))).toEqual([])
    expect(names).toContain("DATABASE_URL")
  })
})
