/** `corridor/client`: a client of the API for every runtime that has `fetch`. It needs no other package. */
export {
  type Corridor,
  type CorridorOperator,
  createClient,
  createOperatorClient,
  type ResponseInfo,
  responseOf,
  type SendRequest,
  versionOf
} from "./client.ts"
export { type ConnectionFault, CorridorConnectionError, CorridorError, type Outcome } from "./errors.ts"
export type * from "./generated/calls.ts"
export type * from "./generated/resources.ts"
export type { Feed, List, Page } from "./list.ts"
export type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  ConnectionOptions,
  CreateOptions,
  Environment,
  Fetch,
  OperatorClientOptions
} from "./options.ts"
export { type DeliveryFault, type VerifyOptions, WebhookError, type Webhooks, webhooks } from "./webhooks.ts"
