/**
 * The logic of the hosted verification page: opens a link and submits its form (KYC-11, KYC-12). The staff of the operator
 * reviews what was submitted. In the test environment the simulated provider decides at once. A provider that verifies hosts
 * its own page.
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { MerchantData } from "../../../machines/access/merchant.ts"
import { IN_REVIEW, type VerificationData } from "../../../machines/parties/verification.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { BadRequest, makeFieldRefusal, InvariantViolation, NotFound, type Unavailable } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { Inbox } from "./Inbox.ts"
import { isLapsed } from "../../representations/parties/verification.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { isAnothers, Providers } from "../../ports/Provider.ts"
import type { ScheduledEvent } from "../../ports/Sandbox.ts"
import { Optional, Secret, Text } from "../../input/schemas.ts"
import { sha256 } from "../../crypto/secrets.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { decode } from "../../input/validation.ts"
import { DateOfBirth, idTypes, isPastDay, sealIdNumber } from "../../resources/parties/customer.ts"
import { Tiers } from "../../resources/parties/tiers.ts"
import { linkScope } from "../../resources/parties/verification.ts"
import { VerificationOutcomes } from "../../resources/parties/verification-outcome.ts"

/** The form as the page sends it. Empty fields are absent. */
const HostedForm = Schema.Struct({
  name: Text(255),
  date_of_birth: DateOfBirth,
  document_type: Schema.Literals(idTypes),
  document_number: Secret(64)
})

/** The form before validation. */
export const HostedFields = Schema.Struct({
  name: Optional(Schema.String),
  date_of_birth: Optional(Schema.String),
  document_type: Optional(Schema.String),
  document_number: Optional(Schema.String)
})
export type HostedFields = typeof HostedFields.Type

/**
 * What the page shows. `openLink`: the form can be submitted; `submitted`: it was, and is being reviewed; `lapsed`: a new link is
 * needed; `ended`: there is a verdict.
 */
export interface HostedView {
  readonly link_status: "open" | "submitted" | "lapsed" | "ended"
  readonly merchant_name: string
  readonly tier: VerificationData["tier_requested"]
  /** The tier's limit on deposits in words: amount and window. Null: unlimited. */
  readonly deposit_limit: string | null
  readonly redirect_url: string | null
}

const makeDeps = Effect.gen(function* () {
  const simulated = (yield* Providers).all.find(({ sandbox }) => sandbox !== undefined)
  const ids = yield* Ids
  /** The key of one event of a session, which happens once. */
  const once = Effect.map(ids.make("req"), (id) => ({
    deduplicationKey: `submitted/${id}`,
    deduplication_ms: keyLifetime
  }))
  return {
    storage: yield* Storage,
    inbox: yield* Inbox,
    simulated,
    ...(yield* Effect.all({ outcomes: VerificationOutcomes, tiers: Tiers, cipher: Cipher })),
    once
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** The sandbox of the simulated provider, if it decides on a session. Undefined: the staff of the operator does. */
const findSimulator = ({ simulated }: Deps, row: Row<VerificationData>) =>
  simulated !== undefined && !isAnothers(row, simulated.name) ? simulated.sandbox : undefined

/** Finds the session of a link by its token, and what the page shows. */
const findSession = Effect.fnUntraced(function* (deps: Deps, token: string) {
  const { storage } = deps
  const token_hash = yield* sha256(token)
  const named = yield* storage.lookup(linkScope.name, token_hash)
  if (named === undefined) return yield* new NotFound({ message: "There is no such verification link." })
  const { merchant_id } = named
  const rows = yield* storage.get([named, { merchant_id, kind: "merchant", id: merchant_id }])
  const row = rows.find(({ id }) => id === named.id) as Row<VerificationData> | undefined
  const merchant = rows.find(({ kind }) => kind === "merchant") as Row<MerchantData> | undefined
  if (row === undefined || merchant === undefined)
    throw new InvariantViolation(`the link of ${named.id} has a session and a merchant`)
  const { link, redirect_url, tier_requested } = row.data
  const at = yield* Clock.currentTimeMillis
  // A link that a refresh has replaced is expired, whatever the state of the session.
  const isReplaced = link !== null && link.token_hash !== token_hash
  const view: HostedView = {
    link_status:
      link === null
        ? "ended"
        : isReplaced || isLapsed(row, at)
          ? "lapsed"
          : row.state === IN_REVIEW && findSimulator(deps, row) === undefined
            ? "submitted"
            : "open",
    merchant_name: merchant.data.name,
    tier: tier_requested,
    deposit_limit: yield* deps.tiers.formatLimit(tier_requested),
    redirect_url
  }
  return { row, view }
})

/** Handles an event that the simulated provider has scheduled, and completes its job. */
const receiveScheduled = Effect.fnUntraced(function* (
  { inbox, simulated }: Deps,
  { event, done }: ScheduledEvent
): Effect.fn.Return<void, Unavailable> {
  yield* inbox.receive(simulated!.name, event)
  yield* done
})

/** Validates the form. Errors: `BadRequest` with every invalid field. */
const checkForm = Effect.fnUntraced(function* (fields: HostedFields) {
  const form = yield* Effect.catchTag(decode(HostedForm, fields), "InvalidInput", ({ errors, message }) =>
    Effect.fail(new BadRequest({ errors, message }))
  )
  if (!isPastDay(form.date_of_birth, yield* Clock.currentTimeMillis))
    return yield* new BadRequest(
      makeFieldRefusal("date_of_birth", "invalid_value", "date_of_birth must be in the past.")
    )
  return form
})

/** Reads what the page of a link shows, without opening it. Errors: `NotFound` for an unknown link. */
const viewLink = (deps: Deps, token: string) => Effect.map(findSession(deps, token), ({ view }) => view)

/** Opens a link. Its session is then `in_progress`. Errors: `NotFound` for an unknown link. */
const openLink = Effect.fnUntraced(function* (deps: Deps, token: string) {
  const { outcomes, once } = deps
  const { row, view } = yield* findSession(deps, token)
  if (view.link_status === "open" && row.state === "pending") {
    const { id: resource_id, merchant_id } = row
    const sandbox = findSimulator(deps, row)
    if (sandbox === undefined) yield* outcomes.handle(merchant_id, resource_id, { _tag: "opened" }, yield* once)
    else
      yield* receiveScheduled(
        deps,
        yield* sandbox.verification({ merchant_id, resource_id, outcome: "opened", reason: null })
      )
  }
  return view
})

/**
 * Submits the form: stores its fields with the session, and reports the verdict of a simulated provider. It does
 * nothing when the link is no longer open, so a form that is submitted twice counts once.
 *
 * Errors: `NotFound`; `BadRequest` for invalid fields.
 */
const submitForm = Effect.fnUntraced(function* (deps: Deps, token: string, fields: HostedFields) {
  const { cipher, outcomes, once } = deps
  const { row, view } = yield* findSession(deps, token)
  if (view.link_status !== "open") return view
  const form = yield* checkForm(fields)
  const { id: resource_id, merchant_id } = row
  const { document_number, document_type: id_type, date_of_birth, name } = form
  const number = yield* sealIdNumber(cipher, document_number)
  const result = yield* outcomes.handle(
    merchant_id,
    resource_id,
    { _tag: "submitted", submission: { name, profile: { date_of_birth, id_type, ...number } } },
    yield* once
  )
  const sandbox = findSimulator(deps, row)
  if (result === "applied" && sandbox !== undefined)
    yield* receiveScheduled(deps, yield* sandbox.examine({ merchant_id, resource_id, document_number }))
  return (yield* findSession(deps, token)).view
})

export class HostedVerifications extends Context.Service<HostedVerifications>()("corridor/engine/HostedVerifications", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { view: viewLink, open: openLink, submit: submitForm }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
