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
 * therefore has at most twice as many running.
 */
export const bounds: Readonly<Record<Queue, Bounds>> = {
  command: { limit: 128, perPartition: 4 },
  timer: { limit: 128, perPartition: 4 },
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
 * The bounds of a claim of deliveries: a part of the free room, and less of one partition as room gets scarce. The last
 * quarter is reserved for endpoints that are not known to fail, so failing endpoints cannot delay the others, however
 * many there are.
 */
export const shared = ({ limit, perPartition }: Bounds, running: number): Share => {
  const free = limit - running
  const open = free - limit / 4
  return {
    take: Math.min(Math.ceil(free / 4), claimMax, open > 0 ? open : free),
    share: Math.max(1, Math.min(perPartition, Math.floor(free / 24))),
    isScarce: open <= 0
  }
}
