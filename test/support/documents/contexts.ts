/** What the TypeScript of a page leaves to its reader, by the name of the snippet, and what it then prints. */
import { expect } from "vitest"

export interface Context {
  readonly before?: string
  readonly after?: string
  /** Texts of the snippet and what stands for them. */
  readonly replaced?: ReadonlyArray<readonly [string, string]>
  /** Its lines, or a matcher of them. */
  readonly output: unknown
}

const started = `
import { randomBytes } from "node:crypto"
import { Corridor } from "corridor"
import { aesGcmCipher, aesKey } from "corridor/adapters/cipher/aes-gcm"
import { simulatedProvider } from "corridor/adapters/provider/simulated"
import { memoryStorage } from "corridor/adapters/storage/memory"
import { memoryWebhooks } from "corridor/adapters/webhook/memory"
const corridor = await Corridor.start({
  storage: memoryStorage(),
  provider: simulatedProvider(),
  webhooks: memoryWebhooks(),
  cipher: aesGcmCipher({ keys: [aesKey(randomBytes(32).toString("base64"))] })
})`

/** A delivery of an event that the server has published. */
const delivered = `
import { Webhook as Signer } from "standardwebhooks"
const base_url = process.env["CORRIDOR_URL"] ?? ""
const api_key = process.env["CORRIDOR_API_KEY"] ?? ""
const ask = async (path: string, body?: object): Promise<any> => {
  const answer = await fetch(base_url + path, {
    headers: { authorization: \`Bearer \${api_key}\`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  return ((await answer.json()) as { data: unknown }).data
}
const wallet = await ask("/v1/wallets", { currency: "USDC" })
await ask("/sandbox/deposits", { wallet_id: wallet.id, amount: "1.00" })
const [published] = await ask("/v1/notifications/events?event_type=deposit.confirmed&per_page=1")
process.env["WEBHOOK_SECRET"] = \`whsec_\${Buffer.alloc(24, 1).toString("base64")}\`
const rawBody = JSON.stringify(published)
const sent = new Date()
const headers: Record<string, string> = {
  "webhook-id": \`msg_\${published.event_id}\`,
  "webhook-timestamp": String(Math.floor(sent.getTime() / 1000)),
  "webhook-signature": new Signer(process.env["WEBHOOK_SECRET"]).sign(\`msg_\${published.event_id}\`, sent, rawBody)
}
const request = { headers }
`

export const contexts: Readonly<Record<string, Context>> = {
  "docs/guides/embed.md#inside-another-server": {
    before: started,
    replaced: [["createServer(listener).listen(8080)", "const server = createServer(listener).listen(0)"]],
    after: `
console.log((await fetch(new Request("http://localhost/health/live"))).status)
server.close()
await corridor.close()`,
    output: ["200"]
  },
  "docs/guides/statements.md#in-your-own-program": {
    before: `import { writeFileSync } from "node:fs"
const tags = [":20:X", ":25:DE89370400440532013000", ":28C:1/1", ":60F:C260101EUR100,00", ":61:2601020102D25,00NTRFREF//B1"]
writeFileSync("january.sta", [...tags, ":62F:C260102EUR75,00", "-"].join("\\r\\n"))`,
    after: `console.log(file("january.sta").map(({ lines }) => lines.length).join())`,
    output: ["1"]
  },
  "docs/guides/webhooks.md#the-receiver": {
    before: delivered,
    after: "console.log(status)",
    // The feed has everything that the server has published before.
    output: expect.arrayContaining(["deposit.confirmed confirmed", "200"])
  },
  "docs/provider-protocol.md#in-the-configuration-of-corridor": {
    before: `process.env["BANK_SECRET"] = "whsec_${"A".repeat(32)}"`,
    after: "console.log(typeof provider, typeof rates)",
    output: ["object object"]
  },
  "docs/simulation.md#testing-your-own-adapters": {
    before: `import { MemoryStorage as MyStorage } from "corridor/adapters/storage/memory"`,
    replaced: [
      ["seed <= 100", "seed <= 1"],
      ["console.log(line)", "lines.push(line)"],
      ["const mine", "const lines: Array<string> = []\nconst mine"]
    ],
    after: "console.log(lines.length > 100)",
    output: ["true"]
  },
  "docs/guides/configure.md#a-configuration-file.3": {
    output: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ sk_test_\S{43}$/)]
  },
  "docs/guides/operate.md#metrics.2": {
    replaced: [
      ["createServer(", "const server = createServer("],
      [".listen(9464, ", ".listen(0, "]
    ],
    after: `
await new Promise((resolve) => server.once("listening", resolve))
const { port } = server.address() as { port: number }
console.log((await (await fetch(\`http://127.0.0.1:\${port}/\`)).text()).includes("corridor_"))
server.close()`,
    output: ["true"]
  },
  "docs/telemetry.md#inside-your-application": { after: "console.log(typeof observability)", output: ["object"] },
  "docs/chains.md#configuration": { after: "console.log(typeof base)", output: ["object"] },
  "docs/chains.md#solana": { after: "console.log(typeof solana)", output: ["object"] },
  "docs/providers.md#renaming-a-provider": {
    before: `process.env["ALPHA_SECRET"] = "whsec_${"A".repeat(32)}"`,
    after: "console.log(typeof alpha)",
    output: ["object"]
  },
  "docs/guides/testing.md#your-receiver-in-tests": { output: ["null"] },
  "docs/guides/embed.md#start": { output: ["34.19 created", "not_found", "deposit.confirmed", "65.81"] },
  "docs/guides/webhooks.md#what-is-sent": {
    before: delivered,
    after: "console.log((event as { event_type: string }).event_type)",
    output: ["deposit.confirmed"]
  }
}
