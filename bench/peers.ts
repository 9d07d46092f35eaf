/**
 * Whole lives of a payout on Corridor and on other engines: `npm run bench -- --peers`. Their packages are installed by
 * peers/install.sh only.
 */
import { compare, type Contender } from "./measure.ts"
import { lifeOnPostgres } from "./ours.ts"
import { lifeOnDbos } from "./peers/dbos.ts"
import { lifeOnGraphileWorker } from "./peers/graphile-worker.ts"
import { isInstalled } from "./peers/lives.ts"
import { lifeOnRestate } from "./peers/restate.ts"
import { SERVER } from "./peers/restate-server.ts"
import type { Show } from "./results.ts"

const WALLETS = 2_000
const IN_FLIGHT = 128
const COUNT = 1_500
const ROUNDS = 6

interface Peer {
  readonly name: string
  readonly packages: ReadonlyArray<string>
  /** Over a new database, which a peer with a store of its own leaves empty. */
  readonly life: (url: string, wallets: number, inFlight: number) => Promise<Contender>
}

const peers: ReadonlyArray<Peer> = [
  { name: "DBOS Transact", packages: ["@dbos-inc/dbos-sdk"], life: lifeOnDbos },
  { name: "Graphile Worker", packages: ["graphile-worker"], life: lifeOnGraphileWorker },
  { name: "Restate", packages: ["@restatedev/restate-sdk", SERVER], life: lifeOnRestate }
]

/** Rows `{name, ours_per_s, peer_per_s, ratio, ours_p50_ms, ours_p99_ms, peer_p50_ms, peer_p99_ms}`, each of one run in alternating rounds. */
export const measurePeers = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<object>> => {
  const missing = peers.filter(({ packages }) => !packages.every(isInstalled))
  if (missing.length > 0) {
    console.error(`Not installed: ${missing.map(({ name }) => name).join(", ")}. Run bench/peers/install.sh`)
  }
  const present = peers.filter((peer) => !missing.includes(peer))
  if (present.length === 0) return []
  show(["", "ours/s", "peer/s", "ratio", "ours p50 ms", "ours p99 ms", "peer p50 ms", "peer p99 ms"])
  const rows: Array<object> = []
  for (const { name, life } of present) {
    const ours = await lifeOnPostgres(await fresh(), WALLETS, IN_FLIGHT)
    const peer = await life(await fresh(), WALLETS, IN_FLIGHT)
    try {
      const count = Math.ceil(COUNT * scale)
      const measured = await compare({ ours, floor: peer }, { warmup: count, count, rounds: ROUNDS })
      const [mine, theirs] = [measured.ours!, measured.floor!]
      const milliseconds = [mine.p50_ms, mine.p99_ms, theirs.p50_ms, theirs.p99_ms].map(Math.round)
      const [ours_p50_ms, ours_p99_ms, peer_p50_ms, peer_p99_ms] = milliseconds
      const row = {
        name,
        ours_per_s: Math.round(mine.per_s),
        peer_per_s: Math.round(theirs.per_s),
        ratio: Math.round((mine.per_s / theirs.per_s) * 100) / 100,
        ours_p50_ms: ours_p50_ms!,
        ours_p99_ms: ours_p99_ms!,
        peer_p50_ms: peer_p50_ms!,
        peer_p99_ms: peer_p99_ms!
      }
      rows.push(row)
      show(Object.values(row))
    } finally {
      await ours.close()
      await peer.close()
    }
  }
  return rows
}
