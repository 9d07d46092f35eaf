/** How many jobs a node runs at once, and how many of them a claim takes. */
import type { Queue } from "../../ports/Storage.ts"

/** The most jobs of one claim. A larger claim is slow, and the next one can be made while these run. */
export const claimMax = 128

export interface Bounds {
  readonly limit: number
  readonly perPartition: number
}

/**
 * The most jobs of a queue that run at once on this node, and the most of one partition that a claim takes. A partition
 * therefore has at most twice as many running: of calls to providers, and of timers that ask one, half of all.
 */
export const bounds: Readonly<Record<Queue, Bounds>> = {
  command: { limit: 256, perPartition: 64 },
  timer: { limit: 256, perPartition: 64 },
  simulated: { limit: 128, perPartition: 128 },
  delivery: { limit: 1024, perPartition: 32 }
}

/**
 * The bounds of a claim: in all, and of one partition. `isScarce`: only of partitions whose last attempt on this node
 * succeeded.
 */
interface Share {
  readonly take: number
  readonly share: number
  readonly isScarce: boolean
}

/**
 * The bounds of a claim. As room gets scarce, it takes less of one partition.
 *
 * Of deliveries it takes a part of the free room, and the last quarter is reserved for endpoints that are not known to fail, so failing
 * endpoints cannot delay the others, however many there are. Of other jobs, the last quarter is given out in small shares, and a claim takes
 * no more than one share: where all that is due is of one partition, the store looks no further.
 */
export const shared = (queue: Queue, running: number): Share => {
  const { limit, perPartition } = bounds[queue]
  const free = limit - running
  const open = free - limit / 4
  const most = Math.min(claimMax, open > 0 ? open : free)
  if (queue === "delivery") {
    const share = Math.max(1, Math.min(perPartition, Math.floor(free / 24)))
    return { take: Math.min(Math.ceil(free / 4), most), share, isScarce: open <= 0 }
  }
  // Jobs of the simulated provider ask nobody.
  if (queue === "simulated") return { take: Math.min(free, claimMax), share: perPartition, isScarce: false }
  return { take: Math.min(most, perPartition), share: open > 0 ? perPartition : perPartition / 16, isScarce: false }
}
