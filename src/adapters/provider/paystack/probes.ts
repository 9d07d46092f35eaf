/** What a test key can find out of the table of what is not verified, in `docs/providers/paystack.md`. */
import { Effect } from "effect"
import { type CompanyClient, pathWith, writeJson } from "../company/client.ts"
import { type Probe, probeOf, replyShownBy } from "../company/probes.ts"
import { envelopeOf, paystack } from "./mapping.ts"
import { countries, type PaystackCurrency } from "./options.ts"

const show = replyShownBy(paystack.describe)

/**
 * `account`: that of a recipient which can be paid in test mode. `reference`: of this run alone. With a test key nothing is sent to any bank.
 */
export const paystackProbes = (
  ask: CompanyClient,
  currency: PaystackCurrency,
  account: { readonly account_number: string; readonly bank_code: string },
  reference: string
): ReadonlyArray<Probe> => {
  const get = (path: string, query: { readonly [name: string]: string } = {}) =>
    ask({ method: "GET", path: pathWith(path, query) })
  const post = (path: string, body: string) => ask({ method: "POST", path, body })
  const recipient = post(
    "/transferrecipient",
    writeJson({ type: countries[currency].recipient, name: "Corridor Check", ...account, currency })
  )
  const transfer = Effect.flatMap(recipient, (reply) => {
    const code = (envelopeOf(reply.json)?.data as { readonly recipient_code?: unknown } | null | undefined)
      ?.recipient_code
    const members = { source: "balance", recipient: typeof code === "string" ? code : "", reference, currency }
    return post("/transfer", writeJson(members, { amount: 100n }))
  })
  return [
    probeOf(`whether Paystack takes recipients of the type ${countries[currency].recipient}`, recipient, show),
    probeOf("a transfer in test mode", transfer, show),
    probeOf("the status and code of a reference that was used before", transfer, show),
    probeOf("the status and code of a reference that is unknown", get(`/transfer/verify/${reference}-unknown`), show),
    probeOf(
      `whether /bank/resolve serves ${countries[currency].code}`,
      get("/bank/resolve", { account_number: account.account_number, bank_code: account.bank_code }),
      show
    ),
    ...["/transferrecipient", "/balance/ledger"].map((path) =>
      probeOf(`whether ${path} shows the number of the integration`, get(path, { perPage: "1", page: "1" }), (reply) =>
        JSON.stringify(reply.json)?.includes('"integration":') ? "it does" : `it does not (${show(reply)})`
      )
    )
  ]
}
