/**
 * A simulated provider. It behaves like an external bank: it keeps its own books, remembers every command id, may fail
 * to respond, and reports the outcome of a payment after a delay (SANDBOX-7, SANDBOX-12).
 */
import { simulatedId } from "../../engine/ports/provider-registry.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type SimulatedProviderAdapter } from "../../engine/ports/adapter.ts"
import { ProviderFault, type StorageFault } from "../../engine/ports/errors.ts"
import type { Ids } from "../../engine/ports/Ids.ts"
import {
  type ConversionCommand,
  type IssueResult,
  type Liquidity,
  type PayoutCommand,
  type PayinCapability,
  type Payouts,
  Provider,
  type SubmissionResult,
  makeOpenManifest
} from "../../engine/ports/Provider.ts"
import { Sandbox } from "../../engine/ports/Sandbox.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { wallNow } from "../../engine/ports/Time.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { listBanks } from "./simulated/banks.ts"
import { type SimulatedBooks, toJob, makeBooks } from "./simulated/books.ts"
import { decodeEvent, decodeSecret, verifySignature } from "./simulated/callback.ts"
import * as entries from "./simulated/entries.ts"
import { type Reply, toCommandStatus, submitInstruction } from "./simulated/instruction.ts"
import { deriveInstruction, makeIssuedEvent } from "./simulated/hashing.ts"
import { refundPayin, findRefundStatus } from "./simulated/refund.ts"
import { isCleared, resolveAccount, resolveProxy } from "./simulated/resolution.ts"
import { makeSandbox } from "./simulated/sandbox.ts"

export interface SimulatedOptions {
  /**
   * `auto`: accepted payments end by themselves, with success unless a magic ending says otherwise. `manual`: every
   * outcome waits for a sandbox call.
   */
  readonly mode: "auto" | "manual"
  /**
   * Time from acceptance to outcome, by the service clock. In `manual` mode addresses and accounts are ready at once.
   */
  readonly delay_ms: number
  /** Whether the provider supports payshap. */
  readonly payshap: boolean
  /**
   * Secret that signs callbacks to `/providers/simulated/events` (`whsec_…`). Without it every callback is rejected.
   */
  readonly callback_secret?: string | undefined
}

const name = "simulated"

const toProviderFault = (cause: StorageFault): ProviderFault =>
  new ProviderFault({ message: "the simulated provider cannot read its books", cause })

/** Returns the reply to a submission. A lost reply fails with `ProviderFault`, as a timeout does. */
const answerSubmission = (reply: Reply): Effect.Effect<SubmissionResult, ProviderFault> =>
  reply._tag === "lost"
    ? Effect.fail(new ProviderFault({ message: "the simulated provider timed out" }))
    : Effect.succeed(reply)

const pending: IssueResult = { _tag: "pending" }

const makePayinCapability = (books: SimulatedBooks, { delay_ms, mode }: SimulatedOptions): PayinCapability => ({
  issue: (command) =>
    books
      .amend([entries.issueKey(command)], ([known], now) => {
        if (known !== undefined) return { entries: [], result: pending }
        const event = makeIssuedEvent(command)
        return {
          entries: [{ key: entries.issueKey(command), data: event }],
          jobs: [
            toJob(
              { resource_id: command.resource_id, due_at: now + (mode === "auto" ? delay_ms : 0), events: [event] },
              now
            )
          ],
          result: pending
        }
      })
      .pipe(Effect.mapError(toProviderFault)),
  instruct: (command) => Effect.succeed(deriveInstruction(command)),
  refund: (command) => {
    const { merchant_id } = command
    const payinKey = entries.payinKey(merchant_id, command.payin_id)
    return books
      .amend(
        [entries.refundKey(command), payinKey, entries.behaviourKey(merchant_id)],
        ([known, payin, behaviour], now) => {
          const { refunds } = entries.readBehaviour(behaviour)
          const conditions = { mode, refunds, delay_ms, now }
          const decided = refundPayin(entries.readRefund(known), entries.readPayin(payin), command, conditions)
          return {
            entries: [
              entries.makeRefundEntry(merchant_id, command.id, decided.refund),
              ...(decided.payin === null ? [] : [{ key: payinKey, data: decided.payin }])
            ],
            jobs: decided.scheduled.map((events) => toJob(events, now)),
            result: decided.reply
          }
        }
      )
      .pipe(Effect.mapError(toProviderFault), Effect.flatMap(answerSubmission))
  },
  lookupRefund: (command) =>
    Effect.gen(function* () {
      const [row] = yield* books.storage.get([entries.refundKey(command)])
      return findRefundStatus(entries.readRefund(row), yield* Clock.currentTimeMillis)
    }).pipe(Effect.mapError(toProviderFault))
})

const makeProvider = (
  books: SimulatedBooks,
  sandbox: Sandbox["Service"],
  options: SimulatedOptions
): Provider["Service"] => {
  const { mode, delay_ms, payshap, callback_secret } = options
  const key = callback_secret === undefined ? undefined : decodeSecret(callback_secret)
  const submissions = {
    submit: (command: PayoutCommand | ConversionCommand) =>
      books
        .amend(
          [entries.instructionKey(command), entries.behaviourKey(command.merchant_id)],
          ([known, behaviour], now) => {
            const { submissions } = entries.readBehaviour(behaviour)
            const { instruction, reply, scheduled } = submitInstruction(entries.readInstruction(known), command, {
              mode,
              delay_ms,
              submissions,
              now
            })
            return {
              entries: [entries.makeInstructionEntry(command.merchant_id, instruction)],
              jobs: scheduled.map((events) => toJob(events, now)),
              result: reply
            }
          }
        )
        .pipe(Effect.mapError(toProviderFault), Effect.flatMap(answerSubmission)),
    lookup: (command: PayoutCommand | ConversionCommand) =>
      Effect.gen(function* () {
        const [row] = yield* books.storage.get([entries.instructionKey(command)])
        return toCommandStatus(entries.readInstruction(row), yield* Clock.currentTimeMillis)
      }).pipe(Effect.mapError(toProviderFault))
  } satisfies Payouts & Liquidity
  return Provider.of({
    name,
    identity: Effect.succeed({ id: simulatedId, address: null }),
    manifest: makeOpenManifest("payout", "conversion", "payin", "issue", "directory", "screening"),
    ready: (merchant_id) =>
      books.storage.get([entries.behaviourKey(merchant_id)]).pipe(
        Effect.map(([row]) => entries.readBehaviour(row).submissions !== "hold"),
        Effect.mapError(toProviderFault)
      ),
    payouts: submissions,
    liquidity: submissions,
    payins: makePayinCapability(books, options),
    screening: { screen: ({ destination }) => Effect.succeed(isCleared(destination) ? "cleared" : "held") },
    // It moves no money, so it has none, and books none.
    statements: { balances: Effect.succeed([]), lines: () => Effect.succeed({ lines: [], cursor: null }) },
    directory: {
      resolveAccount: (account) => Effect.succeed(resolveAccount(account)),
      resolveProxy: (proxy) => Effect.succeed(payshap ? resolveProxy(proxy) : { _tag: "switched_off" }),
      banks: (country_code) => Effect.succeed(listBanks(country_code))
    },
    events: {
      decode: (headers, body, bytes) =>
        Effect.map(wallNow, (now) =>
          key !== undefined && verifySignature(key, headers, bytes ?? body, now) ? decodeEvent(body) : undefined
        )
    },
    sandbox
  })
}

/**
 * The layer of the simulated provider and of its sandbox controls, over one state store.
 *
 * Errors: dies when the callback secret is malformed.
 */
const layer = (options: SimulatedOptions): Layer.Layer<Provider | Sandbox, never, Storage | Ids | JobNotifier> =>
  Layer.effectContext(
    Effect.map(makeBooks, (books) => {
      const sandbox = makeSandbox(books)
      return Context.make(Provider, makeProvider(books, sandbox, options)).pipe(Context.add(Sandbox, sandbox))
    })
  )

export const SimulatedProvider = { layer } as const

/**
 * A provider that moves no money. Defaults: `auto` mode, one second from submission to outcome, payshap supported.
 *
 * Errors: throws `TypeError` for an unknown option. Startup fails when the callback secret is malformed.
 */
export const simulatedProvider = (options: Partial<SimulatedOptions> = {}): SimulatedProviderAdapter => {
  checkOptions("simulatedProvider", options, {
    mode: ["auto", "manual"],
    delay_ms: "number?",
    payshap: "boolean?",
    callback_secret: "string?"
  })
  return adapter("provider", SimulatedProvider.layer({ mode: "auto", delay_ms: 1000, payshap: true, ...options }), true)
}
