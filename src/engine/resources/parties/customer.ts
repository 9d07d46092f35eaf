/** Customers (CUSTOMER-1). Every merchant starts with a default customer, which represents its own business. */
import { Clock, Context, Effect, Layer, Schema, SchemaGetter, Struct } from "effect"
import {
  Customer,
  type CustomerData,
  type CustomerEvent,
  type CustomerProfile
} from "../../../machines/parties/customer.ts"
import type { Call } from "../../commit/call.ts"
import { begin, type Stepped } from "../../commit/steps.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { invalid, type InvalidInput, InvalidStatus, type StorageFault } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids, cutStem } from "../../ports/Ids.ts"
import { Storage } from "../../ports/Storage.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { customerBody } from "../../representations/parties/customer.ts"
import { partyTypes } from "../../representations/members.ts"
import {
  CountryCode,
  describe,
  Email,
  listing,
  Metadata,
  Optional,
  parseInstant,
  Phone,
  Secret,
  Text
} from "../../input/schemas.ts"
import { merchantReference } from "../../input/members.ts"
import type { FaultAnnotations } from "../../input/validation.ts"
import { checkCountry } from "../../input/field-checks.ts"
import { checkVersion } from "../../calls/list.ts"
import { makeReads } from "../../calls/reads.ts"
import { makeDueLookup, identityVersionOf, isAtProvider } from "./verified-identity.ts"

/** For `Kind.derivedWrites`: has the provider verify a customer again whose verified data have changed (KYC-16). */
const reaskVerification: NonNullable<ResourceKind<CustomerData>["derivedWrites"]> = (
  before,
  { data, merchant_id },
  at
) =>
  data.verification === undefined ||
  data.verification === null ||
  identityVersionOf(data) === identityVersionOf(before.data)
    ? Effect.succeed([])
    : Effect.map(
        Effect.flatMap(Storage, ({ get }) => get([{ merchant_id, kind: "verification", id: data.verification!.id }])),
        ([session]) => (session === undefined || !isAtProvider(session) ? [] : [makeDueLookup(session, at)])
      )

export const CustomerKind: ResourceKind<CustomerData, CustomerEvent> = {
  kind: "customer",
  prefix: "cust",
  lifecycle: Customer,
  derivedWrites: reaskVerification,
  indexKeys: ({ type, kyc_status }) => [`type=${type}`, `kyc_status=${kyc_status}`],
  searchValues: ({ email, merchant_reference, name }) => ({
    title: name,
    names: [name],
    emails: [email],
    references: [merchant_reference]
  })
}

/** The id of the default customer. It is derived from the merchant's id, so that no lookup is required. */
export const defaultCustomerId = (merchant_id: string): string => `cust_${cutStem(merchant_id)}`

const kycStatuses = ["not_started", "pending", "in_progress", "approved", "rejected", "expired"] as const

/** The accepted types of identity documents (CUSTOMER-7). */
export const idTypes = [
  "passport",
  "national_id",
  "drivers_license",
  "voters_card",
  "nin",
  "bvn",
  "residence_permit",
  "tax_id"
] as const

/** Adds leading zeros to a date: `MM/DD/YYYY`. */
const padZeros = (text: string): string =>
  text
    .split("/")
    .map((part) => part.padStart(2, "0"))
    .join("/")

/** Parses a `MM/DD/YYYY` date to midnight UTC in epoch milliseconds; undefined for another format or an invalid date. */
const parseBirthday = (text: string): number | undefined => {
  const match = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(padZeros(text))
  return match === null ? undefined : parseInstant(`${match[3]}-${match[1]}-${match[2]}`, false)
}

/** Whether a `MM/DD/YYYY` date has ended, in UTC: a day that still runs is not in the past. */
export const isPastDay = (text: string, now: number): boolean => {
  const born = parseBirthday(text)
  return born !== undefined && born + 86_400_000 <= now
}

const aDate: FaultAnnotations = { expected: "a valid date as MM/DD/YYYY, such as 01/31/1990", code: "invalid_format" }

/**
 * A valid date as month, day and year, decoded to `MM/DD/YYYY`. The operation, which knows the time, checks that it is in the
 * past.
 */
export const DateOfBirth = Schema.String.annotate({
  ...aDate,
  description: "The date of birth as MM/DD/YYYY, in the past.",
  examples: ["01/31/1990"]
})
  .check(
    Schema.makeFilter((text: string) => parseBirthday(text) !== undefined, {
      ...aDate,
      toJsonSchema: () => ({ pattern: "^\\d{1,2}/\\d{1,2}/\\d{4}$" })
    })
  )
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform(padZeros),
      encode: SchemaGetter.transform((text: string) => text)
    })
  )

export const AddressInput = Schema.Struct({
  line1: describe(Text(255), "The street and number.", "12 Broad Street"),
  line2: Optional(Text(255), "A second line.", "Flat 4"),
  city: describe(Text(128), "The city.", "Lagos"),
  state: Optional(Text(128), "The state or region.", "Lagos"),
  postal_code: Optional(Text(32), "The postal code.", "101233"),
  country_code: describe(CountryCode, "The country, ISO 3166-1 alpha-2.")
}).annotate({ identifier: "AddressInput", description: "A postal address." })

/** The profile of a customer. An update replaces the given members and keeps the others. */
export const ProfileInput = Schema.Struct({
  phone: Optional(Phone),
  address: Optional(AddressInput),
  date_of_birth: Optional(DateOfBirth),
  id_number: Optional(
    Secret(64),
    "The number of the identity document. Responses show its last four characters.",
    "A01234567"
  ),
  id_type: Optional(Schema.Literals(idTypes), "The type of the identity document."),
  business_licence: Optional(Text(128), "The number of the business licence.", "RC-1187204")
}).annotate({
  identifier: "ProfileInput",
  description: "What is known of a customer beside the name. An update replaces the given members and keeps the others."
})
export type ProfileInput = typeof ProfileInput.Type

export const CreateCustomer = Schema.Struct({
  type: describe(Schema.Literals(partyTypes), "Whether the customer is a person or a business."),
  name: describe(Text(255), "The name of the person or business.", "Ada Obi"),
  email: describe(Email, "The email address of the customer."),
  country_code: describe(CountryCode, "The country of the customer, ISO 3166-1 alpha-2."),
  merchant_reference: merchantReference,
  profile: Optional(ProfileInput),
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateCustomer" })
export type CreateCustomer = typeof CreateCustomer.Type

export const UpdateCustomer = Schema.Struct({
  name: Optional(
    Text(255),
    "The name of the person or business. It cannot be changed once a verification is approved.",
    "Ada Obi"
  ),
  email: Optional(Email, "The email address of the customer."),
  merchant_reference: merchantReference,
  profile: Optional(ProfileInput),
  metadata: Optional(Metadata)
}).annotate({ identifier: "UpdateCustomer" })
export type UpdateCustomer = typeof UpdateCustomer.Type

export const ListCustomers = Schema.Struct({
  type: Optional(Schema.Literals(partyTypes), "Only customers of this type."),
  kyc_status: Optional(Schema.Literals(kycStatuses), "Only customers whose verification stands here."),
  ...listing
})

/** Masks an id number to its last four characters, or completely when it has four or fewer (CUSTOMER-5). */
export const maskIdNumber = (id_number: string): string => {
  const characters = [...id_number]
  const hidden = characters.length > 4 ? characters.length - 4 : characters.length
  return "*".repeat(hidden) + characters.slice(hidden).join("")
}

/** Encrypts an id number, as it is stored, and makes its masked form. */
export const sealIdNumber = (cipher: Cipher["Service"], id_number: string) =>
  Effect.map(cipher.seal(id_number), (sealed) => ({ id_number: sealed, id_number_masked: maskIdNumber(id_number) }))

type SealedIdNumber = Effect.Success<ReturnType<typeof sealIdNumber>>

/**
 * Checks a profile and encrypts its id number. `within`: the prefix of the field names in errors, `profile.` or empty.
 *
 * Errors: `ProhibitedCountry` for the country of the address; `InvalidInput` for a date of birth that is not in the past.
 */
export const checkProfile = Effect.fnUntraced(function* (
  cipher: Cipher["Service"],
  profile: ProfileInput | undefined,
  within: string
) {
  yield* checkCountry(`${within}address.country_code`, profile?.address?.country_code)
  yield* requirePastBirth(yield* Clock.currentTimeMillis, profile?.date_of_birth, `${within}date_of_birth`)
  return typeof profile?.id_number === "string" ? yield* sealIdNumber(cipher, profile.id_number) : undefined
})

/** Merges the given members into a profile. The others are kept. */
export const mergeProfile = (
  kept: CustomerProfile | null,
  given: ProfileInput,
  sealed: SealedIdNumber | undefined
): CustomerProfile => {
  const { id_number, ...others } = given
  // A caller that sends back the masked number does not change the number.
  const unchanged = id_number === undefined || id_number === kept?.id_number_masked
  return { ...kept, ...others, ...(unchanged ? {} : sealed) }
}

const verifiedMembers = ["date_of_birth", "id_number", "id_type"] as const

/** Lists the verified members that an update changes. */
const listVerifiedMembers = ({ name, profile }: CustomerData, patch: Partial<CustomerData>) => [
  ...(patch.name === undefined || patch.name === name ? [] : ["name"]),
  ...verifiedMembers
    .filter((member) => patch.profile !== undefined && patch.profile?.[member] !== profile?.[member])
    .map((member) => `profile.${member}`)
]

/** Raises the identity version in an update that changes verified data. Each such update goes through it (KYC-16). */
export const countIdentityChange = (data: CustomerData, patch: Partial<CustomerData>): Partial<CustomerData> =>
  listVerifiedMembers(data, patch).length === 0 ? patch : { ...patch, identity_version: identityVersionOf(data) + 1 }

const requirePastBirth = (
  now: number,
  date_of_birth: string | null | undefined,
  field: string
): Effect.Effect<void, InvalidInput> => {
  if (date_of_birth === null || date_of_birth === undefined) return Effect.void
  return isPastDay(date_of_birth, now)
    ? Effect.void
    : Effect.fail(invalid(field, `${field} is ${JSON.stringify(date_of_birth)}. The date must be in the past.`))
}

/**
 * Begins a merchant's default customer: `is_default`, approved, `tier_2` (MERCHANT-3). The caller commits its change set
 * together with the merchant. `at`: milliseconds since the epoch.
 */
export const beginDefaultCustomer = (merchant: {
  readonly merchant_id: string
  readonly name: string
  readonly country_code: string
  readonly at: number
}): Effect.Effect<Stepped<CustomerData>, never, Ids> => {
  const { merchant_id, name, country_code, at } = merchant
  const id = defaultCustomerId(merchant_id)
  const data: CustomerData = {
    type: "business",
    name,
    email: `${cutStem(merchant_id)}@merchant.invalid`,
    merchant_reference: null,
    country_code,
    tier: "tier_2",
    kyc_status: "approved",
    is_default: true,
    metadata: {},
    profile: null
  }
  return begin(CustomerKind, { merchant_id, id, customer_id: id }, data, at)
}

export class Customers extends Context.Service<Customers>()("corridor/engine/Customers", {
  make: Effect.gen(function* () {
    const [unitOfWork, cipher, ids] = yield* Effect.all([UnitOfWork, Cipher, Ids])

    const isSameNumber = (
      kept: CustomerProfile | null,
      { id_number }: ProfileInput
    ): Effect.Effect<boolean, StorageFault> =>
      kept?.id_number === undefined || typeof id_number !== "string"
        ? Effect.succeed(false)
        : Effect.map(cipher.open(kept.id_number), (number) => number === id_number)

    return {
      /**
       * Errors: `ProhibitedCountry` for the country of the customer or of the address; `InvalidInput` for a date of birth that
       * is not in the past.
       */
      create: Effect.fnUntraced(function* (call: Call, input: CreateCustomer) {
        const { merchant_id } = call
        yield* checkCountry("country_code", input.country_code)
        const sealed = yield* checkProfile(cipher, input.profile, "profile.")
        const id = yield* ids.make(CustomerKind.prefix)
        return yield* unitOfWork.write(call, function* () {
          const at = yield* Clock.currentTimeMillis
          const customer = yield* begin<CustomerData>(
            CustomerKind,
            { merchant_id, id, customer_id: id },
            {
              ...Struct.pick(input, ["type", "name", "email", "country_code"]),
              merchant_reference: input.merchant_reference ?? null,
              tier: "tier_0",
              kyc_status: "not_started",
              is_default: false,
              metadata: input.metadata ?? {},
              profile: input.profile === undefined ? null : mergeProfile(null, input.profile, sealed)
            },
            at
          )
          return { changes: [customer.changes], result: customerBody(customer.row, at) }
        })
      }),

      /**
       * Replaces the given fields: metadata as a whole, the profile member by member (FIELD-9). An id number equal to the
       * stored one, in full or masked, is not a change.
       *
       * Errors: `NotFound`; `ProhibitedCountry` and `InvalidInput` as for `create`; `Conflict` when `If-Match` does not match;
       * `InvalidStatus` for a new name, date of birth or document of an approved customer (CUSTOMER-6).
       */
      update: Effect.fnUntraced(function* (call: Call, id: string, input: UpdateCustomer) {
        const { merchant_id } = call
        yield* unitOfWork.load(CustomerKind, merchant_id, id)
        const sealed = yield* checkProfile(cipher, input.profile, "profile.")
        return yield* unitOfWork.write(call, function* () {
          const row = yield* unitOfWork.load(CustomerKind, merchant_id, id)
          yield* checkVersion(call, String(row.version))
          const { profile, ...others } = input
          const kept = row.data.profile
          const patch =
            profile === undefined
              ? others
              : {
                  ...others,
                  profile: mergeProfile(kept, profile, (yield* isSameNumber(kept, profile)) ? undefined : sealed)
                }
          const [changed] = listVerifiedMembers(row.data, patch)
          if (changed !== undefined && !row.data.is_default && row.data.kyc_status === "approved")
            return yield* new InvalidStatus({
              message: `Customer ${id} is approved, so the verified field ${changed} cannot be updated. ${row.data.tier === "tier_2" ? "No verification is above tier_2: create a customer with the new data." : "Start a new verification."}`
            })
          const at = yield* Clock.currentTimeMillis
          const event = { type: "update", patch: countIdentityChange(row.data, patch) } as const
          const next = yield* unitOfWork.stepOrDie(CustomerKind, row, event, at)
          return { changes: [next.changes], result: customerBody(next.row, at) }
        })
      }),

      ...(yield* makeReads(CustomerKind, ListCustomers, customerBody))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
