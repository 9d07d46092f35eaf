/**
 * `corridor/testing`: a whole world in one seed. Merchants, wallets and operations over every resource live through thirty
 * days in a fraction of a second, while the store, the provider, the receivers and the processes go wrong; after every
 * commit the books, the events and a plain model are held against what was written.
 *
 * Put your own store or provider into it: `await simulate({ seed: 1, storage: MyStorage.layer })`.
 */
export { Coverage } from "./coverage.ts"
export { programOf } from "./generate.ts"
export { declaredTransitions, impossible, possibleWords, rare } from "./universe.ts"
export { narrated } from "./narrate.ts"
export type { ProviderLayer } from "./outside.ts"
export type { Crash, Faults, Leap, Op, Pause, Program, ReceiverHabit } from "./program.ts"
export { type Adapters, live, type LiveOptions, type Report, simulate, type SimulateOptions } from "./simulate.ts"
export { faultsIn, kindOf, reduced, type Reduction, shrink, type Shrunk } from "./shrink.ts"
export type { Log } from "./world.ts"
