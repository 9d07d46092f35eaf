import { BeneficiaryBody } from "../../engine/representations/parties/beneficiary.ts"
import { CreateBeneficiary, ListBeneficiaries, UpdateBeneficiary } from "../../engine/resources/parties/beneficiary.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, patch, post } from "./contract.ts"

const one = { id: Id("ben") }
const errors = [
  "invalid_input",
  "prohibited_country",
  "account_resolution_failed",
  "not_found",
  "resource_access_required",
  "forbidden",
  "external_service_unavailable"
] as const

export const BeneficiariesApi = group(
  "beneficiaries",
  "Beneficiaries",
  "Who is paid: a bank account or a crypto address."
).add(
  post("createBeneficiary", "/v1/beneficiaries", CreateBeneficiary, BeneficiaryBody, {
    summary: "Create a beneficiary",
    description:
      "A bank account is resolved with the provider first, a payshap proxy to its holder. Screening may leave it pending.",
    errors,
    examples: {
      fiat: {
        type: "fiat",
        name: "Ada Obi",
        currency: "NGN",
        details: {
          country_code: "NG",
          network: "bank",
          account_number: "0123456789",
          provider_id: "prov_01j9z3k4m5n6p7q8r9s0t1v2w3"
        }
      },
      as_shown: {
        type: "fiat",
        name: "Ada Obi",
        currency: "NGN",
        details: {
          country_code: "NG",
          network: "bank",
          account_number: "0123456789",
          provider: { id: "prov_01j9z3k4m5n6p7q8r9s0t1v2w3" }
        }
      },
      payshap: {
        type: "fiat",
        name: "Sipho",
        currency: "ZAR",
        details: { country_code: "ZA", network: "bank", account_number: "+27821234567", rail: "payshap" }
      },
      crypto: {
        type: "crypto",
        name: "Treasury",
        currency: "USDC",
        details: { network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7" }
      }
    }
  }),
  list("listBeneficiaries", "/v1/beneficiaries", BeneficiaryBody, {
    summary: "List beneficiaries",
    query: ListBeneficiaries
  }),
  get("getBeneficiary", "/v1/beneficiaries/:id", BeneficiaryBody, { summary: "Get a beneficiary", params: one }),
  patch("updateBeneficiary", "/v1/beneficiaries/:id", UpdateBeneficiary, BeneficiaryBody, {
    summary: "Change a beneficiary",
    description: "Changed account details go through the same checks as at creation.",
    params: one,
    errors: [...errors, "conflict"],
    examples: { label: { label: "salary account" } }
  })
)
