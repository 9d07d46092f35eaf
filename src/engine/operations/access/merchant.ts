import { Schema } from "effect"
import { get, getFrom, listFrom, patch, post, section, type Sections } from "../../calls/operation.ts"
import { describe, Id } from "../../input/schemas.ts"
import { MeBody, MerchantBody, NewApiKeyBody } from "../../representations/access/merchant.ts"
import { CustomerBody } from "../../representations/parties/customer.ts"
import { CreateMerchant, ListMerchants, Merchants, UpdateMerchant } from "../../resources/access/merchant.ts"
import { MerchantKind } from "../../resources/access/api-key.ts"
import { merchantsGroup, type Registration } from "../registration.ts"

const NewMerchantBody = Schema.Struct({
  merchant: describe(MerchantBody, "The merchant."),
  api_key: describe(NewApiKeyBody, "Its first key, an admin key, with the secret."),
  default_customer: describe(CustomerBody, "Its default customer: its own business.")
}).annotate({ identifier: "NewMerchant", description: "A new merchant, its default customer and its first key." })

const operations = {
  merchant: section(
    { id: "me", title: "Identity", description: "The caller." },
    {
      /** The merchant and its integration. */
      me: get(
        "getMe",
        "/v1/me",
        { summary: "Get the merchant, integration and API key of the caller", output: MeBody },
        ({ call }) => Merchants.use((s) => s.me(call))
      )
    }
  ),
  merchants: section(merchantsGroup, {
    /** Creates a merchant with its default customer and an admin key, whose secret only this response has. Default status: `pending`. */
    create: post(
      "createMerchant",
      "/operator/v1/merchants",
      {
        action: "merchant",
        role: "admin",
        summary: "Create a merchant",
        description: "Creates the merchant, its default customer and an admin key. Default status: pending.",
        input: CreateMerchant,
        output: NewMerchantBody,
        examples: { active: { name: "Lagos Trading", country_code: "NG", status: "active" } },
        refusals: ["invalid_input", "prohibited_country"]
      },
      ({ call, input }) => Merchants.use((s) => s.create(call, input))
    ),
    list: listFrom(Merchants, "listMerchants", "/operator/v1/merchants", ListMerchants, MerchantBody),
    get: getFrom(Merchants, "getMerchant", "/operator/v1/merchants/:id", { id: Id("mer") }, MerchantBody),
    update: patch(
      "updateMerchant",
      "/operator/v1/merchants/:id",
      {
        action: "merchant",
        readCurrent: ({ params }) => Merchants.use((s) => s.get(params.id)),
        role: "admin",
        summary: "Activate or suspend a merchant",
        params: { id: Id("mer") },
        input: UpdateMerchant,
        output: MerchantBody,
        examples: { activate: { status: "active" } },
        refusals: ["invalid_status", "conflict"]
      },
      ({ call, params, input }) => Merchants.use((s) => s.update(call, params.id, input))
    )
  })
} as const satisfies Sections

export const merchant = { kind: MerchantKind, layer: Merchants.layer, operations } satisfies Registration
