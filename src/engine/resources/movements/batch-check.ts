/** The check of a batch: each row is decided and not committed, and the rows add up (BATCH-3). */
import { Context, Effect, Equal, Layer } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { ActSum } from "../../../machines/controls/approval-rule.ts"
import { isGuarded } from "../../../machines/kernel/ledger.ts"
import {
  type BatchData,
  type BatchPartData,
  type BatchRow,
  type BatchRowError,
  type BatchSum,
  type BatchTotals,
  listRemainingParts
} from "../../../machines/movements/batch.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import type { OfframpData } from "../../../machines/movements/offramp.ts"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { TransferData } from "../../../machines/movements/transfer.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { codeOf } from "../../calls/codes.ts"
import { AskedTerms, KnownTerms, VolumeAhead } from "../../calls/CurrentTerms.ts"
import { KnownRecipients } from "../../calls/Routes.ts"
import { makeDryRun } from "../../calls/dry-run.ts"
import { readAllRows, readAllRowsUnder } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, mergeChanges, referenceScope } from "../../commit/changeset.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { DryRun, type DryRunRecord, type UsedOfLimit } from "../../ports/dry-run.ts"
import type { Fault, FieldFault, Refusal, StorageFault } from "../../ports/errors.ts"
import { type Row, type RowKey, Storage, type StoredCounter } from "../../ports/Storage.ts"
import { Beneficiaries, BeneficiaryKind, payeeKey } from "../parties/beneficiary.ts"
import { CustomerKind, defaultCustomerId } from "../parties/customer.ts"
import { WalletKind } from "../wallets/wallet.ts"
import {
  amountField,
  BatchKind,
  BatchPartKind,
  decodeRow,
  findPartNumber,
  partId,
  type RowInput,
  chooseReference,
  type Sent
} from "./batch-row.ts"
import { toExchangeSum } from "./creation.ts"
import { Offramps } from "./offramp.ts"
import { QuoteKind, Quotes } from "./quote.ts"
import { Transfers } from "./transfer.ts"

/** How many rows are decided, or read, at once. */
const atOnce = 32
const readAtOnce = 500

const makeDeps = Effect.all({
  storage: Storage,
  unitOfWork: UnitOfWork,
  transfers: Transfers,
  offramps: Offramps,
  quotes: Quotes,
  beneficiaries: Beneficiaries
})
type Deps = Effect.Success<typeof makeDeps>

/** Finds the column that a refusal without fields is about. */
const findColumn = (error: Refusal | Fault, input: RowInput | undefined): string => {
  switch (error._tag) {
    case "InsufficientFunds":
      return input === undefined ? "operation" : amountField(input)
    case "DuplicateResource":
      return "reference"
    case "NotFound":
      return error.message.includes(JSON.stringify(input?.wallet_id)) ? "wallet_id" : "beneficiary_id"
    default:
      return input?.beneficiary === undefined ? "beneficiary_id" : "beneficiary"
  }
}

/** The codes of refusals that say less than the codes of their fields. */
const general: ReadonlySet<string> = new Set(["bad_request", "invalid_input"])

/** Converts a refusal to errors of a row, in the shape of `meta.errors`. */
export const toRowErrors = (error: Refusal | Fault, input?: RowInput): ReadonlyArray<BatchRowError> => {
  const { errors } = error as { readonly errors?: ReadonlyArray<FieldFault> }
  const refused = codeOf(error)
  if (errors !== undefined && errors.length > 0)
    // The quote of a row is its own: its amount is what a limit has no room for.
    return errors.map(({ code, field, ...others }) => ({
      field: field === "quote_id" && input !== undefined ? amountField(input) : field,
      code: general.has(refused) ? code : refused,
      ...others
    }))
  return [{ field: findColumn(error, input), code: refused, message: error.message }]
}

/** A row that was decided. `changes`: what its payment would write now. `waits`: the approval that it would wait for. */
interface Decided {
  readonly row: BatchRow
  readonly waits?: DryRunRecord["awaits"]
  readonly input: RowInput | undefined
  readonly changes: ReadonlyArray<ChangeSet>
}

/** Sums amounts by currency. Currencies whose sum is zero are left out. */
export const sumByCurrency = (
  all: ReadonlyArray<readonly [minor: bigint, currency: string]>
): ReadonlyArray<BatchSum> => {
  const sums = new Map<string, bigint>()
  for (const [minor, currency] of all) sums.set(currency, (sums.get(currency) ?? 0n) + minor)
  return [...sums]
    .filter(([, amount]) => amount !== 0n)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount: amount.toString() }))
}

type Priced = NonNullable<BatchRow["priced"]>

/** Whether a row becomes a movement that fees are charged for: its amount is part of the volume that chooses them. */
export const isPriced = ({ sent }: Pick<BatchRow, "sent">): boolean => sent["operation"] === "offramp"

/** The amounts of a movement, as its row of a batch keeps them. */
export const toPriced = ({ data, kind }: Pick<Row, "data" | "kind">): Priced => {
  if (kind === "transfer") {
    const { amount, currency } = data as TransferData
    return { source: { amount, currency }, received: { amount, currency }, fees: [] }
  }
  const o = data as OfframpData
  const [worth, currency] = toExchangeSum(o).worth!
  return {
    source: { amount: o.source_amount, currency: o.source_currency },
    received: { amount: o.quoted_received_amount, currency: o.destination_currency },
    worth: { amount: worth, currency },
    fees: sumByCurrency([
      [BigInt(o.gateway_fee), o.source_currency],
      [BigInt(o.network_fee), o.destination_currency]
    ])
  }
}

/** Whether a written row is the new movement of a batch row. */
export const isMadeMovement = ({ kind, version }: Row): boolean =>
  version === 1 && (kind === "transfer" || kind === "offramp")

/** Renames the fields of a refusal of a row's recipient to those of the row. */
const renameFields = <Error extends Refusal | Fault>(error: Error): Error => {
  if (!("errors" in error)) return error
  const errors = error.errors.map((one) => ({ ...one, field: `beneficiary.${one.field}` }))
  return Reflect.construct(error.constructor as new (of: object) => Error, [{ message: error.message, errors }])
}

/** Finds the beneficiary that a row names, or makes the one that its details describe, in a dry run. */
export const findRecipient = Effect.fnUntraced(function* (
  { beneficiaries }: { readonly beneficiaries: Beneficiaries["Service"] },
  call: Call,
  input: RowInput
): Effect.fn.Return<{ readonly id: string; readonly made: Row | undefined }, Refusal | Fault> {
  if (input.beneficiary === undefined) return { id: input.beneficiary_id ?? "", made: undefined }
  const dry = makeDryRun()
  yield* Effect.mapError(
    Effect.provideService(beneficiaries.create(call, input.beneficiary), DryRun, dry),
    renameFields
  )
  const made = dry.changes.flatMap(({ rows }) => rows).find(({ kind }) => kind === BeneficiaryKind.kind)!
  return { id: made.id, made: { ...made, state: "active", status: "active" } as Row }
})

/** Picks the members of a beneficiary that a payment depends on: the account, and the details of the recipient that providers get. */
export const pickPayeeFacts = ({ address, currency, details, name, purpose_code = null }: BeneficiaryData) => ({
  name,
  currency,
  purpose_code,
  details: { ...details, name_match: null, ...("address" in details ? { address: null } : {}) },
  address: Object.fromEntries(Object.entries(address ?? {}).filter(([, value]) => value !== null))
})

/**
 * Finds the stored beneficiary of the same customer that pays the same account or address to the same name, at the same postal address,
 * with the same purpose code. One that can be paid goes first, and one that was blocked goes last, if it was made at `since` or later: the
 * beneficiary that a batch has made is not made again when it is refused.
 */
export const findIdentical = Effect.fnUntraced(function* (
  { storage }: { readonly storage: Storage["Service"] },
  made: Row<BeneficiaryData>,
  since: number
): Effect.fn.Return<Row<BeneficiaryData> | undefined, StorageFault> {
  const wanted = pickPayeeFacts(made.data)
  const alike = yield* readAllRowsUnder(
    storage,
    { merchant_id: made.merchant_id, kinds: [BeneficiaryKind.kind], keys: [payeeKey(made.data)] },
    (row) => {
      const one = row as Row<BeneficiaryData>
      return (one.status !== "blocked" || one.created_at >= since) && Equal.equals(pickPayeeFacts(one.data), wanted)
    }
  )
  const first = (status: string) => alike.find((row) => row.status === status)
  return (first("active") ?? first("pending") ?? alike[0]) as Row<BeneficiaryData> | undefined
})

/** The recipients that rows of one check describe, by whom they pay: rows that are alike pay one. */
type Described = Map<string, Array<Row<BeneficiaryData>>>

/** Finds the beneficiary as which a described recipient will be paid, as if cleared: a stored one, or that of another row. */
const resolveRecipient = Effect.fnUntraced(function* (
  { storage }: Deps,
  made: Row<BeneficiaryData>,
  described: Described
): Effect.fn.Return<Row<BeneficiaryData>, StorageFault> {
  const found = yield* findIdentical({ storage }, made, Infinity)
  const key = payeeKey(made.data)
  const facts = pickPayeeFacts(made.data)
  const alike = described.get(key) ?? []
  const before = found ?? alike.find((one) => Equal.equals(pickPayeeFacts(one.data), facts))
  if (before === undefined) described.set(key, [...alike, made])
  return { ...(before ?? made), state: "active", status: "active" }
})

/** Decides the movement of one row, without a commit. Errors: those of its movement. */
const decideRow = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  input: RowInput,
  reference: string,
  known: ReadonlyMap<string, Row>,
  described: Described
) {
  const { offramps, quotes, transfers, unitOfWork } = deps
  const named = yield* findRecipient(deps, call, input)
  const made = named.made && (yield* resolveRecipient(deps, named.made as Row<BeneficiaryData>, described))
  const beneficiary_id = made?.id ?? named.id
  const wallet = known.get(input.wallet_id) as Row<WalletData> | undefined
  const rows = [
    wallet,
    made ?? known.get(beneficiary_id),
    known.get(defaultCustomerId(call.merchant_id)),
    known.get(wallet?.data.customer_id ?? "")
  ].filter((row) => row !== undefined)
  const { amount, metadata, source_amount, target_amount, wallet_id } = input
  if (amount !== undefined) {
    const decision = yield* transfers.decision(call, {
      wallet_id,
      beneficiary_id,
      amount,
      reference,
      ...(metadata === undefined ? {} : { metadata })
    })
    return (yield* unitOfWork.decideFrom(rows)(decision)).changes
  }
  const quoted = yield* unitOfWork.decideFrom(rows)(
    quotes.offrampDecision(call, {
      wallet_id,
      beneficiary_id,
      ...(source_amount === undefined ? {} : { source_amount }),
      ...(target_amount === undefined ? {} : { target_amount })
    })
  )
  const quote = mergeChanges(quoted.changes).rows.find(({ kind }) => kind === QuoteKind.kind) as Row<QuoteData>
  return (yield* unitOfWork.decideFrom(rows)(offramps.preview(call, quote, reference))).changes
})

const checkRow = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  sent: Sent,
  row: number,
  batch: string,
  known: ReadonlyMap<string, Row>,
  described: Described,
  read: Effect.Effect<RowInput, Refusal>
): Effect.fn.Return<Decided> {
  const reference = chooseReference(batch, sent, row)
  const none = { row, sent, reference, resource_id: null, failure: null, priced: null }
  let input: RowInput | undefined
  let waits: DryRunRecord["awaits"]
  const own: Call = {
    ...call,
    waits: (approval) => void (waits = approval && { operation: approval.operation, needed: approval.needed })
  }
  const changes = Effect.flatMap(read, (one) => decideRow(deps, own, (input = one), reference, known, described))
  const found = yield* Effect.result(changes as Effect.Effect<ReadonlyArray<ChangeSet>, Refusal | Fault>)
  if (found._tag === "Failure")
    return { row: { ...none, errors: toRowErrors(found.failure, input) }, input, changes: [] }
  const movement = mergeChanges(found.success).rows.find(isMadeMovement)!
  const screening_id = (known.get(input?.beneficiary_id ?? "") as Row<BeneficiaryData> | undefined)?.data.screening_id
  const fine = {
    ...none,
    errors: [],
    priced: toPriced(movement),
    ...(screening_id === undefined ? {} : { screening_id })
  }
  return { row: fine, input, changes: found.success, ...(waits === undefined ? {} : { waits }) }
})

/** Reads rows by their keys, in pages. Those that do not exist are left out. */
const readRowsById = Effect.fnUntraced(function* ({ storage }: Deps, keys: ReadonlyArray<RowKey>) {
  const pages = Array.from({ length: Math.ceil(keys.length / readAtOnce) }, (_, at) =>
    keys.slice(at * readAtOnce, (at + 1) * readAtOnce)
  )
  const rows = yield* Effect.forEach(pages, (page) => storage.get(page), { concurrency: 4 })
  return rows.flat()
})

/** Reads the wallets, beneficiaries and customers that rows name, in few reads. */
const readParties = Effect.fnUntraced(function* (deps: Deps, merchant_id: string, inputs: ReadonlyArray<RowInput>) {
  const named = new Map<string, string>([[defaultCustomerId(merchant_id), CustomerKind.kind]])
  for (const { beneficiary_id, wallet_id } of inputs) {
    named.set(wallet_id, WalletKind.kind)
    if (beneficiary_id !== undefined) named.set(beneficiary_id, BeneficiaryKind.kind)
  }
  const keys = [...named].map(([id, kind]) => ({ merchant_id, kind, id }))
  const rows = yield* readRowsById(deps, keys)
  const known = new Map(rows.map((row) => [row.id, row]))
  const customers = rows.flatMap(({ data, kind }) =>
    kind === WalletKind.kind ? [(data as WalletData).customer_id] : []
  )
  const others = [...new Set(customers)].filter((id) => !known.has(id))
  for (const row of yield* readRowsById(
    deps,
    others.map((id) => ({ merchant_id, kind: CustomerKind.kind, id }))
  ))
    known.set(row.id, row)
  return known as ReadonlyMap<string, Row>
})

/** Gives a row an error, so that it writes nothing. */
const addError = ({ row, ...one }: Decided, error: BatchRowError): Decided => ({
  ...one,
  changes: [],
  row: { ...row, errors: [error], priced: null }
})

/** Whether a row of a confirmed batch has yet to be paid or refused. */
export const isPayable = ({ errors, failure, resource_id }: BatchRow): boolean =>
  errors.length === 0 && failure === null && resource_id === null

/** Lists the parts of a batch, among those that are not paid, with a row that may have one of the references. */
const listPartsWith = ({ data }: Row<BatchData>, references: ReadonlyArray<string>): ReadonlyArray<number> => {
  const left = listRemainingParts(data)
  if (data.has_own_references) return left
  // Each row has the reference of the batch, a hyphen and its number.
  const begin = `${data.reference}-`
  const rows = references.flatMap((one) => (one.startsWith(begin) ? [Number(one.slice(begin.length))] : []))
  const parts = new Set(rows.map(findPartNumber))
  return left.filter((part) => parts.has(part))
}

/** Finds which of the references confirmed batches will give to rows that they have yet to pay, each with its row. */
const findPromisedReferences = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  references: ReadonlyArray<string>
) {
  const processing = { merchant_id, kinds: [BatchKind.kind], index_keys: ["status=processing"] }
  const batches = (yield* readAllRows(deps.storage, processing, () => true)) as ReadonlyArray<Row<BatchData>>
  const promised = new Map<string, string>()
  for (const batch of batches) {
    const { id } = batch
    const keys = listPartsWith(batch, references).map((part) => ({
      merchant_id,
      kind: BatchPartKind.kind,
      id: partId(id, part)
    }))
    const parts = (yield* readRowsById(deps, keys)) as ReadonlyArray<Row<BatchPartData>>
    for (const row of parts.flatMap((part) => part.data.rows).filter(isPayable))
      promised.set(row.reference, `row ${row.row} of batch ${id}, which is being paid`)
  }
  return promised
})

/** Finds why references are taken: in use, or given to a row by a confirmed batch. */
const findTakenReferences = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  references: ReadonlyArray<string>
) {
  // Read first: what is paid meanwhile has its owner.
  const promised = yield* findPromisedReferences(deps, merchant_id, references)
  const taken = new Map([...promised].map(([reference, row]) => [reference, `is that of ${row}.`]))
  const findOwner = (one: string) => deps.storage.uniqueKeyOwner(merchant_id, referenceScope.name, one)
  const owners = yield* Effect.forEach(references, findOwner, { concurrency: atOnce })
  for (const [at, owner] of owners.entries())
    if (owner !== undefined) taken.set(references[at]!, `is in use by ${owner}. References are unique per merchant.`)
  return taken as ReadonlyMap<string, string>
})

/** Computes the new sums of the keys that `moves` name, and of no others. */
const sumAfter = <K>(
  sums: ReadonlyMap<K, bigint>,
  moves: ReadonlyArray<readonly [K, bigint]>
): ReadonlyMap<K, bigint> => {
  const after = new Map<K, bigint>()
  for (const [key, amount] of moves) after.set(key, (after.get(key) ?? sums.get(key) ?? 0n) + amount)
  return after
}

/** Makes what the store has of the guarded accounts and the counters that rows name. Each is read once, and then adds up with the rows. */
const makeStored = ({ storage }: Deps, merchant_id: string) => {
  const balances = new Map<string, bigint>()
  const full = new Map<string, StoredCounter>()
  const known = new Set<string>()
  const listNew = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
    const others = [...new Set(names)].filter((name) => !known.has(name))
    for (const name of others) known.add(name)
    return others
  }
  const read = Effect.fnUntraced(function* (writes: ReadonlyArray<ReturnType<typeof mergeChanges>>) {
    const moved = writes.flatMap(({ postings }) => postings.flatMap(({ credit, debit }) => [debit, credit]))
    const accounts = listNew(moved.filter(isGuarded))
    const keys = listNew(writes.flatMap(({ guards }) => guards.map(({ key }) => key)))
    const stored = accounts.length === 0 ? [] : yield* storage.accounts(merchant_id, accounts)
    for (const { account, balance, currency } of stored) balances.set(`${account}/${currency}`, BigInt(balance))
    const counters = keys.length === 0 ? [] : yield* storage.counters(merchant_id, keys)
    for (const counter of counters) full.set(counter.key, counter)
  })
  return { balances, full, read }
}

/**
 * Refuses the rows whose reference is taken, that the funds do not reach, or that a limit has no room for, in their order: a row that is
 * refused takes nothing from those behind it, and leads them to no tier. `own`: what the batch itself counts before them. `price`: prices a
 * row again, where the volume of the rows that were accepted before it leads to another fee.
 */
const addUpRows = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  all: ReadonlyArray<Decided>,
  own: ReadonlyArray<ChangeSet>,
  price: (one: Decided, at: number, volumes: ReadonlyMap<string, bigint>) => Effect.Effect<Decided>
) {
  const first = mergeChanges(own)
  const stored = makeStored(deps, merchant_id)
  const { balances, full } = stored
  yield* stored.read([first, ...all.map(({ changes }) => mergeChanges(changes))])
  const read = all.flatMap(({ input, row }) => (input === undefined ? [] : [row.reference]))
  const taken = yield* findTakenReferences(deps, merchant_id, [...new Set(read)])
  const rows = new Map<string, number>()
  const volumes = new Map<string, bigint>()
  const used = new Map(first.counters.map(({ add, key }) => [key, BigInt(add)]))
  const shown = new Map(first.guards.map(({ key, use }) => [key, use]))
  const addUp = (one: Decided): Decided => {
    const { input, row } = one
    if (row.priced === null) return one
    const { counters, guards, postings } = mergeChanges(one.changes)
    const before = rows.get(row.reference)
    const why = before === undefined ? taken.get(row.reference) : `is that of row ${before}.`
    if (why !== undefined) {
      const message = `The reference ${JSON.stringify(row.reference)} ${why}`
      return addError(one, { field: "reference", code: "duplicate_resource", message })
    }
    for (const { key, use } of guards) shown.set(key, use)
    const after = sumAfter(
      balances,
      postings.flatMap(({ amount, credit, currency, debit }) =>
        [[debit, -BigInt(amount)] as const, [credit, BigInt(amount)] as const].flatMap(([account, change]) =>
          isGuarded(account) ? [[`${account}/${currency}`, change] as const] : []
        )
      )
    )
    const short = [...after].find(([, balance]) => balance < 0n)
    if (short !== undefined)
      return addError(one, {
        field: amountField(input!),
        code: "ledger_insufficient_funds",
        message: `The wallet's available ${short[0].split("/")[1]} balance, after the rows before, is below the amount.`
      })
    const counted = sumAfter(
      used,
      counters.map(({ add, key }) => [key, BigInt(add)] as const)
    )
    const passed = guards.filter(({ key, refusal }) => refusal(full.get(key), counted.get(key) ?? 0n) !== undefined)
    const stops = passed.find(({ action }) => action === "refuse")
    if (stops !== undefined)
      return addError(one, toRowErrors(stops.refusal(full.get(stops.key), counted.get(stops.key)!)!, input)[0]!)
    rows.set(row.reference, row.row)
    for (const [key, balance] of after) balances.set(key, balance)
    // What the rows before leave no room for waits, and counts when it is approved.
    for (const [key, sum] of counted) if (!passed.some((guard) => guard.key === key)) used.set(key, sum)
    if (isPriced(row)) {
      const { amount, currency } = row.priced.source
      volumes.set(currency, (volumes.get(currency) ?? 0n) + BigInt(amount))
    }
    return passed.length === 0 || one.waits !== undefined
      ? one
      : { ...one, waits: { operation: input?.amount === undefined ? "offramp" : "transfer", needed: 1 } }
  }
  const fit: Array<Decided> = []
  for (const [at, one] of all.entries()) {
    const priced = yield* price(one, at, volumes)
    if (priced !== one) yield* stored.read([mergeChanges(priced.changes)])
    fit.push(addUp(priced))
  }
  return { fit, limits: [...shown].map(([key, use]) => use(full.get(key), used.get(key) ?? 0n)) }
})

/** Adds to the record of a dry run how the rows use limits, and the first approval that one of them waits for (DRYRUN-4). */
const addToDryRun = (dryRun: DryRunRecord, all: ReadonlyArray<Decided>, limits: ReadonlyArray<UsedOfLimit>): void => {
  const isShown = (one: UsedOfLimit) => limits.some(({ limit_id, max }) => limit_id === one.limit_id && max === one.max)
  dryRun.limits = [...dryRun.limits.filter((one) => !isShown(one)), ...limits]
  const waits = all.find(({ row, waits }) => waits !== undefined && row.errors.length === 0)?.waits
  if (waits !== undefined) dryRun.awaits = waits
}

/**
 * Checks rows, in their order: each as its payment would be decided now, on one rate and fee for each corridor. `batch`: the reference of
 * the batch. `own`: what its confirmation counts of limits. Errors: `StorageFault`. Nothing is written.
 */
const checkRows = Effect.fnUntraced(function* (
  deps: Deps,
  given: Call,
  batch: string,
  sent: ReadonlyArray<Sent>,
  own: ReadonlyArray<ChangeSet> = []
) {
  // What a row would wait for is no approval of the check.
  const call: Call = { ...given, idempotency: null, reply: () => "", existing: () => {}, waits: () => {} }
  const { merchant_id } = call
  const read = yield* Effect.forEach(sent, (one) => Effect.result(decodeRow(one)))
  const inputs = read.flatMap((one) => (one._tag === "Success" ? [one.success] : []))
  const known = yield* readParties(deps, merchant_id, inputs)
  const described: Described = new Map()
  const recipients = new Map()
  const asked = new AskedTerms()
  const check = (at: number) =>
    checkRow(deps, call, sent[at]!, at + 1, batch, known, described, Effect.fromResult(read[at]!)).pipe(
      Effect.provideService(KnownTerms, asked),
      Effect.provideService(KnownRecipients, recipients)
    )
  const all = yield* Effect.forEach(sent.keys(), check, { concurrency: atOnce })
  // A row that has an error at the fee of now may have none at that of its tier.
  const price = (one: Decided, at: number, volumes: ReadonlyMap<string, bigint>) => {
    const wallet = known.get(one.input?.wallet_id ?? "") as Row<WalletData> | undefined
    const ahead = volumes.get(wallet?.data.currency ?? "") ?? 0n
    return wallet !== undefined && isPriced(one.row) && asked.hasOtherTier(wallet.data.currency, ahead)
      ? Effect.provideService(check(at), VolumeAhead, { ahead })
      : Effect.succeed(one)
  }
  const { fit, limits } = yield* addUpRows(deps, merchant_id, all, own, price)
  const dryRun = yield* DryRun
  if (dryRun !== undefined) addToDryRun(dryRun, fit, limits)
  return fit.map(({ row }) => row)
})

/** Sums the rows without an error as acts, by the amount paid and the operation that it becomes (LIMITS-11). */
export const sumRowActs = (rows: ReadonlyArray<BatchRow>): ReadonlyArray<ActSum> => {
  const sums = new Map<string, readonly [taken: bigint, received: bigint, worth: bigint]>()
  for (const { priced } of rows) {
    if (priced === null) continue
    const { received, source, worth = received } = priced
    const name = `${source.currency}/${received.currency}`
    const before = sums.get(name) ?? [0n, 0n, 0n]
    const [a, b, c] = [source, received, worth].map(({ amount }, n) => before[n]! + BigInt(amount)) as [
      bigint,
      bigint,
      bigint
    ]
    sums.set(name, [a, b, c])
  }
  return [...sums].map(([name, [taken, received, worth]]): ActSum => {
    const [from, to] = name.split("/") as [string, string]
    const paid = [taken.toString(), from] as const
    return from === to
      ? { taken: paid, apart: "transfer" }
      : { taken: paid, received: [received.toString(), to], worth: [worth.toString(), to], apart: "offramp" }
  })
}

/** Sums the amounts and fees of the rows without an error. */
export const sumTotals = (rows: ReadonlyArray<BatchRow>): BatchTotals => {
  const priced = rows.flatMap((row) => row.priced ?? [])
  const sums = (all: ReadonlyArray<BatchSum>) =>
    sumByCurrency(all.map(({ amount, currency }) => [BigInt(amount), currency]))
  return {
    source: sums(priced.map(({ source }) => source)),
    received: sums(priced.map(({ received }) => received)),
    fees: sums(priced.flatMap(({ fees }) => fees))
  }
}

/** Computes the totals of a batch after rows have changed from `before` to `after`. */
export const replaceTotals = (
  totals: BatchTotals,
  before: ReadonlyArray<BatchRow>,
  after: ReadonlyArray<BatchRow>
): BatchTotals => {
  const [less, more] = [sumTotals(before), sumTotals(after)]
  const sums = (name: keyof BatchTotals) =>
    sumByCurrency([
      ...[...totals[name], ...more[name]].map(({ amount, currency }) => [BigInt(amount), currency] as const),
      ...less[name].map(({ amount, currency }) => [-BigInt(amount), currency] as const)
    ])
  return { source: sums("source"), received: sums("received"), fees: sums("fees") }
}

export class BatchChecks extends Context.Service<BatchChecks>()("corridor/engine/BatchChecks", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { check: checkRows }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
