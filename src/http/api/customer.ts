import { CustomerBody } from "../../engine/representations/parties/customer.ts"
import { CreateCustomer, ListCustomers, UpdateCustomer } from "../../engine/resources/parties/customer.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, patch, post } from "./contract.ts"

const one = { id: Id("cust") }

export const CustomersApi = group(
  "customers",
  "Customers",
  "The people and businesses a merchant moves money for."
).add(
  post("createCustomer", "/v1/customers", CreateCustomer, CustomerBody, {
    summary: "Create a customer",
    errors: ["invalid_input", "prohibited_country"],
    examples: { individual: { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" } }
  }),
  list("listCustomers", "/v1/customers", CustomerBody, { summary: "List customers", query: ListCustomers }),
  get("getCustomer", "/v1/customers/:id", CustomerBody, { summary: "Get a customer", params: one }),
  patch("updateCustomer", "/v1/customers/:id", UpdateCustomer, CustomerBody, {
    summary: "Change a customer",
    description: "Metadata is replaced as a whole, the profile is merged.",
    params: one,
    errors: ["conflict", "invalid_input", "prohibited_country"],
    examples: { email: { email: "ada.obi@example.com" } }
  })
)
