/** Where a test keeps files that its processes write often: in memory where the machine has enough of it, so that nobody waits for a disk. */
import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"
/** What the databases of a run take, and more. A container has 64 MB unless it is given more. */
const roomBytes = 6 * 1024 ** 3

const inMemory = ((): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= roomBytes
  } catch {
    return false
  }
})()

/** Makes a folder of its own. It survives the end of every process, but not that of the machine. */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(inMemory ? memory : tmpdir(), prefix))
