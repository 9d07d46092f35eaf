/**
 * The life of a payout with a job queue on Postgres, as careful teams write it by hand: each transaction adds the jobs that
 * follow it.
 */
import { onPostgres } from "../floor/drivers.ts"
import { fund, hold, type Order, remember, settle, type Statement } from "../floor/transfers.ts"
import { calls, type Contender } from "../measure.ts"
import { load, orderOf, pay, receiver } from "./lives.ts"

/** Of `graphile-worker`, what is used. */
interface Worker {
  readonly run: (options: {
    readonly preset: { readonly worker: Readonly<Record<string, unknown>> }
    readonly taskList: Readonly<Record<string, (payload: never) => Promise<void>>>
    readonly logger: object
  }) => Promise<{ readonly stop: () => Promise<void> }>
  readonly Logger: new (logging: () => () => void) => object
}

interface Delivery {
  readonly order: Order
  readonly type: string
}

const add = (statement: Statement, task: string, payload: object): Promise<unknown> =>
  statement("select from graphile_worker.add_job($1, $2::text::json)", [task, JSON.stringify(payload)])

/** A life ends when the receiver has both events. */
export const lifeOnGraphileWorker = async (url: string, wallets: number, inFlight: number): Promise<Contender> => {
  const { Logger, run } = await load<Worker>("graphile-worker")
  const database = await onPostgres(url)
  await fund(database.transact, wallets)
  const { post, close } = await receiver(inFlight)
  const lives = new Map<string, { events: number; readonly resume: () => void }>()
  const runner = await run({
    // What the documentation's page of performance uses.
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: 24,
        maxPoolSize: 25,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0
      }
    },
    logger: new Logger(() => () => {}),
    taskList: {
      pay: async (order: Order) => {
        const reference = await pay(order)
        await database.transact(async (statement) => {
          await settle(statement, order, reference)
          await add(statement, "deliver", { order, type: "success" } satisfies Delivery)
        })
      },
      deliver: async ({ order: { merchant_id, serial }, type }: Delivery) => {
        const [event] = (await database.statement("select body from floor_event where merchant_id = $1 and id = $2", [
          merchant_id,
          `evt_${serial}_${type}`
        ])) as ReadonlyArray<{ readonly body: string }>
        await post(`${serial}_${type}`, event!.body)
        const life = lives.get(serial)!
        if (++life.events === 2) life.resume()
      }
    }
  })
  return calls(
    async (n) => {
      const order = orderOf(n, wallets)
      const { serial } = order
      const ended = new Promise<void>((resume) => lives.set(serial, { events: 0, resume }))
      await database.transact(async (statement) => {
        const body = await hold(statement, order)
        await remember(statement, order, body)
        await add(statement, "pay", order)
        await add(statement, "deliver", { order, type: "processing" } satisfies Delivery)
      })
      await ended
      lives.delete(serial)
    },
    inFlight,
    async () => {
      await runner.stop()
      await close()
      await database.close()
    }
  )
}
