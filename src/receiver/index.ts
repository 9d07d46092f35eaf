/** `corridor/receiver`: for applications that receive webhooks. It depends on Node alone. */
export { correctDeposit } from "./deposit.ts"
export type { ReceivedEvent } from "./event.ts"
export { canMove, isTerminal, parseEvent } from "./event.ts"
export { type FeedOptions, feedOf } from "./feed.ts"
export type { ReceivedHeaders } from "./headers.ts"
export {
  type Taken,
  type EventHandler,
  type FeedReader,
  makeReceiver,
  type Received,
  type Receiver,
  type ReceiverOptions
} from "./receiver.ts"
export { type Held, type Known, type MemoryReceiverStore, memoryReceiverStore, type ReceiverStore } from "./store.ts"
export {
  type DeliveryFault,
  signDelivery,
  type SignOptions,
  type Verified,
  verifyDelivery,
  type VerifyOptions
} from "./verify.ts"
