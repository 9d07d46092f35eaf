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
 * The bounds of a claim: in all, and of one partition. `isScarce`: only of partitions that are not known to fail, or to be
 * silent, on this node.
 */
interface Share {
  readonly take: number
  readonly share: number
  readonly isScarce: boolean
}

/**
 * The bounds of a claim. The last quarter of the room is reserved for partitions that are not known to fail, so those that do
 * cannot delay the others, however many there are. A claim of deliveries takes a part of the free room, and less of one
 * partition as room gets scarce. A claim of other jobs takes no more than the share of one partition: where all that is due is of
 * one, the store looks no further.
 */
export const shared = (queue: Queue, running: number): Share => {
  const { limit, perPartition } = bounds[queue]
  const free = limit - running
  if (queue === "simulated") return { take: Math.min(free, claimMax), share: perPartition, isScarce: false }
  const open = free - limit / 4
  const isScarce = open <= 0
  const most = Math.min(claimMax, isScarce ? free : open)
  if (queue !== "delivery") return { take: Math.min(most, perPartition), share: perPartition, isScarce }
  return {
    take: Math.min(Math.ceil(free / 4), most),
    share: Math.max(1, Math.min(perPartition, Math.floor(free / 24))),
    isScarce
  }
}
