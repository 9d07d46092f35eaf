/**
 * All resources of the engine, and other groups of operations, in order. A new resource is added here and to `operations/index.ts` only: kinds,
 * services, operations and the vocabulary of `/v1` are derived from it.
 */
import { Layer } from "effect"
import { makeKinds } from "./commit/kind.ts"
import * as registered from "./operations/index.ts"
import type { CoreServices } from "./operations/core.ts"
import type { Registration } from "./operations/registration.ts"

/** Named by its module, not by its members: written out in this declaration, they would be a megabyte of the package. */
export type Registered = (typeof registered)[keyof typeof registered]

/** In the order of the API document. */
export const registry: ReadonlyArray<Registered> = [
  registered.merchant,
  registered.apiKey,
  registered.reference,
  registered.accessRequest,
  registered.customer,
  registered.verification,
  registered.wallet,
  registered.walletStatement,
  registered.walletCredential,
  registered.depositAddress,
  registered.beneficiary,
  registered.sender,
  registered.quote,
  registered.onramp,
  registered.offramp,
  registered.conversion,
  registered.transfer,
  registered.batch,
  registered.transaction,
  registered.webhookEndpoint,
  registered.event,
  registered.deposit,
  registered.exception,
  registered.brake,
  registered.acceptedRate,
  registered.feeSchedule,
  registered.limit,
  registered.externalAccount,
  registered.adjustingEntry,
  registered.statementMapping,
  registered.statement,
  registered.statementLine,
  registered.reconciliationBreak,
  registered.closing,
  registered.approvalRule,
  registered.approval,
  registered.operator,
  registered.search,
  registered.statistics,
  registered.operatorLists,
  registered.auditEntry,
  registered.providerReports,
  registered.ledgerReports,
  registered.timelines,
  registered.sandbox
]

const registrations: ReadonlyArray<Registration> = registry

export const kinds = makeKinds(
  registrations.flatMap(({ kind }) => kind ?? []),
  registrations.flatMap(({ records }) => records ?? [])
)

/** Combines layers, each over those before it. */
const chainLayers = <L extends Layer.Layer<never, never, any>>(layers: ReadonlyArray<Layer.Layer<never, never, any>>) =>
  layers.reduce((before, layer) => Layer.provideMerge(layer, before)) as unknown as Layer.Layer<
    Layer.Success<L>,
    Layer.Error<L>,
    Exclude<Layer.Services<L>, Layer.Success<L>>
  >

type LayerOf<R> = R extends { readonly layer: infer L } ? L : never
type RegisteredLayer = LayerOf<Registered>

/**
 * The services of all registrations. Each may use the core's and those of the registrations before it. A service that nobody has is
 * an error of this declaration, which names it.
 */
export const services: Layer.Layer<Layer.Success<RegisteredLayer>, never, CoreServices> = chainLayers<RegisteredLayer>(
  registrations.flatMap(({ layer }) => layer ?? [])
)
