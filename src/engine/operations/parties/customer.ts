import { getFrom, listFrom, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { CustomerBody } from "../../representations/parties/customer.ts"
import {
  CreateCustomer,
  CustomerKind,
  Customers,
  ListCustomers,
  UpdateCustomer
} from "../../resources/parties/customer.ts"
import { DepositTotalKind } from "../../resources/parties/tiers.ts"
import type { Registration } from "../registration.ts"

const one = { id: Id("cust") }

const operations = {
  merchant: section(
    { id: "customers", title: "Customers", description: "The people and businesses for whom a merchant moves money." },
    {
      customers: {
        create: post(
          "createCustomer",
          "/v1/customers",
          {
            summary: "Create a customer",
            input: CreateCustomer,
            output: CustomerBody,
            examples: {
              individual: { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
            },
            refusals: ["invalid_input", "prohibited_country"]
          },
          ({ call, input }) => Customers.use((s) => s.create(call, input))
        ),
        list: listFrom(Customers, "listCustomers", "/v1/customers", ListCustomers, CustomerBody),
        get: getFrom(Customers, "getCustomer", "/v1/customers/:id", one, CustomerBody),
        update: patch(
          "updateCustomer",
          "/v1/customers/:id",
          {
            summary: "Change a customer",
            description: "Metadata is replaced as a whole. The profile is merged.",
            params: one,
            input: UpdateCustomer,
            output: CustomerBody,
            examples: { email: { email: "ada.obi@example.com" } },
            refusals: ["conflict", "invalid_input", "prohibited_country"]
          },
          ({ call, params, input }) => Customers.use((s) => s.update(call, params.id, input))
        )
      }
    }
  )
} as const satisfies Sections

export const customer = {
  kind: CustomerKind,
  records: [DepositTotalKind],
  layer: Customers.layer,
  operations
} satisfies Registration
