/** Verification sessions (KYC-1 to KYC-8). */
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { findLookupDelay } from "../../../machines/kernel/payout.ts"
import type { CustomerData, Tier } from "../../../machines/parties/customer.ts"
import {
  type HostedLink,
  IN_REVIEW,
  LINK_LIFETIME_MS,
  STAFF,
  Verification,
  type VerificationData,
  type VerificationEvent
} from "../../../machines/parties/verification.ts"
import { BaseUrl } from "../../settings/settings.ts"
import type { Call } from "../../commit/call.ts"
import { addLookupKey, type KeyScope } from "../../commit/changeset.ts"
import { begin, makeCommand, jobId } from "../../commit/steps.ts"
import { toCanonicalJson } from "../../ports/canonical-json.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { invalid, InvalidStatus, InvariantViolation, ProviderFault } from "../../ports/errors.ts"
import { makeContentionConflict, UnitOfWork, makeNotFound } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import {
  type Provider,
  Providers,
  type VerificationCapability,
  type VerificationCommand
} from "../../ports/Provider.ts"
import { isLapsed, verificationBody, verificationEvent } from "../../representations/parties/verification.ts"
import { HttpsUrl, listing, Optional } from "../../input/schemas.ts"
import { digest, sha256, token } from "../../crypto/secrets.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { CustomerKind } from "./customer.ts"
import { listRows } from "../../calls/list.ts"
import { awaitAnswer } from "../../calls/provider-call.ts"
import { Routes } from "../../calls/Routes.ts"
import { identityVersionOf, identityVersionsOf } from "./verified-identity.ts"

/** The index key of sessions that wait for a verdict on what was submitted. */
export const reviewable = "reviewable=true"

export const VerificationKind: ResourceKind<VerificationData, VerificationEvent> = {
  kind: "verification",
  prefix: "kyc",
  lifecycle: Verification,
  status: (state) => (state === IN_REVIEW ? "in_progress" : state),
  indexKeys: ({ tier_requested }, state) => [
    `tier_requested=${tier_requested}`,
    ...(state === IN_REVIEW ? [reviewable] : [])
  ],
  auditView: ({ data }) => Struct.pick(data, ["customer_id", "tier_requested", "failure_reason"]),
  events: { category: "kyc", object: verificationEvent }
}

/** The delay until the provider is asked again for the status of a verification, after so many look-ups. */
export const findVerificationDelay = (lookups: number): number => findLookupDelay(lookups + 1)

const toStartName = (starts: number, version: number): string =>
  version === 0 ? `start_${starts}` : `start_${starts}_${version}`

/**
 * Makes the command that begins a verification at its provider. The second link of a session is another command, and so is one about other
 * verified data, or with another content, such as the customer's email address: a repeat after a lost answer is the same request, or
 * another one.
 */
export const makeVerificationCommand = ({
  customer,
  customer_id,
  id,
  merchant_id,
  redirect_url,
  starts,
  tier
}: {
  readonly merchant_id: string
  readonly id: string
  readonly tier: Tier
  readonly redirect_url: string | null
  readonly starts: number
  readonly customer_id: string
  readonly customer: CustomerData
}): VerificationCommand => {
  const content = {
    tier,
    customer: {
      id: customer_id,
      ...Struct.pick(customer, ["type", "name", "email", "country_code"]),
      date_of_birth: customer.profile?.date_of_birth ?? null
    },
    redirect_url
  }
  const hash = digest(toCanonicalJson(content)).toString("hex").slice(0, 12)
  const name = `${toStartName(starts, identityVersionOf(customer))}_${hash}`
  return { id: jobId(id, name), merchant_id, resource_id: id, ...content }
}

/** The id of the command by which a provider has begun a session. */
export const startIdOf = ({ data, id }: Pick<Row<VerificationData>, "data" | "id">): string =>
  data.command_id ?? jobId(id, toStartName(data.starts ?? 0, identityVersionsOf(data).latest))

/** The scope in which a session is found by the hash of its link's token. */
export const linkScope: KeyScope = { name: "verification", taken: "defect" }

export const CreateVerification = Schema.Struct({
  tier: Optional(
    Schema.Literals(["tier_1", "tier_2"]),
    "The tier to verify for: `tier_1` or `tier_2`. Default: the one above the customer's current tier."
  ),
  redirect_url: Optional(
    HttpsUrl,
    "An https URL that the page sends the customer to at the end.",
    "https://example.com/verified"
  )
}).annotate({ identifier: "CreateVerification" })
export type CreateVerification = typeof CreateVerification.Type

export const ListVerifications = Schema.Struct(listing)
export type ListVerifications = typeof ListVerifications.Type

/** How often a customer is read who is modified meanwhile. */
const readsMax = 12

const tiers: ReadonlyArray<Tier> = ["tier_0", "tier_1", "tier_2"]

/** Whether `tier` is above `other`. */
export const isHigherTier = (tier: Tier, other: Tier): boolean => tiers.indexOf(tier) > tiers.indexOf(other)

/** Chooses the requested tier, by default the next one. Errors: `InvalidStatus` unless it is higher than the customer's. */
const chooseTier = (customer: Row<CustomerData>, named: VerificationData["tier_requested"] | undefined) => {
  const tier = named ?? (customer.data.tier === "tier_0" ? "tier_1" : "tier_2")
  return isHigherTier(tier, customer.data.tier)
    ? Effect.succeed(tier)
    : Effect.fail(
        new InvalidStatus({
          message: `Customer ${customer.id} is at ${customer.data.tier}. A verification requires a higher tier.`
        })
      )
}

const makeDeps = Effect.all({
  unitOfWork: UnitOfWork,
  storage: Storage,
  providers: Providers,
  routes: Routes,
  cipher: Cipher,
  ids: Ids,
  base_url: BaseUrl
})
type Deps = Effect.Success<typeof makeDeps>

const makeSessionBody = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<VerificationData>,
  tier_current: Tier,
  at: number
) {
  const { link } = row.data
  const hosted_url =
    link === null
      ? null
      : yield* link.url_sealed === undefined
          ? Effect.map(deps.cipher.open(link.token_sealed), (secret) => `${deps.base_url}/verify/${secret}`)
          : deps.cipher.open(link.url_sealed)
  return verificationBody(row, tier_current, hosted_url, at)
})

/** Makes a link with an unguessable token, valid for a day. */
const makeLink = Effect.fnUntraced(function* ({ ids, cipher }: Deps, at: number) {
  const secret = yield* Effect.provideService(token, Ids, ids)
  const [token_sealed, token_hash] = yield* Effect.all([cipher.seal(secret), sha256(secret)])
  return { token_sealed, token_hash, expires_at: at + LINK_LIFETIME_MS } satisfies HostedLink
})

/** Finds the provider that verifies a customer: the first that offers it, else the simulated one, or the operator's staff. */
const findVerifier = Effect.fnUntraced(function* (
  { routes, providers }: Deps,
  merchant_id: string,
  { data: { country_code } }: Row<CustomerData>
) {
  const about = { currency: null, country_code, network: null, amount: null }
  const provider = yield* routes.first({ operation: "verification", merchant_id, ...about })
  const simulated = providers.all.find(({ sandbox }) => sandbox !== undefined)
  return { provider, name: (provider ?? simulated)?.name ?? STAFF }
})

/**
 * Reserves the id of the session that a customer's next verification for a tier has, whichever attempt makes it. It is stored before the
 * provider begins the verification: after a fault or a crash, a repeat begins the same one. `isNew`: no attempt before has told the
 * provider of it.
 */
const reserveSession = Effect.fnUntraced(function* (
  { ids, unitOfWork, storage }: Deps,
  merchant_id: string,
  customer_id: string,
  tier: Tier,
  known: Row<VerificationData> | undefined
) {
  const deduplicationKey = `verification/${customer_id}/${tier}/${known?.id ?? "first"}`
  const id = yield* ids.make(VerificationKind.prefix)
  const nothing = Effect.succeed({ changes: [], result: undefined })
  const { _tag } = yield* unitOfWork.apply(merchant_id, { deduplicationKey, content: id }, nothing)
  if (_tag === "applied") return { id, isNew: true }
  const at = yield* Clock.currentTimeMillis
  const first = yield* storage.idempotencyRecord(merchant_id, deduplicationKey, at)
  if (first?.response === null || first === undefined)
    throw new InvariantViolation(`the intent ${deduplicationKey} names a session`)
  return { id: first.response, isNew: false }
})

/** Begins a verification at its provider, and returns its page. Errors: `ProviderFault`, also for a page that cannot be shown. */
export const requestPage = (verification: VerificationCapability, command: VerificationCommand, at: number) =>
  Effect.filterOrFail(
    verification.start(command),
    (link) => URL.canParse(link.hosted_url) && link.expires_at > at,
    () => new ProviderFault({ message: "the verification page has no URL, or has expired" })
  )

/** Requests the provider's page for a session, and returns it with the command that asked. `starts` counts the links of the session. */
const startAtProvider = Effect.fnUntraced(function* (
  { cipher }: Deps,
  provider: Provider["Service"],
  { data: c, id: customer_id, merchant_id }: Row<CustomerData>,
  session: {
    readonly id: string
    readonly tier: Tier
    readonly redirect_url: string | null
    readonly starts: number
  },
  at: number
) {
  const command = makeVerificationCommand({ merchant_id, customer_id, customer: c, ...session })
  const { expires_at, hosted_url } = yield* awaitAnswer(
    "a verification page",
    provider,
    requestPage(provider.verification!, command, at)
  )
  const link: HostedLink = { url_sealed: yield* cipher.seal(hosted_url), expires_at }
  return { link, command_id: command.id }
})

/**
 * Reads a customer, the tier to verify it for, and its newest session for that tier, as of one moment. Each session writes its customer, so
 * a session that is newer than the customer would look ended, and the provider would begin a second one. Errors: those of `create` for the
 * customer and the tier; `Conflict` when the customer keeps changing.
 */
const findNewestSession = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  customer_id: string,
  named: CreateVerification["tier"]
) {
  const { unitOfWork } = deps
  let customer = yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
  for (let reads = 0; reads < readsMax; reads++) {
    if (customer.data.is_default)
      return yield* invalid(
        "customerId",
        `Customer ${customer_id} is the default customer, which represents the merchant. The operator verifies it.`
      )
    const tier = yield* chooseTier(customer, named)
    // The newest session of a customer for a tier. All older ones have a verdict.
    const { items } = yield* deps.storage.list({
      merchant_id,
      kinds: [VerificationKind.kind],
      index_keys: [`customer_id=${customer_id}`, `tier_requested=${tier}`],
      offset: 0,
      limit: 1
    })
    const known = items[0] as Row<VerificationData> | undefined
    const now = yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
    if (now.version === customer.version) return { customer, tier, known }
    customer = now
  }
  return yield* makeContentionConflict()
})

const readOfCustomer = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  merchant_id: string,
  customer_id: string,
  id: string
) {
  const customer = yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
  const row = yield* unitOfWork.load(VerificationKind, merchant_id, id)
  if (row.data.customer_id !== customer_id) return yield* makeNotFound(VerificationKind, id)
  return { customer, row }
})

/**
 * Starts a verification, or returns the one in progress. When its link has expired, the session gets a new link.
 *
 * Errors: `NotFound`; `InvalidInput` for the default customer; `InvalidStatus` for a tier that is not higher than the
 * customer's, or that differs from the one being verified; `ExternalServiceUnavailable` when the provider that verifies
 * does not answer, which writes no session. A repeat begins the same verification.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, customer_id: string, input: CreateVerification) {
  const { unitOfWork, ids } = deps
  const { merchant_id } = call
  return yield* unitOfWork.write(call, function* () {
    const at = yield* Clock.currentTimeMillis
    const { customer, known, tier } = yield* findNewestSession(deps, merchant_id, customer_id, input.tier)
    const open = customer.data.verification
    if (open !== undefined && open !== null && at < open.lapses_at) {
      if (open.tier !== tier)
        return yield* new InvalidStatus({
          message: `Verification ${open.id} for ${open.tier} is in progress. Request another tier after it has ended.`
        })
      const row = yield* unitOfWork.load(VerificationKind, merchant_id, open.id)
      return { changes: [], result: yield* makeSessionBody(deps, row, customer.data.tier, at), secret: true }
    }
    const { name, provider } = yield* findVerifier(deps, merchant_id, customer)
    const isRefresh = known !== undefined && isLapsed(known, at)
    const redirect_url = input.redirect_url ?? (isRefresh ? known.data.redirect_url : null)
    const session = isRefresh
      ? { id: known.id, isNew: false }
      : provider === undefined
        ? { id: yield* ids.make(VerificationKind.prefix), isNew: true }
        : yield* reserveSession(deps, merchant_id, customer_id, tier, known)
    const starts = (isRefresh ? (known.data.starts ?? 0) : 0) + 1
    const { command_id, link }: { readonly command_id?: string; readonly link: HostedLink } =
      provider === undefined
        ? { link: yield* makeLink(deps, at) }
        : yield* startAtProvider(deps, provider, customer, { id: session.id, tier, redirect_url, starts }, at)
    const latest = identityVersionOf(customer.data)
    // Of which versions a start without an answer has told, is not known.
    const first = isRefresh ? identityVersionsOf(known.data).first : session.isNew ? latest : 0
    const verifier =
      command_id === undefined
        ? { provider: name }
        : { provider: name, starts, command_id, identity_versions: { first, latest } }
    const refreshed = isRefresh
      ? yield* unitOfWork.step(VerificationKind, known, { type: "refresh", at, link, redirect_url, verifier }, at)
      : undefined
    const begun =
      refreshed ??
      (yield* begin<VerificationData>(
        VerificationKind,
        { merchant_id, id: session.id, customer_id },
        {
          customer_id,
          tier_requested: tier,
          redirect_url,
          link,
          submission: null,
          approval: null,
          rejected: null,
          failure_reason: null,
          ...verifier
        },
        at
      ))
    const { id } = begun.row
    const verification = { id, tier, lapses_at: link.expires_at }
    // Always written, so that the second of two concurrent calls is decided again and finds the first one's session.
    const moved = yield* unitOfWork.stepOrDie(
      CustomerKind,
      customer,
      {
        type: "update",
        patch: { verification, ...(customer.data.kyc_status === "approved" ? {} : { kyc_status: "pending" }) }
      },
      at
    )
    const found =
      link.token_hash === undefined
        ? makeCommand(begun.row, { operation: "verify", name: "verify", after_ms: findVerificationDelay(0) }, at)
        : addLookupKey(linkScope, { key: link.token_hash, kind: VerificationKind.kind, id })
    return {
      changes: [begun.changes, moved.changes, found],
      result: yield* makeSessionBody(deps, begun.row, customer.data.tier, at),
      secret: true
    }
  })
})

/** Reads a session of a customer. Errors: `NotFound` for the customer, and for a session of another customer. */
const get = Effect.fnUntraced(function* (deps: Deps, call: Call, customer_id: string, id: string) {
  const { customer, row } = yield* readOfCustomer(deps, call.merchant_id, customer_id, id)
  const at = yield* Clock.currentTimeMillis
  const lapsed = isLapsed(row, at) ? ".lapsed" : ""
  return {
    body: yield* makeSessionBody(deps, row, customer.data.tier, at),
    version: `${row.version}.${customer.data.tier}${lapsed}`
  }
})

/** Lists a customer's sessions, newest first. Errors: `NotFound` for the customer. */
const list = Effect.fnUntraced(function* (deps: Deps, call: Call, customer_id: string, input: ListVerifications) {
  const { unitOfWork, storage } = deps
  const customer = yield* unitOfWork.load(CustomerKind, call.merchant_id, customer_id)
  const at = yield* Clock.currentTimeMillis
  const index_keys = [`customer_id=${customer_id}`]
  const listed = yield* listRows<VerificationData>(
    storage,
    call.merchant_id,
    [VerificationKind.kind],
    index_keys,
    input
  )
  return {
    ...listed,
    items: yield* Effect.forEach(listed.items, (row) => makeSessionBody(deps, row, customer.data.tier, at))
  }
})

export class Verifications extends Context.Service<Verifications>()("corridor/engine/Verifications", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
