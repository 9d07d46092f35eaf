/** Senders: the parties on whose behalf payouts are made (SENDER-1). */
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import type { CustomerData, CustomerProfile } from "../../../machines/parties/customer.ts"
import type { MovementOriginator } from "../../../machines/parties/summaries.ts"
import { Sender, type SenderData, type SenderEvent } from "../../../machines/parties/sender.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { invalid } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { senderBody } from "../../representations/parties/sender.ts"
import { partyTypes } from "../../representations/members.ts"
import { CountryCode, describe, Email, listing, Metadata, Optional, Text } from "../../input/schemas.ts"
import { merchantReference, ofCustomer, owner } from "../../input/members.ts"
import { type Row } from "../../ports/Storage.ts"
import { checkCountry } from "../../input/field-checks.ts"
import { checkProfile, CustomerKind, defaultCustomerId, mergeProfile, ProfileInput } from "./customer.ts"
import { checkVersion } from "../../calls/list.ts"
import { makeReads } from "../../calls/reads.ts"

export const SenderKind: ResourceKind<SenderData, SenderEvent> = {
  kind: "sender",
  prefix: "snd",
  lifecycle: Sender,
  indexKeys: ({ type }) => [`type=${type}`],
  searchValues: ({ email, merchant_reference, name }) => ({
    title: name,
    names: [name],
    emails: [email],
    references: [merchant_reference]
  })
}

const { address, date_of_birth, id_number, id_type } = ProfileInput.fields

/** The profile fields that banks require. An update replaces the given fields and keeps the others. */
const profile = { address, date_of_birth, id_number, id_type }

export const CreateSender = Schema.Struct({
  type: describe(Schema.Literals(partyTypes), "Whether the sender is a person or a business."),
  name: describe(Text(255), "The name of the person or business.", "Amara Okafor"),
  customer_id: owner,
  email: Optional(Email, "The email address of the sender."),
  country_code: describe(CountryCode, "The country of the sender, ISO 3166-1 alpha-2.", "GB"),
  ...profile,
  merchant_reference: merchantReference,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateSender" })
export type CreateSender = typeof CreateSender.Type

export const UpdateSender = Schema.Struct({
  name: Optional(Text(255), "The name of the person or business.", "Amara N. Okafor"),
  email: Optional(Email, "The email address of the sender."),
  ...profile,
  merchant_reference: merchantReference,
  metadata: Optional(Metadata)
}).annotate({ identifier: "UpdateSender" })
export type UpdateSender = typeof UpdateSender.Type

export const ListSenders = Schema.Struct({
  customer_id: ofCustomer,
  type: Optional(Schema.Literals(partyTypes), "Only senders of this type."),
  ...listing
})

/** Splits an input into the profile and the other fields. */
const splitInput = <Input extends Partial<Pick<ProfileInput, keyof typeof profile>>>({
  address,
  date_of_birth,
  id_number,
  id_type,
  ...others
}: Input) => {
  const given = { address, date_of_birth, id_number, id_type }
  const profile = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ProfileInput
  return { profile, others }
}

/**
 * The sender that a payout names, or null when it names none.
 *
 * Errors: `NotFound`; `InvalidInput` for a sender that belongs neither to the wallet's customer nor to the default customer.
 */
export const findSender = Effect.fnUntracedEager(function* (
  unitOfWork: UnitOfWork["Service"],
  merchant_id: string,
  sender_id: string | null | undefined,
  customer_id: string
) {
  if (sender_id === null || sender_id === undefined) return null
  const sender = yield* unitOfWork.load(SenderKind, merchant_id, sender_id)
  const owner = sender.data.customer_id
  return owner === customer_id || owner === defaultCustomerId(merchant_id)
    ? sender
    : yield* invalid("sender_id", "The sender belongs to a different customer than the wallet.")
})

/** The originator of a payout as the provider receives it: the sender, or else the customer. */
export const toOriginator = (sender: Row<SenderData> | null, customer: Row<CustomerData>): MovementOriginator => {
  const { id, data } = sender ?? customer
  const profile: CustomerProfile | null = data.profile
  return {
    id,
    ...Struct.pick(data, ["type", "name", "country_code"]),
    address: profile?.address ?? null,
    date_of_birth: profile?.date_of_birth ?? null,
    id_type: profile?.id_type ?? null,
    id_number: profile?.id_number ?? null
  }
}

export class Senders extends Context.Service<Senders>()("corridor/engine/Senders", {
  make: Effect.gen(function* () {
    const [unitOfWork, cipher, ids] = yield* Effect.all([UnitOfWork, Cipher, Ids])

    return {
      /**
       * Creates a sender of the customer in `customer_id`, by default the default customer.
       *
       * Errors: `NotFound` for the customer; `ProhibitedCountry` for the country of the sender or of the address;
       * `InvalidInput` for a date of birth that is not in the past.
       */
      create: Effect.fnUntraced(function* (call: Call, input: CreateSender) {
        const { merchant_id } = call
        const customer_id = input.customer_id ?? defaultCustomerId(merchant_id)
        yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
        yield* checkCountry("country_code", input.country_code)
        const { profile } = splitInput(input)
        const sealed = yield* checkProfile(cipher, profile, "")
        const id = yield* ids.make(SenderKind.prefix)
        return yield* unitOfWork.write(call, function* () {
          const sender = yield* begin<SenderData>(
            SenderKind,
            { merchant_id, id, customer_id },
            {
              customer_id,
              type: input.type,
              name: input.name,
              email: input.email ?? null,
              country_code: input.country_code,
              profile: mergeProfile(null, profile, sealed),
              merchant_reference: input.merchant_reference ?? null,
              metadata: input.metadata ?? {}
            },
            yield* Clock.currentTimeMillis
          )
          return { changes: [sender.changes], result: senderBody(sender.row) }
        })
      }),

      /**
       * Replaces the given fields: metadata as a whole. A masked id number is not a change. Existing movements keep the sender
       * as it was.
       *
       * Errors: `NotFound`; `ProhibitedCountry` and `InvalidInput` as for `create`; `Conflict` when `If-Match` does not match.
       */
      update: Effect.fnUntraced(function* (call: Call, id: string, input: UpdateSender) {
        const { merchant_id } = call
        yield* unitOfWork.load(SenderKind, merchant_id, id)
        const { profile, others } = splitInput(input)
        const sealed = yield* checkProfile(cipher, profile, "")
        return yield* unitOfWork.write(call, function* () {
          const row = yield* unitOfWork.load(SenderKind, merchant_id, id)
          yield* checkVersion(call, String(row.version))
          const patch = { ...others, profile: mergeProfile(row.data.profile, profile, sealed) }
          const next = yield* unitOfWork.stepOrDie(
            SenderKind,
            row,
            { type: "update", patch },
            yield* Clock.currentTimeMillis
          )
          return { changes: [next.changes], result: senderBody(next.row) }
        })
      }),

      ...(yield* makeReads(SenderKind, ListSenders, senderBody))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
