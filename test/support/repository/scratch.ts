/** Where a test keeps files that its processes write often: in memory where the machine has that, so that nobody waits for a disk. */
import { accessSync, constants, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"

const inMemory = ((): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    return true
  } catch {
    return false
  }
})()

/** Makes a folder of its own. It survives the end of every process, but not that of the machine. */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(inMemory ? memory : tmpdir(), prefix))
