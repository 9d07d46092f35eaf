import { getFrom, listFrom, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BeneficiaryBody } from "../../representations/parties/beneficiary.ts"
import {
  Beneficiaries,
  BeneficiaryKind,
  CreateBeneficiary,
  ListBeneficiaries,
  UpdateBeneficiary
} from "../../resources/parties/beneficiary.ts"
import { nameCustomers } from "../named-rows.ts"
import type { Registration } from "../registration.ts"

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

const operations = {
  merchant: section(
    {
      id: "beneficiaries",
      title: "Beneficiaries",
      description: "Recipients of payouts: bank accounts and crypto addresses."
    },
    {
      beneficiaries: {
        create: post(
          "createBeneficiary",
          "/v1/beneficiaries",
          {
            summary: "Create a beneficiary",
            description:
              "The provider resolves a bank account first, and a payshap proxy to its holder; an account in euro may be named by its IBAN alone, whose holder nobody resolves. A beneficiary can stay pending until its screening is complete.",
            input: CreateBeneficiary,
            output: BeneficiaryBody,
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
              iban: {
                type: "fiat",
                name: "Jürgen Müller",
                currency: "EUR",
                details: { country_code: "DE", network: "bank", account_number: "DE89 3704 0044 0532 0130 00" }
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
            },
            refusals: errors
          },
          ({ call, input }) => Beneficiaries.use((s) => s.create(call, input))
        ),
        list: nameCustomers(
          listFrom(Beneficiaries, "listBeneficiaries", "/v1/beneficiaries", ListBeneficiaries, BeneficiaryBody),
          "ListedBeneficiary"
        ),
        get: getFrom(Beneficiaries, "getBeneficiary", "/v1/beneficiaries/:id", one, BeneficiaryBody),
        update: patch(
          "updateBeneficiary",
          "/v1/beneficiaries/:id",
          {
            summary: "Change a beneficiary",
            description: "Changed account details are checked as at creation.",
            params: one,
            input: UpdateBeneficiary,
            output: BeneficiaryBody,
            examples: { label: { label: "salary account" } },
            refusals: [...errors, "conflict"]
          },
          ({ call, params, input }) => Beneficiaries.use((s) => s.update(call, params.id, input))
        )
      }
    }
  )
} as const satisfies Sections

export const beneficiary = { kind: BeneficiaryKind, layer: Beneficiaries.layer, operations } satisfies Registration
