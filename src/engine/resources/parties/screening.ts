/**
 * Screenings and the payouts they permit (BENEFICIARY-7). A verdict applies to the screening that it names, whenever it
 * arrives: before the beneficiary is written, while the screening is current, or after another one has replaced it.
 */
import { Effect } from "effect"
import type { BeneficiaryData, BeneficiaryScreening } from "../../../machines/parties/beneficiary.ts"
import type { BeneficiarySummary as BeneficiarySnapshot } from "../../../machines/parties/summaries.ts"
import { takeUniqueKey, type ChangeSet, type KeyScope, requireVersion } from "../../commit/changeset.ts"
import { InvalidStatus, type StorageFault } from "../../ports/errors.ts"
import type { Kind } from "../../commit/kind.ts"
import { makeDueTimer } from "../../commit/steps.ts"
import type { ScreenedEvent, ScreeningResult } from "../../ports/Provider.ts"
import type { Row, Storage } from "../../ports/Storage.ts"

/** Unique keys by screening id. The owner is the first to arrive: the beneficiary (`written`) or a verdict, with who gave it if it clears. */
export const firstScope: KeyScope = { name: "screening", taken: "decide_again" }
/** Unique keys of screenings that were refused after their beneficiary was written. */
export const refusedScope: KeyScope = { name: "refused_screening", taken: "decide_again" }

type Read = Pick<Storage["Service"], "uniqueKeyOwner" | "get">

const clearanceKey = (provider: string): string => `cleared/${provider}`

/**
 * Decides the screening of a beneficiary that is about to be written: the result of the provider that was asked, or the verdict that
 * arrived first. Any provider may refuse, but only the one that was asked clears.
 */
export const decideScreening = Effect.fnUntraced(function* (
  storage: Read,
  merchant_id: string,
  screening_id: string,
  { provider, result }: { readonly provider: string | undefined; readonly result: ScreeningResult }
) {
  const resulting: BeneficiaryScreening = result === "held" ? "awaited" : result
  const first = yield* storage.uniqueKeyOwner(merchant_id, firstScope.name, screening_id)
  if (first === undefined) {
    const owner = result === "refused" ? result : "written"
    return { screening: resulting, changes: [takeUniqueKey(firstScope, screening_id, owner)] }
  }
  const isRefused =
    first === "refused" || (yield* storage.uniqueKeyOwner(merchant_id, refusedScope.name, screening_id)) !== undefined
  const isCleared = provider !== undefined && first === clearanceKey(provider)
  const screening: BeneficiaryScreening = isRefused ? "refused" : isCleared ? "cleared" : resulting
  return { screening, changes: [] }
})

/** The timer of a beneficiary by which the payouts end at once that wait for approval, and can no longer be made (APPROVAL-17). */
export const barredTimer = "barred"

/** The change set that ends the waiting payouts to a beneficiary at once. */
const endPayouts = (id: string, at: number): ChangeSet => makeDueTimer({ id, kind: "beneficiary" }, barredTimer, at)

/**
 * For `Kind.derivedWrites`: records a refused screening, so that payouts find it after another one has replaced it, and ends those that wait.
 */
export const recordRefusal: NonNullable<Kind<BeneficiaryData>["derivedWrites"]> = (
  before,
  { data, id, state, via },
  at
) =>
  Effect.succeed([
    ...(via === "provider.screened" && data.screening === "refused"
      ? [takeUniqueKey(refusedScope, data.screening_id, id)]
      : []),
    ...(state === "blocked" && before.state !== "blocked" ? [endPayouts(id, at)] : [])
  ])

/** Whether a beneficiary has, or had, the screening, or a verdict on it has come. */
export const isScreeningKnown = (storage: Read, merchant_id: string, screening_id: string) =>
  Effect.map(storage.uniqueKeyOwner(merchant_id, firstScope.name, screening_id), (owner) => owner !== undefined)

/** Records a verdict on a screening that is not current: its beneficiary is not written yet, or has a newer screening. */
export const recordVerdict = Effect.fnUntraced(function* (
  storage: Read,
  merchant_id: string,
  provider: string,
  { cleared, resource_id, screening_id }: ScreenedEvent,
  at: number
) {
  const first = yield* storage.uniqueKeyOwner(merchant_id, firstScope.name, screening_id)
  if (first === undefined)
    return [takeUniqueKey(firstScope, screening_id, cleared ? clearanceKey(provider) : "refused")]
  const isNew = !cleared && (yield* storage.uniqueKeyOwner(merchant_id, refusedScope.name, screening_id)) === undefined
  return isNew ? [takeUniqueKey(refusedScope, screening_id, resource_id), endPayouts(resource_id, at)] : []
})

/** Requires an active beneficiary. Errors: `InvalidStatus`. */
export const requireActive = ({ id, status }: Row<BeneficiaryData>): Effect.Effect<void, InvalidStatus> =>
  status === "active"
    ? Effect.void
    : Effect.fail(
        new InvalidStatus({
          message: `Beneficiary ${id} is ${status}: ${status === "blocked" ? "its screening was refused" : "it is still being screened"}.`
        })
      )

/** What is known of the beneficiary that a payout pays. `changes`: the beneficiary must be unmodified. */
interface Payee {
  readonly changes: ReadonlyArray<ChangeSet>
  /** The beneficiary is blocked, or the account or name that the payout pays was refused. */
  readonly isBarred: boolean
  /** It depends on the beneficiary alone, and so on `changes`. Otherwise it has to be read again for each decision. */
  readonly isOfCurrent: boolean
}

/** Reads the beneficiary of a payout, before its submission. Undefined for a movement without a beneficiary. */
export const readPayee = Effect.fnUntraced(function* (
  storage: Read,
  { merchant_id, data }: Row
): Effect.fn.Return<Payee | undefined, StorageFault> {
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
  return { changes: [requireVersion(key, payee)], isBarred, isOfCurrent: !wasReplaced }
})

/** The precondition of a submission: its beneficiary, which ends the payout if it is barred. `at`: milliseconds since the epoch. */
export const toPrecondition = (payee: Payee | undefined, at: number) =>
  payee && { changes: payee.changes, ...(payee.isBarred ? { event: { type: "payout.blocked", at } } : {}) }
