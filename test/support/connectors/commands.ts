/** Commands as Corridor sends them to a connector, without `operation` and `id`. */

const about = { merchant_id: "mer_1", resource_id: "tfr_1" }
const originator = {
  id: "cus_1",
  type: "individual",
  name: "Ada Obi",
  country_code: "NG",
  address: { line1: "1 Marina", city: "Lagos", country_code: "NG" },
  date_of_birth: "01/31/1990",
  id_type: "passport",
  id_number: "A1234567"
}
const destination = {
  type: "fiat",
  country_code: "NG",
  network: "bank",
  account_number: "0123456789",
  account_name: "Bola Ade",
  provider_id: "prov_1",
  rail: null
}

export const payoutOf = (members: object = {}) => ({
  ...about,
  reference: "invoice 7",
  originator,
  attempt: 0,
  kind: "offramp",
  amount: "1500.25",
  currency: "NGN",
  source_amount: "1.01",
  source_currency: "USDC",
  destination,
  beneficiary: { id: "ben_1", name: "Bola Ade" },
  purpose_code: null,
  narration: "invoice 7",
  ...members
})

export const payoutTo = (members: object, payout: object = {}) =>
  payoutOf({ destination: { ...destination, ...members }, ...payout })

export const conversionOf = (members: object = {}) => ({
  ...about,
  resource_id: "cnv_1",
  reference: "treasury",
  originator: null,
  attempt: 0,
  kind: "conversion",
  source_amount: "150025.00",
  source_currency: "NGN",
  destination_amount: "100.00",
  destination_currency: "USDC",
  rate: "0.000666555574",
  ...members
})

export const refundOf = (payin_id: string, amount: string, members: object = {}) => ({
  ...about,
  resource_id: "dep_1",
  payin_id,
  amount,
  currency: "NGN",
  ...members
})

export const issueOf = (members: object = {}) => ({
  ...about,
  resource_id: "cred_1",
  kind: "wallet_credential",
  type: "fiat",
  currency: "NGN",
  country_code: "NG",
  network: "bank",
  holder: "Ada Obi",
  ...members
})

export const instructionOf = (members: object = {}) => ({
  ...about,
  resource_id: "onr_1",
  amount: "5000.00",
  currency: "NGN",
  country_code: "NG",
  expires_at: "2027-01-31T12:00:00.000Z",
  ...members
})

export const verificationOf = (members: object = {}) => ({
  ...about,
  resource_id: "kyc_1",
  tier: "tier_1",
  customer: { id: "cus_1", type: "individual", name: "Ada <Obi>", email: "ada@example.com", country_code: "NG" },
  redirect_url: "https://example.com/done",
  ...members
})

export const screeningOf = (screening_id: string, name: string) => ({
  merchant_id: "mer_1",
  resource_id: "ben_1",
  screening_id,
  name,
  destination
})
