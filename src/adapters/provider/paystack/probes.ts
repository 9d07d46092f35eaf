/** What a test key can find out of the table of what is not verified, in `docs/providers/paystack.md`. */
import { Effect } from "effect"
import { textOf } from "../company/answers.ts"
import { makeAsking } from "../company/asking.ts"
import { type CompanyClient, writeJson } from "../company/client.ts"
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
  const { get, post } = makeAsking(paystack, ask)
  const recipient = post(
    "/transferrecipient",
    writeJson({ type: countries[currency].recipient, name: "Corridor Check", ...account, currency })
  )
  const transfer = Effect.flatMap(recipient, (reply) => {
    const recipient = textOf(envelopeOf(reply.json)?.data, "recipient_code") ?? ""
    const members = { source: "balance", recipient, reference, currency }
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
