/** A command on a pseudo terminal: what it shows there, and its exit code. Python makes the terminal, as in the connectors' tests. */
import { execFileSync, spawn } from "node:child_process"
import { bare, main } from "./environment.ts"

/** Starts the command, types each text once what it waits for is shown, and prints what the terminal showed. Its exit code is that of the command. */
const driver = `
import json, os, pty, select, sys, time
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown, at, end = b"", 0, time.time() + 60
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            read = os.read(fd, 4096)
        except OSError:
            read = b""
        if not read:
            break
        shown += read
    if steps and steps[0][0].encode() in shown[at:]:
        at = len(shown)
        os.write(fd, steps.pop(0)[1].encode())
else:
    os.kill(pid, 9)
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
`

/** Why there is no pseudo terminal here; undefined: there is one. */
export const noTerminal = ((): string | undefined => {
  try {
    execFileSync("python3", ["-c", "import pty; pty.openpty()"], { stdio: "ignore" })
    return undefined
  } catch {
    return "python3 with a pseudo terminal is not there"
  }
})()

/** `steps`: what is waited for, and what is then typed. */
export const onTerminal = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  steps: ReadonlyArray<readonly [shown: string, typed: string]>
): Promise<{ readonly code: number | null; readonly shown: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn("python3", ["-c", driver, JSON.stringify(steps), process.execPath, main, ...args], {
      env: { ...bare, TERM: "xterm", ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let shown = ""
    child.stdout.on("data", (chunk) => (shown += String(chunk)))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, shown }))
  })
