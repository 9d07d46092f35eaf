/**
 * What screenings allow (BENEFICIARY-7). A verdict counts for the screening that it names, whenever it comes: before
 * that screening's beneficiary is written, while the beneficiary stands on it, or after another one took its place.
 */
import { Effect } from "effect"
import type { BeneficiaryData, Screening } from "../../../machines/parties/beneficiary.ts"
import type { Beneficiary as BeneficiarySnapshot } from "../../../machines/parties/summaries.ts"
import { uniqueKey, type ChangeSet, type KeyScope, requireUnchanged } from "../../commit/changeset.ts"
import { InvalidStatus } from "../../ports/errors.ts"
import type { Kind } from "../../commit/kind.ts"
import type { ScreenedEvent } from "../../ports/Provider.ts"
import type { Row, Storage } from "../../ports/Storage.ts"

/** Unique keys by screening id: who came first, the beneficiary (`written`) or a verdict (`cleared`, `refused`). */
export const firstScope: KeyScope = { name: "screening", taken: "decide_again" }
/** Unique keys of screenings that were refused after their beneficiary was written. */
export const refusedScope: KeyScope = { name: "refused_screening", taken: "decide_again" }

type Read = Pick<Storage["Service"], "uniqueKeyOwner" | "get">

/** A screening as its beneficiary is written on it: the provider's answer, unless a verdict on it has come already. */
export const written = Effect.fnUntraced(function* (
  storage: Read,
  merchant_id: string,
  screening_id: string,
  isCleared: boolean
) {
  const first = yield* storage.uniqueKeyOwner(merchant_id, firstScope.name, screening_id)
  if (first === undefined) {
    const screening: Screening = isCleared ? "cleared" : "awaited"
    return { screening, changes: [uniqueKey(firstScope, screening_id, "written")] }
  }
  const isRefused =
    first === "refused" || (yield* storage.uniqueKeyOwner(merchant_id, refusedScope.name, screening_id)) !== undefined
  return { screening: (isRefused ? "refused" : "cleared") satisfies Screening as Screening, changes: [] }
})

/** For `Kind.derivedWrites`: a payout that was made under a refused screening finds it, also when another has replaced it. */
export const recordRefusal: NonNullable<Kind<BeneficiaryData>["derivedWrites"]> = (_before, { data, id, via }) =>
  Effect.succeed(
    via === "provider.screened" && data.screening === "refused" ? [uniqueKey(refusedScope, data.screening_id, id)] : []
  )

/** What is kept of a verdict on a screening that no beneficiary stands on: not yet, or not any more. */
export const recordVerdict = Effect.fnUntraced(function* (
  storage: Read,
  merchant_id: string,
  { cleared, resource_id, screening_id }: ScreenedEvent
) {
  const first = yield* storage.uniqueKeyOwner(merchant_id, firstScope.name, screening_id)
  if (first === undefined) return [uniqueKey(firstScope, screening_id, cleared ? "cleared" : "refused")]
  const isNew = !cleared && (yield* storage.uniqueKeyOwner(merchant_id, refusedScope.name, screening_id)) === undefined
  return isNew ? [uniqueKey(refusedScope, screening_id, resource_id)] : []
})

/** Errors: `InvalidStatus` for a beneficiary that new payouts may not go to. */
export const payable = ({ id, status }: Row<BeneficiaryData>): Effect.Effect<void, InvalidStatus> =>
  status === "active"
    ? Effect.void
    : Effect.fail(
        new InvalidStatus({
          message: `Beneficiary ${id} is ${status}: ${status === "blocked" ? "its screening was refused" : "it is still being screened"}.`
        })
      )

/**
 * What the submission of a payout rests on: its beneficiary, at the version read here. A payout to one that is blocked, or
 * to an account or name that was refused since, is not submitted. `undefined` for a movement without a beneficiary.
 */
export const payeeOf = Effect.fnUntraced(function* (storage: Read, { merchant_id, data }: Row, at: number) {
  const { beneficiary_id, beneficiary } = data as {
    readonly beneficiary_id?: string
    readonly beneficiary?: BeneficiarySnapshot
  }
  if (beneficiary_id === undefined) return undefined
  const key = { merchant_id, kind: "beneficiary", id: beneficiary_id }
  const payee = (yield* storage.get([key]))[0] as Row<BeneficiaryData> | undefined
  const paid = beneficiary?.screening_id
  const wasReplaced = paid !== undefined && paid !== payee?.data.screening_id
  const isBarred =
    payee?.status === "blocked" ||
    (wasReplaced && (yield* storage.uniqueKeyOwner(merchant_id, refusedScope.name, paid)) !== undefined)
  return {
    changes: [requireUnchanged(key, payee)] satisfies ReadonlyArray<ChangeSet> as ReadonlyArray<ChangeSet>,
    ...(isBarred ? { event: { type: "payout.blocked", at } } : {})
  }
})
