/**
 * The law of unknown outcomes, over seeds: a network that loses and invents answers, processes that end at any moment, and a company that executes
 * late. The company has executed each command at most once; nothing that it has executed is failed for good; what it never executed is released.
 * What is particular to a company is in its own file.
 */
import { Effect, Fiber, type Scope } from "effect"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import type { PayoutCommand, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import type { Chance } from "../../../src/testing/program/random.ts"
import type { Process } from "./world.ts"

/** What an engine would have of a command: as the machine of a payout has it, written apart from it. */
export interface Book {
  readonly command: PayoutCommand
  state: "waiting" | "unknown" | "success" | "failed" | "returned"
  attempts: number
  /** The submissions after which it was absent: each may still be on its way in a process that was stopped for a while. */
  readonly released: Array<number>
}

const apply = (book: Book, outcome: string): void => {
  // A success that comes back is one; nothing else leaves an end.
  if (outcome === "returned") book.state = "returned"
  else if (book.state === "waiting" || book.state === "unknown")
    book.state = outcome === "success" ? "success" : "failed"
  else if (book.state === "failed" && outcome === "success")
    throw new Error(`${book.command.id} is paid after it was released`)
}

/** A store of which a commit fails now and then, before it is made or after. */
const faulty = (storage: Storage["Service"], chance: Chance): Storage["Service"] =>
  Storage.of({
    ...storage,
    commit: (change) => {
      const fault = Effect.fail(new StorageFault({ message: "away", retryable: true }))
      const drawn = chance.between(0, 39)
      return drawn === 0 ? fault : drawn === 1 ? Effect.andThen(storage.commit(change), fault) : storage.commit(change)
    }
  })

interface LawSetup {
  readonly fake: { readonly drain: () => void }
  readonly time: { readonly now: number }
  readonly pass: (ms: number) => void
  readonly storage: Storage["Service"]
  readonly start: (over: object, storage: Storage["Service"]) => Effect.Effect<Process, unknown>
}

/** An engine of a few commands. It is hostile until it is healed. */
const makeLawEngine = Effect.fnUntraced(function* (
  chance: Chance,
  commands: ReadonlyArray<PayoutCommand>,
  world: LawSetup
) {
  const books: ReadonlyArray<Book> = commands.map((command) => ({
    command,
    state: "waiting",
    attempts: 0,
    released: []
  }))
  const store = faulty(world.storage, chance)
  /** What was told of pay-ins, each report once: their ids, and the stages. */
  const payins = new Map<string, string>()
  const engine = { books, payins, isHostile: true, process: yield* world.start({}, store) }
  let cursor: string | null = null
  /** Lets a call go on, or ends its process in the middle of it. Undefined: nobody knows. */
  const called = Effect.fnUntraced(function* <A>(call: Effect.Effect<A, unknown>) {
    if (!engine.isHostile || chance.between(0, 5) > 0) return yield* Effect.orElseSucceed(call, () => undefined)
    const fiber = yield* Effect.forkChild(Effect.orElseSucceed(call, () => undefined))
    yield* Effect.promise(() => new Promise((resolve) => void setTimeout(resolve, chance.between(0, 6))))
    yield* Fiber.interrupt(fiber)
    yield* engine.process.end
    engine.process = yield* world.start({}, store)
    return undefined
  })
  const hear = (event: ProviderEvent): void => {
    if (event._tag === "payin") payins.set(event.event_id, `${event.payin_id} ${event.stage}`)
    const { resource_id } = event as { readonly resource_id?: string }
    const book = books.find(({ command }) => command.resource_id === resource_id)
    if (book !== undefined && event._tag === "movement") apply(book, event.outcome)
  }
  return Object.assign(engine, {
    submit: Effect.fnUntraced(function* (book: Book) {
      if (book.state !== "waiting") return
      book.attempts++
      book.state = "unknown"
      const submission = { ...book.command, attempt: book.attempts - 1 }
      const result = yield* called(engine.process.provider.payouts!.submit(submission))
      if (result?._tag === "settled") apply(book, result.outcome.outcome)
      // The engine may release the money here, or go to another provider.
      if (result?._tag === "rejected" || result?._tag === "unavailable")
        book.state = engine.isHostile && chance.between(0, 1) === 0 ? "failed" : "waiting"
    }),
    lookup: Effect.fnUntraced(function* (book: Book) {
      if (book.state !== "unknown") return
      const attempt = book.attempts - 1
      const status = yield* called(engine.process.provider.payouts!.lookup({ ...book.command, attempt }))
      if (status?._tag === "settled") apply(book, status.outcome.outcome)
      if (status?._tag !== "absent") return
      book.released.push(attempt)
      book.state = chance.between(0, 1) === 0 ? "failed" : "waiting"
    }),
    /** A submission goes on that was overtaken by a look-up which found nothing. Nobody waits for its result. */
    goOn: Effect.fnUntraced(function* (book: Book) {
      if (book.released.length > 0)
        yield* called(engine.process.provider.payouts!.submit({ ...book.command, attempt: chance.pick(book.released) }))
    }),
    read: Effect.fnUntraced(function* () {
      const page: { readonly events: ReadonlyArray<unknown>; readonly cursor: string } | undefined = yield* called(
        engine.process.provider.events!.after!(cursor)
      )
      for (const event of page?.events ?? []) hear(event as ProviderEvent)
      cursor = page?.cursor ?? cursor
    }),
    /** A callback arrives. */
    receive: Effect.fnUntraced(function* ({
      body,
      headers
    }: {
      readonly body: string
      readonly headers: { readonly [name: string]: string }
    }) {
      const event = yield* called(engine.process.provider.events!.decode!(headers, body, Buffer.from(body)))
      if (event?._tag === "movement" || event?._tag === "payin") hear(event)
    })
  })
})

const minute = 60_000
/** What is queued is executed within the time of grace, with time to spare. */
const queueMs = 20 * minute

/** What a company does beside answering. */
export interface LawCompany {
  readonly commands: ReadonlyArray<PayoutCommand>
  /** Lets the network be hostile, for as long as that is so. */
  readonly trouble: (isHostile: () => boolean) => void
  /** A callback about a command. Undefined: there is none. */
  readonly messageOf: (
    command: PayoutCommand
  ) => { readonly body: string; readonly headers: { readonly [name: string]: string } } | undefined
  /** Does something with a command, or with the account. */
  readonly act: (command: PayoutCommand) => void
  /** How long a step waits, milliseconds. */
  readonly pauses: ReadonlyArray<number>
  /** What must hold after each step. */
  readonly check: () => void
  /** Has money from now on, and executes at once. */
  readonly heal: () => void
  /** Brings what is open nearer to its end. */
  readonly settle: () => void
  /** How often, until everything has ended. */
  readonly rounds: number
}

const lawSteps = [
  "submit",
  "submit",
  "goOn",
  "lookup",
  "lookup",
  "lookup",
  "read",
  "read",
  "receive",
  "act",
  "act",
  "pass"
] as const

/** Runs one seed. Returns the engine after the company has come to an end with everything; its process still runs. */
export const runLaw = Effect.fnUntraced(function* (chance: Chance, world: LawSetup, company: LawCompany) {
  const engine = yield* makeLawEngine(chance, company.commands, world)
  company.trouble(() => engine.isHostile)
  let queued_at = world.time.now
  const drain = (): void => {
    world.fake.drain()
    queued_at = world.time.now
  }
  const steps: Readonly<Record<(typeof lawSteps)[number], (book: Book) => Effect.Effect<void, unknown>>> = {
    submit: engine.submit,
    goOn: engine.goOn,
    lookup: engine.lookup,
    read: engine.read,
    receive: ({ command }) => {
      const message = company.messageOf(command)
      return message === undefined ? Effect.void : engine.receive(message)
    },
    act: ({ command }) => Effect.sync(() => company.act(command)),
    pass: () =>
      Effect.sync(() => {
        const pause = chance.pick(company.pauses)
        if (world.time.now - queued_at + pause > queueMs) drain()
        world.pass(pause)
      })
  }
  for (let step = 0; step < 60; step++) {
    yield* steps[chance.pick(lawSteps)](chance.pick(engine.books))
    if (chance.between(0, 9) === 0) drain()
    company.check()
  }
  engine.isHostile = false
  drain()
  company.heal()
  for (let round = 0; round < company.rounds; round++) {
    world.pass(10 * minute)
    company.settle()
    for (const book of engine.books) {
      yield* engine.submit(book)
      yield* engine.lookup(book)
    }
    yield* engine.read()
    company.check()
  }
  return engine
})

/** Runs seeds, each in a world of its own. Returns how many commands the company has executed, and the connector knows. */
export const seedsOf =
  <W extends LawSetup & { readonly inWorld: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E> }>(
    world: () => Effect.Effect<W, unknown, Scope.Scope>,
    runSeed: (seed: number, world: W) => Effect.Effect<number, unknown>
  ) =>
  (from: number, count: number) =>
    Effect.gen(function* () {
      let executed = 0
      for (let seed = from; seed < from + count; seed++)
        executed += yield* Effect.scoped(Effect.flatMap(world(), (made) => made.inWorld(runSeed(seed, made))))
      return executed
    })
