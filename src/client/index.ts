/** `corridor/client`: a client of the API for every runtime that has `fetch`. It needs no other package. */
export {
  approvalOf,
  type Corridor,
  type CorridorOperator,
  createClient,
  createOperatorClient,
  dryRunOf,
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
  DryRunOptions,
  Environment,
  Fetch,
  OperatorClientOptions
} from "./options.ts"
export { type DeliveryFault, type VerifyOptions, WebhookError, type Webhooks, webhooks } from "./webhooks.ts"
