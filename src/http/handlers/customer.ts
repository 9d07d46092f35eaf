import { Effect } from "effect"
import { Customers } from "../../engine/resources/parties/customer.ts"
import { CustomersApi } from "../api/customer.ts"
import { endpoints } from "../endpoint.ts"

export const customerEndpoints = Effect.map(Customers, (customers) =>
  endpoints(CustomersApi, {
    createCustomer: ({ call, body }) => customers.create(call, body),
    listCustomers: ({ call, query }) => customers.list(call, query),
    getCustomer: ({ call, params }) => customers.get(call, params.id),
    updateCustomer: ({ call, params, body }) => customers.update(call, params.id, body)
  })
)
