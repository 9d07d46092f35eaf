/**
 * `corridor/testing` runs a whole simulation from one seed. Merchants, wallets and operations on every resource live
 * through thirty days in a fraction of a second, while the store, the provider, the receivers and the processes fail.
 * After every commit, an auditor checks the ledger, the events and a plain model against what was written.
 *
 * To test your own store or provider: `await simulate({ seed: 1, storage: MyStorage.layer })`.
 */
export { Coverage } from "./audit/coverage.ts"
export { programOf } from "./program/generate.ts"
export { listTransitions, impossible, possibleWords, rare } from "./audit/universe.ts"
export { narrateEntry } from "./audit/narrate.ts"
export type { SimulatedProviderLayer as ProviderLayer } from "./world/third-parties.ts"
export type { Crash, Faults, Leap, Op, Pause, Program, ReceiverHabit } from "./program/program.ts"
export { type Adapters, live, type LiveOptions, type Report, simulate, type SimulateOptions } from "./simulate.ts"
export {
  faultsIn,
  toViolationKind,
  reduceProgram,
  type Reduction,
  shrink,
  type Shrunk
} from "./shrink.ts"
export type { Log } from "./world/observer.ts"
