/** Generates a seed's simulation: its people, what they do within thirty days, and its faults. */
import { acts } from "./acts.ts"
import { drawApprovals } from "./approvals.ts"
import { drawBanking } from "./bank.ts"
import { drawBatches } from "./batches.ts"
import { drawPauses } from "./brakes.ts"
import { drawControls, drawLimits, drawFeeSchedules } from "./controls.ts"
import { drawCorrections } from "./corrections.ts"
import {
  calm,
  type Crash,
  day,
  type Faults,
  hour,
  minute,
  type Op,
  type Other,
  type Program,
  deviationKinds,
  second
} from "./program.ts"
import { Chance } from "./random.ts"
import { Script } from "./script.ts"
import { drawPayroll } from "./payroll.ts"
import { addJoinedResources } from "./joined-resources.ts"

/** Faults of which each is drawn with probability one half, at a rate of its own. */
const rates = [
  "storage_before",
  "storage_after",
  "storage_read",
  "storage_slow",
  "unavailable",
  "refused",
  "stranded",
  "timeout_absent",
  "timeout_executed",
  "slow",
  "lookup",
  "late",
  "twice",
  "reversed",
  "never",
  "contradicted",
  "provoked",
  "deferred"
] as const

/** Draws the misbehaviour of the provider. Each kind is drawn with probability 0.4, at a rate of its own. */
const drawDeviations = (seed: number): Partial<Faults> =>
  Object.fromEntries(
    deviationKinds.flatMap((name) => {
      const chance = new Chance(`rude ${seed} ${name}`)
      return chance.happens(0.4) ? [[name, chance.between(10, 400) / 1000]] : []
    })
  )

/** Draws other providers, in half of the simulations: what they serve, how often they are full, and when they are away. */
const drawOtherProviders = (seed: number): Partial<Faults> => {
  const chance = new Chance(`others ${seed}`)
  if (!chance.happens(0.5)) return {}
  const drawn = ["second", "third"].slice(0, chance.between(1, 2)).map(
    (name): Other => ({
      name,
      serves: chance.pick([["payout", "conversion"], ["payout", "conversion"], ["payout"], ["conversion"]] as const),
      priority: chance.pick([-1, -1, 0, 1]),
      full: chance.pick([0.2, 0.5, 0.9]),
      away: chance.happens(0.4)
        ? [chance.between(day, 20 * day)].map((from) => [from, from + chance.between(hour, 2 * day)] as const)
        : []
    })
  )
  const renaming = new Chance(`renamed ${seed}`)
  if (!renaming.happens(0.3)) return { others: drawn }
  const renamed = { at: renaming.between(day, 20 * day), name: "renamed" }
  return { others: drawn.map((other, n) => (n === 0 ? { ...other, renamed } : other)) }
}

/** Faults that make a response arrive after a conflicting event. */
const crossing: ReadonlySet<string> = new Set(["slow", "provoked", "unavailable", "refused", "timeout_absent"])

const drawFaults = (seed: number, ops: ReadonlyArray<Op>, script: Script): Faults => {
  const chance = new Chance(`faults ${seed}`)
  const drawn = Object.fromEntries(
    rates.map((name) => {
      // In every fourth simulation, responses and events cross.
      const crosses = seed % 4 === 0 && crossing.has(name)
      const on = chance.happens(crosses ? 1 : 0.5)
      const most = name.startsWith("storage") ? 0.04 : name === "slow" ? 0.6 : 0.3
      const rate = (crosses ? 1 : chance.fraction()) * most
      return [name, on ? Math.round(rate * 1000) / 1000 : 0]
    })
  ) as Record<(typeof rates)[number], number>
  const nodes = Array.from({ length: chance.happens(0.4) ? 2 : 1 }, (_, index) => ({
    skew_ms: index === 0 || chance.happens(0.5) ? 0 : chance.between(-2000, 2000)
  }))
  const moment = (): number => Math.min(chance.pick(ops).at + chance.between(0, 2 * second), calm - day)
  const crashes = chance.happens(0.5)
    ? Array.from(
        { length: chance.between(1, 6) },
        (): Crash => ({
          at: moment(),
          node: chance.between(0, nodes.length - 1),
          calls: chance.between(0, 25),
          when: chance.pick(["before", "after"]),
          restart_ms: chance.pick([100, second, 20 * second, 2 * minute])
        })
      )
    : []
  const pauses = chance.happens(0.4)
    ? Array.from({ length: chance.between(1, 3) }, () => ({
        at: moment(),
        node: chance.between(0, nodes.length - 1),
        calls: chance.between(0, 25),
        for_ms: chance.pick([10 * second, 50 * second, 2 * minute])
      }))
    : []
  const leaps = chance.happens(0.3)
    ? Array.from({ length: chance.between(1, 2) }, () => ({
        at: moment(),
        by_ms: chance.pick([second, 10 * minute, 5 * hour])
      }))
    : []
  const delay_ms = chance.pick([second, 5 * second, 5 * second, 2 * minute, 3 * hour])
  const planned = script.crashes.map((crash) => ({ ...crash, node: crash.node % nodes.length }))
  return {
    ...drawn,
    ...drawDeviations(seed),
    ...drawOtherProviders(seed),
    delay_ms,
    nodes,
    crashes: [...crashes, ...planned],
    pauses,
    leaps,
    receivers: script.receivers
  }
}

/**
 * Generates the program of a seed: 2 to 5 merchants with 20 to 50 wallets, and 100 to 300 operations over 25 days. After that no
 * fault occurs, and work in progress has five days to end.
 */
export const programOf = (seed: number): Program => {
  const script = new Script(seed)
  const { chance } = script
  const merchants = chance.between(2, 5)
  const wallets = chance.between(20, 50)
  const total = chance.between(Math.max(100, wallets * 4 + 60), 300)
  for (let i = 0; i < merchants; i++) {
    const m = script.merchant()
    script.now += 5 * second
    script.settle(m, Math.max(4, Math.floor(wallets / merchants)))
  }
  const begun = script.now
  while (script.ops.length < total) {
    // A burst of acts, then hours of nothing.
    const left = calm - day - script.now
    const share = Math.max(0, total - script.ops.length)
    script.now += Math.min(chance.between(0, Math.floor((2 * left * 6) / Math.max(share, 6))), Math.max(left, 0))
    for (let i = 0; i < chance.between(2, 9); i++) {
      chance.weighted(acts)(script, chance.pick(script.merchants))
      script.pause(chance.pick([0, second, 5 * second, minute]))
    }
    if (script.now > calm - day) script.now = begun + chance.between(0, calm - 2 * day - begun)
  }
  script.now = begun
  for (const m of script.merchants) addJoinedResources(script, m)
  const ops = script.ops.filter(({ at }) => at < calm)
  const faults = drawFaults(seed, ops, script)
  const batches = drawBatches(seed, ops, script.merchants)
  const drawn = [
    ...drawPauses(seed, ops, faults.others ?? []),
    ...drawCorrections(seed, ops),
    ...drawControls(seed, ops),
    ...batches,
    ...drawLimits(seed, ops, script.merchants),
    ...drawFeeSchedules(seed, ops),
    ...drawApprovals(seed, [...ops, ...batches]),
    ...drawBanking(seed, ops),
    ...drawPayroll(seed, ops, script.merchants)
  ]
  return { seed, ops: [...ops, ...drawn], faults }
}
