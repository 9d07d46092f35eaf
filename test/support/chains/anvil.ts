/** Starts an EVM node of Foundry. It ends with `stop`, and when this process dies in any way: its stdin closes then. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

export interface ChainNode {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** `finality`: how many blocks behind the head is final; an even number. Blocks are mined on request only. */
export const startAnvil = ({ chain_id = 8453, finality = 8 } = {}): Promise<ChainNode> => {
  const given = [
    "--port",
    "0",
    "--chain-id",
    String(chain_id),
    "--slots-in-an-epoch",
    String(finality / 2),
    "--no-mining"
  ]
  const os = process.platform === "win32" ? "win32" : process.platform
  const name = `@foundry-rs/anvil-${os}-${process.arch === "x64" ? "amd64" : process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"))
  const folder = dirname(require.resolve(`${name}/package.json`))
  const path = join(folder, "bin", process.platform === "win32" ? "anvil.exe" : "anvil")
  if (!existsSync(path)) throw new Error(`${path} is missing: install the optional dependencies`)
  const child = spawn("sh", ["-c", '"$@" & node=$!; cat >/dev/null; kill -9 $node', "sh", path, ...given], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const stop = (): Promise<void> => {
    child.stdin.end()
    return ended
  }
  return new Promise((resolve, reject) => {
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      if (output === "started") return
      output += chunk.toString()
      const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(output) ?? []
      if (port === undefined) return
      output = "started"
      resolve({ url: `http://127.0.0.1:${port}`, stop })
    })
    child.once("error", reject)
    child.once("close", () => reject(new Error(`anvil ended: ${output}`)))
  })
}
