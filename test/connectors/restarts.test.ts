/** The reference connectors, killed anywhere: what they answered for is done once, and goes on. */
import { expect, it } from "vitest"
import { type ProtocolClient, protocolClient } from "../support/connectors/client.ts"
import { issueOf, payoutOf } from "../support/connectors/commands.ts"
import { onEachImplementation } from "../support/connectors/each-connector.ts"
import { until } from "../support/repository/poll-timeout.ts"
import { type Connector, type Implementation, startConnector } from "../support/connectors/launcher.ts"
import { covers } from "../support/repository/covers.ts"

const running = async (
  implementation: Implementation,
  env: Readonly<Record<string, string>>,
  use: (connector: Connector, client: ProtocolClient) => Promise<void>
): Promise<void> => {
  const connector = await startConnector(implementation, env)
  try {
    await use(connector, protocolClient(connector.url, connector.secret))
  } finally {
    await connector.stop()
  }
}

const statusOf = (client: ProtocolClient, id: string) => client.get(`/payouts/${id}`, "payout_status", id)

onEachImplementation("killed anywhere", (implementation) => {
  covers("CONNECTOR-1", "CONNECTOR-6")
  it("keeps what it answered for, and pays nothing again", () =>
    running(implementation, { CONNECTOR_DELAY_MS: "600" }, async (connector, client) => {
      expect(await client.put("/payouts", "payout", "kept", payoutOf())).toEqual({ status: "accepted" })
      expect(await client.put("/issues", "issue", "account", issueOf())).toEqual({ status: "pending" })
      await connector.kill()
      await connector.restart()
      expect(["accepted", "settled"]).toContain((await client.put("/payouts", "payout", "kept", payoutOf())).status)
      expect(await client.put("/payouts", "payout", "kept", payoutOf({ amount: "2.00" }))).toEqual({
        status: "conflict"
      })
      // The outcomes that were to come, come.
      await until(
        () => statusOf(client, "kept"),
        ({ status }) => status === "settled"
      )
      await until(
        () => client.get("/issues/account", "issue_status", "account"),
        ({ status }) => status === "issued"
      )
      expect(connector.executions("kept")).toHaveLength(1)
      const { events } = await client.get("/events", "events")
      expect(events.map(({ type }: any) => type).toSorted()).toEqual(["issued", "movement"])
    }))

  covers("CONNECTOR-1")
  it("pays each of many payouts once, killed in the middle of them, again and again", () =>
    running(implementation, {}, async (connector, client) => {
      const ids = Array.from({ length: 40 }, (_, n) => `many.${n}`)
      const answered = new Set<string>()
      const submit = async (id: string): Promise<void> => {
        const result = await client.put("/payouts", "payout", id, payoutOf({ amount: "1.00" }))
        expect(["accepted", "settled"]).toContain(result.status)
        answered.add(id)
      }
      for (const afterAnswers of [3, 15, 30]) {
        const all = Promise.allSettled(ids.map(submit))
        await until(
          async () => answered.size,
          (size) => size >= afterAnswers
        )
        await connector.kill()
        await all
        await connector.restart()
        // What was answered for is never absent; what is absent was never executed.
        for (const id of ids) {
          const { status } = await statusOf(client, id)
          expect(connector.executions(id)).toHaveLength(status === "absent" ? 0 : 1)
          if (answered.has(id)) expect(status).not.toBe("absent")
        }
      }
      await Promise.all(ids.map(submit))
      for (const id of ids) {
        await until(
          () => statusOf(client, id),
          ({ status }) => status === "settled"
        )
        expect(connector.executions(id)).toHaveLength(1)
      }
      expect(connector.executions()).toHaveLength(40)
      const { balances } = await client.get("/balances", "balances")
      expect(balances.find(({ currency }: any) => currency === "NGN")).toMatchObject({ available: "19999999960.00" })
      const { events } = await client.get("/events", "events")
      expect(events).toHaveLength(40)
    }))

  it("two processes on one database pay an id once", () =>
    running(implementation, { CONNECTOR_DELAY_MS: "0" }, async (connector, client) => {
      const second = await startConnector(implementation, {
        CONNECTOR_DATABASE: connector.database,
        CONNECTOR_DELAY_MS: "0"
      })
      try {
        const other = protocolClient(second.url, second.secret)
        const ids = Array.from({ length: 25 }, (_, n) => `shared.${n}`)
        await Promise.all(
          ids.flatMap((id) =>
            [client, other].map((one) => one.put("/payouts", "payout", id, payoutOf({ amount: "1.00" })))
          )
        )
        for (const id of ids)
          await until(
            () => statusOf(other, id),
            ({ status }) => status === "settled"
          )
        expect(connector.executions()).toHaveLength(25)
        expect((await client.get("/events", "events")).events).toHaveLength(25)
      } finally {
        await second.stop()
      }
    }))

  it("ends at SIGTERM, and goes on where it was", () =>
    running(implementation, { CONNECTOR_DELAY_MS: "300" }, async (connector, client) => {
      await client.put("/payouts", "payout", "term", payoutOf())
      expect(await connector.terminate()).toBe(0)
      await connector.restart()
      await until(
        () => statusOf(client, "term"),
        ({ status }) => status === "settled"
      )
      expect(connector.executions("term")).toHaveLength(1)
    }))
})
