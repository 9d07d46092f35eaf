/** The pages of each kind of session, in the order of the navigation. */
import type { ComponentType } from "preact"
import type { OperatorRole } from "./frame/session.ts"
import { Overview } from "./pages/overview.tsx"

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

export const operatorPages: ReadonlyArray<PageRoute> = [{ path: "/", component: Overview, label: "Overview" }]

export const merchantPages: ReadonlyArray<PageRoute> = []
