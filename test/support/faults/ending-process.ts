/**
 * A process that ends at a chosen call of a port. Nothing of it goes on from there: what waits for an answer never gets
 * it, and what comes to call a port later never does.
 */
import { Context, Effect, Exit, Layer } from "effect"
import { Cipher } from "../../../src/engine/ports/Cipher.ts"
import { Pricing } from "../../../src/engine/ports/Pricing.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WebhookSink } from "../../../src/engine/ports/WebhookSink.ts"

/** `before`: the call is never made. `after`: it is made, and its answer never arrives. */
export type Moment = "before" | "after"

/** The n-th call of a port, from 1, and on which side of it the process ends. */
export interface End {
  readonly call: number
  readonly moment: Moment
}

const never = Effect.callback<never>(() => {})

export class Life {
  /** Every call so far, by port and member, and a claim that took nothing as such. */
  readonly calls: Array<string> = []
  /** Resolves when the process has ended. */
  readonly ended: Promise<"ended">
  readonly #end: End | undefined
  #isOver = false
  #send: () => void = () => {}

  constructor(end?: End) {
    this.#end = end
    this.ended = new Promise((resolve) => {
      this.#send = () => resolve("ended")
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  readonly #stop: Effect.Effect<never> = Effect.suspend(() => {
    this.#isOver = true
    this.#send()
    return never
  })

  /** Nobody wakes up in a process that has ended. */
  readonly awake = (sleep: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => (this.#isOver ? never : Effect.flatMap(sleep, () => (this.#isOver ? never : Effect.void))))

  /** A call of a port, in this life. */
  readonly through = <A, E, R>(name: string, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend((): Effect.Effect<A, E, R> => {
      if (this.#isOver) return never
      const nth = this.calls.push(name)
      const isLast = nth === this.#end?.call
      if (isLast && this.#end?.moment === "before") return this.#stop
      return Effect.flatMap(Effect.exit(call), (exit): Effect.Effect<A, E> => {
        if (this.#isOver) return never
        if (name === "storage.claim" && Exit.isSuccess(exit) && (exit.value as ReadonlyArray<unknown>).length === 0)
          this.calls[nth - 1] = "storage.claim of nothing"
        return isLast ? this.#stop : exit
      })
    })
}

type Method = (...args: ReadonlyArray<unknown>) => unknown

/** A port whose every Effect goes through a life. */
const mortal = <S extends object>(life: Life, name: string, service: S): S =>
  Object.fromEntries(
    Object.entries(service).map(([member, value]) => {
      const called = `${name}.${member}`
      const through = (given: unknown): unknown => (Effect.isEffect(given) ? life.through(called, given) : given)
      return [
        member,
        typeof value === "function"
          ? (...args: ReadonlyArray<unknown>) => through((value as Method)(...args))
          : through(value)
      ]
    })
  ) as S

/** A provider whose capabilities are those of a process that lives `life`. */
const mortalProvider = (life: Life, provider: Provider["Service"]): Provider["Service"] => {
  const { name, manifest, sandbox, ...capabilities } = provider
  return {
    name,
    manifest,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...Object.fromEntries(
      Object.entries(capabilities).map(([capability, methods]) => [
        capability,
        typeof methods === "function"
          ? mortal(life, "provider", { [capability]: methods })[capability]
          : mortal(life, "provider", methods as object)
      ])
    )
  }
}

/** The ports as they are, of a process that lives `life`. */
export const mortalPorts = (life: Life) =>
  Layer.effectContext(
    Effect.gen(function* () {
      return Context.make(Storage, mortal(life, "storage", yield* Storage)).pipe(
        Context.add(Provider, mortalProvider(life, yield* Provider)),
        Context.add(WebhookSink, mortal(life, "sink", yield* WebhookSink)),
        Context.add(Cipher, mortal(life, "cipher", yield* Cipher)),
        Context.add(Rates, mortal(life, "rates", yield* Rates)),
        Context.add(Pricing, mortal(life, "pricing", yield* Pricing))
      )
    })
  )
