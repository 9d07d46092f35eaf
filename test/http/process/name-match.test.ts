/** `CORRIDOR_NAME_MATCH` and `nameMatch` reach the engine: over HTTP in a process of its own, and inside an application. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { simulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { memoryStorage } from "../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../src/adapters/webhook/memory.ts"
import { Corridor } from "../../../src/index.ts"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"

/** The simulated provider names a holder of its own for it. */
const somebodyElses = {
  type: "fiat",
  name: "Zainab Bello",
  currency: "NGN",
  details: { country_code: "NG", network: "bank", account_number: "0123450009", provider_id: listBanks("NG")[0]!.id }
} as const

covers("BENEFICIARY-9")
describe.each([
  ["refuse", { CORRIDOR_NAME_MATCH: "refuse" }],
  ["show", {}]
] as const)("a server with CORRIDOR_NAME_MATCH=%s", (setting, env) => {
  let served: ServedHere
  beforeAll(async () => {
    served = await serveHere(env)
  })
  afterAll(async () => {
    await served.stop()
  })

  const call = async (path: string, body?: object): Promise<{ readonly status: number; readonly json: any }> => {
    const answer = await fetch(served.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, json: await answer.json() }
  }

  it(`${setting === "refuse" ? "refuses" : "shows"} a beneficiary whose account is somebody else's`, async () => {
    const { json, status } = await call("/v1/beneficiaries", somebodyElses)
    const { json: all } = await call("/v1/beneficiaries")
    if (setting === "refuse") {
      expect([status, json.code]).toEqual([400, "account_resolution_failed"])
      expect(json.meta.errors).toMatchObject([{ field: "name" }])
      expect(json.meta.errors[0].message).toContain("Zainab Bello")
      expect(all.data).toEqual([])
    } else {
      expect([status, json.data.details.name_match]).toEqual([200, "none"])
      expect(all.data).toHaveLength(1)
    }
  })
})

it.each([["refuse"], ["show"], [undefined]] as const)("an application with nameMatch %s", async (nameMatch) => {
  const corridor = await Corridor.start({
    storage: memoryStorage(),
    provider: simulatedProvider({ mode: "manual" }),
    webhooks: memoryWebhooks(),
    cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
    nameMatch
  })
  try {
    const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const made = corridor.as(merchant.id).beneficiaries.create(somebodyElses)
    if (nameMatch === "refuse") await expect(made).rejects.toMatchObject({ code: "account_resolution_failed" })
    else expect((await made).details).toMatchObject({ name_match: "none" })
  } finally {
    await corridor.close()
  }
})
