/** The contract as a typed client: every call, input and response of it comes from the table of operations. */
import { Effect, Exit } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { expect, it } from "vitest"
import { Api } from "../../../src/http/contract.ts"
import { startApi } from "../../support/http/server.ts"

it("a client derived from the contract creates, lists and reads, and fails with the envelope of a refusal", async () => {
  const server = await startApi()
  try {
    const client = await Effect.runPromise(
      HttpApiClient.make(Api, {
        baseUrl: server.base,
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(server.key))
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
    const made = await Effect.runPromise(
      client.wallets.createWallet({ payload: { currency: "USDC", label: "treasury" }, params: {}, query: {} })
    )
    const label: string | null = made.data.label
    expect(label).toBe("treasury")
    const listed = await Effect.runPromise(client.wallets.listWallets({ params: {}, query: { per_page: 5 } }))
    expect([listed.meta.total, listed.data[0]?.id]).toEqual([1, made.data.id])
    const read = await Effect.runPromise(client.wallets.getWallet({ params: { id: made.data.id }, query: {} }))
    expect(read.data).toEqual(made.data)
    const held = client.operator.listHeldDeposits({ params: {}, query: {} })
    const refused = await Effect.runPromise(Effect.flip(held))
    expect(refused).toMatchObject({ code: "authentication_failed" })
    const unknown = await Effect.runPromiseExit(
      client.transfers.getTransfer({ params: { id: "tfr_01j9z3k4m5n6p7q8r9s0t1v2w3" }, query: {} })
    )
    expect(Exit.isFailure(unknown)).toBe(true)
  } finally {
    await server.close()
  }
})
