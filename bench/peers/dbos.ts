/**
 * The life of a payout as DBOS Transact recommends to write it: a workflow, whose id is the idempotency key. Its transactions are
 * checkpointed where they commit, and its steps after they have run.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import postgres from "postgres"
import { schema } from "../floor/schema.ts"
import { fund, hold, type Order, settle, type Statement, type Transact } from "../floor/transfers.ts"
import { calls, type Contender } from "../measure.ts"
import { load, orderOf, pay, receiver } from "./lives.ts"

type Run = () => Promise<unknown>

/** Of `@dbos-inc/dbos-sdk`, what is used. */
interface Sdk {
  readonly DBOS: {
    readonly workflowID: string
    readonly stepID: number
    readonly setConfig: (config: Readonly<Record<string, unknown>>) => void
    readonly launch: () => Promise<void>
    readonly shutdown: (options: { readonly deregister: boolean }) => Promise<void>
    readonly registerWorkflow: <A>(run: (order: A) => Promise<void>, config: { readonly name: string }) => typeof run
    readonly startWorkflow: <A>(
      workflow: (order: A) => Promise<void>,
      options: { readonly workflowID: string }
    ) => (order: A) => Promise<{ readonly getResult: () => Promise<void> }>
    readonly runStep: <A>(
      run: () => Promise<A>,
      config: { readonly name: string; readonly retriesAllowed: boolean }
    ) => Promise<A>
  }
}

/** Of `@dbos-inc/dbos-sdk/datasource`, what is used. */
interface DataSources {
  readonly registerDataSource: (handler: object) => void
  readonly runTransaction: (run: Run, name: string, options: { readonly dsName: string }) => Promise<unknown>
  readonly migrateDataSourcePG: (run: (text: string) => Promise<ReadonlyArray<unknown>>) => Promise<void>
  readonly replayRecordedStep: (recorded: postgres.Row) => unknown
  readonly assertStillOwnsWorkflow: (id: string) => Promise<void>
}

const NAME = "ledger"
/** The default of both pools, and the fastest of 10, 20 and 40. */
const CONNECTIONS = 10

const statementOf =
  (transaction: postgres.TransactionSql): Statement =>
  (text, parameters) =>
    transaction.unsafe(text, [...parameters] as Array<string>, { prepare: true })

/**
 * The transactions of a workflow over postgres.js, as DBOS' own data sources run them: the recorded output first; else the
 * transaction, with its output and the check that this process still owns the workflow.
 */
const dataSource = (url: string, { DBOS }: Sdk, sources: DataSources) => {
  const current = new AsyncLocalStorage<postgres.TransactionSql>()
  const sql = postgres(url, { max: CONNECTIONS, fetch_types: false, onnotice: () => {} })
  const migrate = (transaction: postgres.TransactionSql): Promise<void> =>
    sources.migrateDataSourcePG((text) => transaction.unsafe(text))
  const invokeTransactionFunction = async (_: unknown, target: unknown, run: Run): Promise<unknown> => {
    const { stepID, workflowID } = DBOS
    const [recorded] = await sql`
      select output, error from dbos.transaction_completion where workflow_id = ${workflowID} and function_num = ${stepID}`
    if (recorded !== undefined) return sources.replayRecordedStep(recorded)
    return sql.begin(async (transaction) => {
      const output = await current.run(transaction, () => run.call(target))
      await transaction`
        insert into dbos.transaction_completion (workflow_id, function_num, output)
        values (${workflowID}, ${stepID}, ${JSON.stringify({ json: output ?? null })})`
      await sources.assertStillOwnsWorkflow(workflowID)
      return output
    })
  }
  sources.registerDataSource({
    name: NAME,
    initialize: () => sql.begin(migrate),
    destroy: () => sql.end({ timeout: 5 }),
    invokeTransactionFunction
  })
  return {
    /** Runs statements in a transaction of the current workflow. */
    transaction: <A>(name: string, run: (statement: Statement) => Promise<A>): Promise<A> =>
      sources.runTransaction(() => run(statementOf(current.getStore()!)), name, { dsName: NAME }) as Promise<A>,
    /** Creates the tables, with funded wallets. */
    prepare: async (wallets: number): Promise<void> => {
      const transact: Transact = (run) => sql.begin((transaction) => run(statementOf(transaction))) as Promise<never>
      await sql.unsafe(schema)
      await fund(transact, wallets)
    }
  }
}

/** A life ends when the receiver has both events, and the workflow its result. */
export const lifeOnDbos = async (url: string, wallets: number, inFlight: number): Promise<Contender> => {
  const sdk = await load<Sdk>("@dbos-inc/dbos-sdk")
  const { DBOS } = sdk
  const { transaction, prepare } = dataSource(url, sdk, await load<DataSources>("@dbos-inc/dbos-sdk/datasource"))
  const { post, close } = await receiver(inFlight)
  const step = { retriesAllowed: true }
  const payout = DBOS.registerWorkflow(
    async (order: Order): Promise<void> => {
      const { serial } = order
      const held = await transaction("hold", (statement) => hold(statement, order))
      await DBOS.runStep(() => post(`${serial}_processing`, held), { name: "deliver", ...step })
      const reference = await DBOS.runStep(() => pay(order), { name: "pay", ...step })
      const settled = await transaction("settle", (statement) => settle(statement, order, reference))
      await DBOS.runStep(() => post(`${serial}_success`, settled), { name: "deliver", ...step })
    },
    { name: "payout" }
  )
  DBOS.setConfig({
    name: "corridor-bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: CONNECTIONS,
    logLevel: "error"
  })
  await DBOS.launch()
  await prepare(wallets)
  return calls(
    async (n) => {
      const order = orderOf(n, wallets)
      const handle = await DBOS.startWorkflow(payout, { workflowID: order.serial })(order)
      await handle.getResult()
    },
    inFlight,
    async () => {
      await DBOS.shutdown({ deregister: true })
      await close()
    }
  )
}
