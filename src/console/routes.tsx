/** The pages of each kind of session, in the order of the navigation. */
import type { ComponentType } from "preact"
import type { OperatorRole } from "./frame/session.ts"
import { CustomerPage } from "./pages/customer.tsx"
import { Customers } from "./pages/customers.tsx"
import { Movements } from "./pages/movements.tsx"
import { Overview } from "./pages/overview.tsx"
import { MovementPage } from "./pages/resource/movement.tsx"
import { ResourcePage } from "./pages/resource/resource.tsx"
import { Search } from "./pages/search.tsx"

export interface PageRoute {
  /** Below `/console`. `:name` is a parameter. */
  readonly path: string
  // A page reads its parameters with `useRoute`.
  readonly component: ComponentType
  /** In the navigation, under its group. Left out for pages that others lead to. */
  readonly label?: string
  readonly group?: string
  /** The least role of an operator that sees it in the navigation. */
  readonly least?: OperatorRole
}

export const operatorPages: ReadonlyArray<PageRoute> = [
  { path: "/", component: Overview, label: "Overview" },
  { path: "/movements", component: Movements, label: "Movements" },
  { path: "/customers", component: Customers, label: "Customers" },
  { path: "/customers/:id", component: CustomerPage },
  { path: "/search", component: Search },
  { path: "/resources/:id", component: ResourcePage }
]

export const merchantPages: ReadonlyArray<PageRoute> = [{ path: "/movements/:id", component: MovementPage }]
