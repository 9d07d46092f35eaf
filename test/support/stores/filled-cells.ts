/** Merchants of a server whose store has cells. */
import { expect } from "vitest"
import { query } from "./database.ts"

const created = (url: string, name: string): Promise<number> =>
  fetch(`${url}/operator/v1/merchants`, {
    method: "POST",
    headers: { authorization: "Bearer op_test_token_of_a_served_process", "content-type": "application/json" },
    body: JSON.stringify({ name, country_code: "NG", status: "active" })
  }).then(({ status }) => status)

/** Creates `count` merchants at the server, at once. */
export const addMerchants = async (url: string, count: number): Promise<void> => {
  const statuses = await Promise.all(Array.from({ length: count }, (_, n) => created(url, `Merchant ${n}`)))
  expect(statuses).toEqual(Array.from({ length: count }, () => 200))
}

/** Creates merchants until each cell has one: their ids are random, and so is the cell of each. */
export const fillCells = async (url: string, directory: string, cells: ReadonlyArray<string>): Promise<void> => {
  for (let rounds = 0; rounds < 20; rounds++) {
    await addMerchants(url, 4)
    const rows = await query<{ value: string }>(
      directory,
      "select distinct value from setting where key like 'merchant_database/%' order by 1"
    )
    if (rows.map(({ value }) => value).join() === cells.join()) return
  }
  throw new Error(`80 merchants, and not all of the cells ${cells.join(", ")} have one`)
}
