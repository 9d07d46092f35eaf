/**
 * The life of a payout on Restate, with everything that it stores in Restate's own server: a virtual object for each wallet, which
 * keeps the balance and serves one call at a time, and one for each payout, whose key is the reference. The steps of a life are in
 * the journal of its payout.
 */
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2"
import type { AddressInfo } from "node:net"
import { AMOUNT, bodyOf, eventOf, FUNDS, type Order, walletOf } from "../floor/transfers.ts"
import { calls, type Contender } from "../measure.ts"
import { load, orderOf, pay, receiver } from "./lives.ts"
import { startRestate } from "./restate-server.ts"

interface Context {
  readonly get: <A>(name: string) => Promise<A | null>
  readonly set: (name: string, value: unknown) => void
  readonly run: <A>(name: string, action: () => Promise<A>) => Promise<A>
  readonly objectClient: <H>(definition: Definition<H>, key: string) => Calls<H>
}

type Handlers = Readonly<Record<string, (context: Context, input: never) => Promise<unknown>>>

type Calls<H> = {
  readonly [K in keyof H]: H[K] extends (context: Context, input: infer A) => infer B ? (input: A) => B : never
}

interface Definition<H> {
  readonly name: string
  readonly handlers: H
}

/** Of `@restatedev/restate-sdk`, what is used. */
interface Sdk {
  readonly object: <H extends Handlers>(definition: Definition<H>) => Definition<H>
  readonly createEndpointHandler: (options: {
    readonly services: ReadonlyArray<object>
    readonly logger: () => void
  }) => (request: Http2ServerRequest, response: Http2ServerResponse) => void
  readonly TerminalError: new (message: string) => Error
}

interface Balance {
  readonly available: string
  readonly reserved: string
  readonly version: number
}

const add = (amount: string, other: string): string => (BigInt(amount) + BigInt(other)).toString()
const subtract = (amount: string, other: string): string => (BigInt(amount) - BigInt(other)).toString()

const entries = (debit: string, credit: string) => [
  { account: debit, currency: "USDC", amount: `-${AMOUNT}` },
  { account: credit, currency: "USDC", amount: AMOUNT }
]

/** `provider` pays under the id of the order, and `post` delivers an event: both may be asked again after a crash. */
export const servicesOf = (
  { object, TerminalError }: Sdk,
  provider: (order: Order) => Promise<string>,
  post: (serial: string, body: string) => Promise<void>
): ReadonlyArray<object> => {
  const wallet = object({
    name: "wallet",
    handlers: {
      fund: async (context: Context, amount: string) => {
        context.set("balance", { available: amount, reserved: "0", version: 1 } satisfies Balance)
      },
      hold: async (context: Context, amount: string) => {
        const balance = await context.get<Balance>("balance")
        if (balance === null || BigInt(balance.available) < BigInt(amount))
          throw new TerminalError("insufficient funds")
        context.set("balance", {
          available: subtract(balance.available, amount),
          reserved: add(balance.reserved, amount),
          version: balance.version + 1
        } satisfies Balance)
      },
      settle: async (context: Context, amount: string) => {
        const balance = (await context.get<Balance>("balance"))!
        context.set("balance", {
          ...balance,
          reserved: subtract(balance.reserved, amount),
          version: balance.version + 1
        } satisfies Balance)
      }
    }
  })
  const payout = object({
    name: "payout",
    handlers: {
      live: async (context: Context, order: Order): Promise<string> => {
        const { serial, wallet_id } = order
        if ((await context.get("payout")) !== null) throw new TerminalError("the reference is taken")
        const books = context.objectClient(wallet, wallet_id)
        await books.hold(AMOUNT)
        const held = bodyOf(order)
        const holding = {
          entries: entries(`available:${wallet_id}`, `reserved:${wallet_id}`),
          events: [eventOf(order, "processing", held)]
        }
        context.set("payout", { transfer: held, ...holding })
        await context.run("deliver", () => post(`${serial}_processing`, held))
        const transaction_hash = await context.run("pay", () => provider(order))
        await books.settle(AMOUNT)
        const settled = JSON.stringify({ ...(JSON.parse(held) as object), status: "success", transaction_hash })
        context.set("payout", {
          transfer: settled,
          entries: [
            ...holding.entries,
            ...entries(`reserved:${wallet_id}`, "clearing:bank"),
            ...entries("clearing:bank", "world:bank")
          ],
          events: [...holding.events, eventOf(order, "success", settled)]
        })
        await context.run("deliver", () => post(`${serial}_success`, settled))
        return settled
      }
    }
  })
  return [wallet, payout]
}

/** A life ends when the receiver has both events, and the caller the result of the payout. */
export const lifeOnRestate = async (_url: string, wallets: number, inFlight: number): Promise<Contender> => {
  const sdk = await load<Sdk>("@restatedev/restate-sdk")
  const { post, close } = await receiver(inFlight)
  const endpoint = createServer(sdk.createEndpointHandler({ services: servicesOf(sdk, pay, post), logger: () => {} }))
  await new Promise<void>((resolve) => {
    endpoint.listen(0, "127.0.0.1", resolve)
  })
  const server = await startRestate(inFlight)
  await server.register(`http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`)
  for (let wallet = 0; wallet < wallets; wallet += inFlight) {
    const some = Array.from({ length: Math.min(inFlight, wallets - wallet) }, (_, n) => walletOf(wallet + n))
    await Promise.all(some.map((id) => server.call(`/wallet/${id}/fund`, FUNDS)))
  }
  return calls(
    (n) => {
      const order = orderOf(n, wallets)
      const key = encodeURIComponent(`${order.merchant_id}/ref-${order.serial}`)
      return server.call(`/payout/${key}/live`, order, { "idempotency-key": order.serial })
    },
    inFlight,
    async () => {
      await server.close()
      endpoint.close()
      await close()
    }
  )
}
