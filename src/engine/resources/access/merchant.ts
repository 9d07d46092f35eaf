/**
 * Merchants (MERCHANT-2, MERCHANT-3). The operator creates a merchant with an admin key and a default customer, in one
 * commit. An empty store gets one bootstrap merchant, even when several nodes start at the same time (SERVICE-4).
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { ApiKeyData } from "../../../machines/access/api-key.ts"
import type { MerchantData, MerchantEvent } from "../../../machines/access/merchant.ts"
import { type Call, makeIdFor } from "../../commit/call.ts"
import { listIndexKeys } from "../../commit/index-keys.ts"
import { begin } from "../../commit/steps.ts"
import { Environment } from "../../settings/settings.ts"
import { InvalidStatus, InvariantViolation, NotFound, ProhibitedCountry } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { makeUnblockingJob } from "../../commit/BlockedJobs.ts"
import { prohibitedCountries } from "../../reference/countries.ts"
import { customerBody } from "../../representations/parties/customer.ts"
import {
  apiKeyBody,
  integrationOf,
  type MeBody,
  merchantBody,
  MerchantStatus,
  merchantStatuses,
  newApiKeyBody
} from "../../representations/access/merchant.ts"
import { CountryCode, describe, listing, note, Optional, Text } from "../../input/schemas.ts"
import { makeWordFilter } from "../../input/members.ts"
import { keyPrefix, sha256, token } from "../../crypto/secrets.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { ApiKeyKind, MerchantKind, makeKey } from "./api-key.ts"
import { Auth } from "../../calls/auth.ts"
import { beginDefaultCustomer, defaultCustomerId } from "../parties/customer.ts"
import { checkVersion } from "../../calls/list.ts"
import { listBodies } from "../../calls/reads.ts"

export const CreateMerchant = Schema.Struct({
  name: describe(Text(200), "The name of the merchant.", "Lagos Trading"),
  country_code: describe(CountryCode, "The country of the merchant, ISO 3166-1 alpha-2."),
  status: Optional(MerchantStatus, "Whether the merchant can call. Default: `pending`, its keys are rejected."),
  note
}).annotate({ identifier: "CreateMerchant" })

export const UpdateMerchant = Schema.Struct({
  status: describe(MerchantStatus, "The new status. `suspended` rejects its keys and holds its queued payouts."),
  note
}).annotate({ identifier: "UpdateMerchant" })

export const ListMerchants = Schema.Struct({ status: makeWordFilter(merchantStatuses, "status"), ...listing })

const bootstrapSetting = "bootstrap_merchant"
/** The setting with the hash of the latest configured bootstrap key. */
const bootstrapKeySetting = "bootstrap_api_key"

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  const all = listBodies(storage, MerchantKind, ListMerchants, merchantBody)
  const moves: Readonly<Record<typeof MerchantStatus.Type, MerchantEvent | undefined>> = {
    pending: undefined,
    active: { type: "activate" },
    suspended: { type: "suspend" }
  }
  return {
    unitOfWork: yield* UnitOfWork,
    ids: yield* Ids,
    storage,
    auth: yield* Auth,
    environment: yield* Environment,
    all,
    moves
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Decides a merchant, its first key and its default customer together. `operator_id`: who makes them, and holds the secret of the key. */
const makeMerchant = Effect.fnUntraced(
  function* (
    _: Deps,
    call: Pick<Call, "merchant_id" | "ids">,
    name: string,
    country_code: string,
    status: typeof MerchantStatus.Type,
    secret: string,
    operator_id: string | null
  ) {
    const { merchant_id: id } = call
    const at = yield* Clock.currentTimeMillis
    const default_customer_id = defaultCustomerId(id)
    const data: MerchantData = { name, country_code, default_customer_id, active_keys: 1 }
    const begun = yield* begin(MerchantKind, { merchant_id: id, id, customer_id: null }, data, at)
    const key = yield* makeKey(call, secret, "admin", null, at, operator_id)
    const customer = yield* beginDefaultCustomer({ merchant_id: id, name, country_code, at })
    // The row starts in its final status, because a Change can write a row only once.
    const row = {
      ...begun.row,
      state: status,
      status,
      index_keys: listIndexKeys(MerchantKind, { ...begun.row, status })
    }
    return {
      changes: [{ ...begun.changes, rows: [row] }, ...key.changes, customer.changes],
      result: {
        merchant: merchantBody(row),
        api_key: newApiKeyBody(key.row, secret),
        default_customer: customerBody(customer.row, at)
      },
      secret: true
    }
  },
  (effect, { ids }) => Effect.provideService(effect, Ids, ids)
)

/** Creates a merchant. Default status: `pending`. Errors: `ProhibitedCountry`. */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: typeof CreateMerchant.Type) {
  const { unitOfWork, ids, environment } = deps
  if (prohibitedCountries.has(input.country_code)) {
    const message = `${input.country_code} is on the compliance list. Merchants in this country are not accepted.`
    return yield* new ProhibitedCountry({
      message,
      errors: [{ field: "country_code", code: "invalid_value", message }]
    })
  }
  // A repeat after a crash goes on with the merchant that the first request began to create.
  const id = (yield* unitOfWork.pendingMerchantOf(call)) ?? (yield* makeIdFor(call, ids, MerchantKind.prefix))
  const secret = keyPrefix(environment) + (yield* token.pipe(Effect.provideService(Ids, ids)))
  const by = { ...call, merchant_id: id }
  return yield* unitOfWork.write(
    by,
    makeMerchant(deps, by, input.name, input.country_code, input.status ?? "pending", secret, call.operator?.id ?? null)
  )
})

/** Lists all merchants, newest first. */
const list = ({ all }: Deps, query: typeof ListMerchants.Type) => all(null, query)

/** Reads a merchant. Errors: `NotFound`. */
const get = Effect.fnUntraced(function* ({ unitOfWork }: Deps, id: string) {
  const row = yield* unitOfWork.load(MerchantKind, id, id)
  return { body: merchantBody(row), version: String(row.version) }
})

/**
 * Changes the merchant status: `pending` → `active` ⇄ `suspended`. Setting the current status changes nothing. Commands of
 * a suspended merchant wait, and are submitted when it is active again (MERCHANT-4).
 * Errors: `InvalidStatus` for any other change.
 */
const update = Effect.fnUntraced(function* (
  { unitOfWork, moves, auth }: Deps,
  call: Call,
  id: string,
  input: typeof UpdateMerchant.Type
) {
  const body = yield* unitOfWork.write({ ...call, merchant_id: id }, function* () {
    const at = yield* Clock.currentTimeMillis
    const row = yield* unitOfWork.load(MerchantKind, id, id)
    yield* checkVersion(call, String(row.version))
    if (row.state === input.status) return { changes: [], result: merchantBody(row) }
    const event = moves[input.status]
    const moved = event === undefined ? undefined : yield* unitOfWork.step(MerchantKind, row, event, at)
    if (moved === undefined)
      return yield* new InvalidStatus({
        message: `The status of a merchant cannot change from ${row.status} to ${input.status}.`
      })
    const goesOn = input.status === "active" ? [{ jobs: [makeUnblockingJob(id, "merchant_suspended", at)] }] : []
    return { changes: [moved.changes, ...goesOn], result: merchantBody(moved.row) }
  })
  auth.forgetMerchant(id)
  return body
})

/** Reads the merchant and the key of a call. */
const readCaller = Effect.fnUntraced(function* ({ storage, environment }: Deps, call: Call) {
  const rows = yield* storage.get([
    { merchant_id: call.merchant_id, kind: "merchant", id: call.merchant_id },
    ...(call.key_id === null ? [] : [{ merchant_id: call.merchant_id, kind: ApiKeyKind.kind, id: call.key_id }])
  ])
  const merchant = rows.find((row) => row.kind === "merchant") as Row<MerchantData> | undefined
  const key = rows.find((row) => row.kind === "api_key") as Row<ApiKeyData> | undefined
  if (merchant === undefined) return yield* new NotFound({ message: `There is no merchant ${call.merchant_id}.` })
  const { id, name, country_code, status } = merchantBody(merchant)
  const api_key = key === undefined ? null : apiKeyBody(key)
  return {
    merchant: { id, name, country_code, status },
    integration: { id: integrationOf(id) },
    api_key:
      api_key === null
        ? null
        : { id: api_key.id, role: api_key.role, prefix: api_key.prefix, created_at: api_key.created_at },
    environment
  } satisfies MeBody
})

/** Adds a key that was configured after the merchant was created. */
const addConfiguredKey = Effect.fnUntraced(function* (
  { storage, unitOfWork }: Deps,
  merchant_id: string,
  secret: string
) {
  const hash = yield* sha256(secret)
  if ((yield* storage.lookup("api_key", hash)) !== undefined) return
  yield* unitOfWork.apply(merchant_id, { deduplicationKey: `bootstrap_key/${hash}` }, function* () {
    const at = yield* Clock.currentTimeMillis
    const merchant = yield* Effect.catchTag(unitOfWork.load(MerchantKind, merchant_id, merchant_id), "NotFound", () =>
      Effect.die(new InvariantViolation(`the bootstrap merchant ${merchant_id} is in the store`))
    )
    const counted = yield* unitOfWork.step(MerchantKind, merchant, { type: "key.made" }, at)
    const key = yield* makeKey({ merchant_id }, secret, "admin", null, at)
    return { changes: [...key.changes, ...(counted === undefined ? [] : [counted.changes])], result: null }
  })
})

/** Finds a merchant's key by its hash. Undefined when there is none. */
const findApiKey = Effect.fnUntraced(function* ({ storage }: Deps, merchant_id: string, hash: string) {
  const lookupKey = yield* storage.lookup("api_key", hash)
  if (lookupKey?.merchant_id !== merchant_id) return undefined
  const [row] = yield* storage.get([{ merchant_id, kind: ApiKeyKind.kind, id: lookupKey.id }])
  return row as Row<ApiKeyData> | undefined
})

const revokeReplacedKey = Effect.fnUntraced(function* (deps: Deps, merchant_id: string, hash: string) {
  const { unitOfWork, storage, auth } = deps
  yield* unitOfWork.apply(merchant_id, { deduplicationKey: `bootstrap_key_replaced/${hash}` }, function* () {
    const at = yield* Clock.currentTimeMillis
    const key = yield* findApiKey(deps, merchant_id, hash)
    const [merchant] = yield* storage.get([{ merchant_id, kind: MerchantKind.kind, id: merchant_id }])
    const revoked = key && (yield* unitOfWork.step(ApiKeyKind, key, { type: "revoke" }, at))
    if (revoked === undefined || merchant === undefined) return { changes: [], result: null }
    const counted = yield* unitOfWork.step(MerchantKind, merchant as Row<MerchantData>, { type: "key.revoked" }, at)
    return { changes: [revoked.changes, ...(counted === undefined ? [] : [counted.changes])], result: null }
  })
  auth.forget(hash)
})

/** Makes a key the configured one. A node that restarts with a replaced key changes nothing. */
const configureKey = Effect.fnUntraced(function* (deps: Deps, merchant_id: string, secret: string) {
  const { storage } = deps
  yield* addConfiguredKey(deps, merchant_id, secret)
  const hash = yield* sha256(secret)
  const before = yield* storage.setting(bootstrapKeySetting)
  if (before === hash) return
  const key = yield* findApiKey(deps, merchant_id, hash)
  if (key?.state !== "active") return yield* Effect.logWarning("the configured API key was revoked and stays revoked")
  if (before !== undefined) yield* revokeReplacedKey(deps, merchant_id, before)
  yield* storage.assign(bootstrapKeySetting, hash)
})

/**
 * Ensures that the store has a merchant.
 *
 * With `api_key`, that key becomes an admin key of the bootstrap merchant, and the key configured before is revoked. A
 * revoked key stays revoked. Without `api_key`, an empty store gets a generated key, which is returned only by this call.
 * Law: repeated or concurrent calls create one merchant, and each key once.
 */
const bootstrap = Effect.fnUntraced(function* (deps: Deps, api_key: string | undefined) {
  const { storage, ids, environment, unitOfWork } = deps
  const merchant_id = yield* storage.define(bootstrapSetting, yield* ids.make(MerchantKind.prefix))
  const [row] = yield* storage.get([{ merchant_id, kind: MerchantKind.kind, id: merchant_id }])
  if (row === undefined) {
    const secret = api_key ?? keyPrefix(environment) + (yield* token.pipe(Effect.provideService(Ids, ids)))
    const made = yield* unitOfWork.apply(
      merchant_id,
      { deduplicationKey: "bootstrap" },
      makeMerchant(deps, { merchant_id }, "Corridor", "US", "active", secret, null)
    )
    if (made._tag === "applied" && api_key === undefined) return { merchant_id, api_key: secret }
  }
  if (api_key !== undefined) yield* configureKey(deps, merchant_id, api_key)
  return { merchant_id, api_key: null }
})

export class Merchants extends Context.Service<Merchants>()("corridor/engine/Merchants", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, get, list, update, me: readCaller, bootstrap }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
