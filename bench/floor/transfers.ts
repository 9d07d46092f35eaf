/**
 * Hand-written transfers: the same durable writes as ours, in one transaction of sequential statements per operation.
 *
 * This is how a careful team would write it: row locks, unique keys, an outbox. It handles no races with a second node,
 * no replay of responses and no history, and so does a little less than ours.
 */
export type Statement = (text: string, parameters: ReadonlyArray<unknown>) => Promise<ReadonlyArray<unknown>>
/** Runs its argument in one transaction. */
export type Transact = <A>(run: (statement: Statement) => Promise<A>) => Promise<A>

export interface Order {
  readonly merchant_id: string
  readonly wallet_id: string
  readonly serial: string
}

export const FUNDS = "1000000000000000"
export const AMOUNT = "1000000"
const now = 1_767_225_600_000

export const merchantOf = (wallet: number): string => `mer_${wallet % 50}`
export const walletOf = (wallet: number): string => `wal_${wallet}`

export const fund = (transact: Transact, wallets: number): Promise<void> =>
  transact(async (statement) => {
    for (let wallet = 0; wallet < wallets; wallet++) {
      await statement("insert into floor_wallet values ($1, $2, 'USDC', $3, 0, 1)", [
        merchantOf(wallet),
        walletOf(wallet),
        FUNDS
      ])
    }
  })

/** The transfer as its first response and its events show it. */
export const bodyOf = ({ wallet_id, serial }: Order): string =>
  JSON.stringify({
    id: `tfr_${serial}`,
    reference: `ref-${serial}`,
    status: "processing",
    retry_on_failure: false,
    customer: {
      id: "cust_01j9z3k4m5n6p7q8r9s0t1v2w3",
      type: "business",
      name: "Bench Limited",
      email: "bench@example.com",
      tier: "tier_2",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z"
    },
    wallet: { id: wallet_id, currency: "USDC", label: "treasury" },
    beneficiary: {
      id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
      customer_id: "cust_01j9z3k4m5n6p7q8r9s0t1v2w3",
      name: "Ada Obi",
      label: null,
      type: "crypto",
      currency: "USDC",
      details: { network: "base", address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", memo: null },
      metadata: {},
      status: "active",
      merchant_reference: null,
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z"
    },
    amount: "1.00",
    currency: "USDC",
    network: "base",
    metadata: { order: serial },
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    transaction_hash: null,
    failure_reason: null,
    failure_reason_message: null
  })

export const eventOf = ({ serial }: Order, type: string, body: string): string =>
  JSON.stringify({ event_id: `evt_${serial}_${type}`, event_type: `transfer.${type}`, event_object: body })

const event = (statement: Statement, order: Order, type: string, body: string) =>
  statement("insert into floor_event values ($1, $2, $3, $4, $5, $6)", [
    order.merchant_id,
    `evt_${order.serial}_${type}`,
    `tfr_${order.serial}`,
    `transfer.${type}`,
    now,
    eventOf(order, type, body)
  ])

const entries = (statement: Statement, order: Order, debit: string, credit: string) =>
  statement(
    `insert into floor_entry (merchant_id, resource_id, account, currency, amount, at)
     values ($1, $2, $3, 'USDC', -$5::numeric, $6), ($1, $2, $4, 'USDC', $5::numeric, $6)`,
    [order.merchant_id, `tfr_${order.serial}`, debit, credit, AMOUNT, now]
  )

/** Reserves the amount, stores the transfer and its event. Gives its body. Throws when the funds do not suffice. */
export const hold = async (statement: Statement, order: Order): Promise<string> => {
  const { merchant_id, wallet_id, serial } = order
  const body = bodyOf(order)
  const [wallet] = (await statement(
    "select available >= $3::numeric as covered from floor_wallet where merchant_id = $1 and id = $2 for update",
    [merchant_id, wallet_id, AMOUNT]
  )) as ReadonlyArray<{ readonly covered: boolean }>
  if (wallet?.covered !== true) throw new Error("insufficient funds")
  await statement(
    `update floor_wallet set available = available - $3::numeric, reserved = reserved + $3::numeric, version = version + 1
     where merchant_id = $1 and id = $2`,
    [merchant_id, wallet_id, AMOUNT]
  )
  await statement("insert into floor_transfer values ($1, $2, $3, $4, 'processing', 1, $5, $5, $6::text::jsonb)", [
    merchant_id,
    `tfr_${serial}`,
    "cust_01j9z3k4m5n6p7q8r9s0t1v2w3",
    wallet_id,
    now,
    body
  ])
  await statement("insert into floor_reference values ($1, $2, $3)", [merchant_id, `ref-${serial}`, `tfr_${serial}`])
  await entries(statement, order, `available:${wallet_id}`, `reserved:${wallet_id}`)
  await event(statement, order, "processing", body)
  return body
}

/** Stores the response under its idempotency key. */
export const remember = (statement: Statement, { merchant_id, serial }: Order, body: string): Promise<unknown> =>
  statement("insert into floor_idempotency values ($1, $2, $3, $4, $5)", [
    merchant_id,
    `create/${serial}`,
    "f".repeat(43),
    body,
    now + 86_400_000
  ])

/** Reserves the amount, stores the transfer and returns its body. Throws when the funds do not suffice. */
export const create = (transact: Transact, order: Order): Promise<string> =>
  transact(async (statement) => {
    const { merchant_id, serial } = order
    await remember(statement, order, bodyOf(order))
    const body = await hold(statement, order)
    const jobs = [
      [`tfr_${serial}.submit`, "command", `{"operation":"submit","resource_id":"tfr_${serial}"}`],
      [`dlv_${serial}.processing`, "delivery", `{"event_id":"evt_${serial}_processing"}`]
    ]
    await statement(
      `insert into floor_job values ${jobs.map((_, at) => `($1, $${3 * at + 3}, $${3 * at + 4}, $2, null, 0, $${3 * at + 5}::text::jsonb)`).join()}`,
      [merchant_id, now, ...jobs.flat()]
    )
    return body
  })

/** The transfer has succeeded: the reserved amount leaves through `clearing`, and the second event is stored. Gives the body. */
export const settle = async (statement: Statement, order: Order, provider_reference: string): Promise<string> => {
  const { merchant_id, wallet_id, serial } = order
  await statement(
    `update floor_wallet set reserved = reserved - $3::numeric, version = version + 1 where merchant_id = $1 and id = $2`,
    [merchant_id, wallet_id, AMOUNT]
  )
  const [transfer] = (await statement(
    `update floor_transfer set status = 'success', version = version + 1, updated_at = $3,
       body = body || jsonb_build_object('status', 'success', 'transaction_hash', $4::text)
     where merchant_id = $1 and id = $2 and status = 'processing' returning body::text as body`,
    [merchant_id, `tfr_${serial}`, now, provider_reference]
  )) as ReadonlyArray<{ readonly body: string }>
  if (transfer === undefined) throw new Error(`tfr_${serial} is not processing`)
  await entries(statement, order, `reserved:${wallet_id}`, "clearing:bank")
  await entries(statement, order, "clearing:bank", "world:bank")
  await event(statement, order, "success", transfer.body)
  return transfer.body
}

/** A stored transfer, by primary key. Null when it does not exist. */
export const read = async (statement: Statement, merchant_id: string, id: string): Promise<string | null> => {
  const [row] = (await statement("select body::text as body from floor_transfer where merchant_id = $1 and id = $2", [
    merchant_id,
    id
  ])) as ReadonlyArray<{ readonly body: string }>
  return row?.body ?? null
}
