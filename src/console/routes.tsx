/** The pages of each kind of session, in the order of the navigation. */
import type { ComponentType } from "preact"
import type { ActingOperator } from "../client/generated/resources.ts"
import { t } from "./frame/language.ts"
import { lazyPage } from "./frame/later.tsx"
import { MerchantCustomerPage } from "./pages/customer.tsx"
import { CustomersPage } from "./pages/customers.tsx"
import { MovementsPage } from "./pages/movements.tsx"
import { OverviewPage } from "./pages/overview.tsx"
import { MovementPage } from "./pages/resource/movement.tsx"
import { ResourcePage } from "./pages/resource/resource.tsx"
import { SearchPage } from "./pages/search.tsx"
import { AccountPage } from "./pages/ledger/account.tsx"
import { LedgerPage } from "./pages/ledger/ledger.tsx"
import { BeneficiariesPage } from "./pages/merchant/beneficiaries.tsx"
import { BeneficiaryPage } from "./pages/merchant/beneficiary.tsx"
import { CurrenciesPage } from "./pages/merchant/currencies.tsx"
import { CustomerPage } from "./pages/merchant/customer.tsx"
import { HomePage } from "./pages/merchant/home.tsx"
import { KeysPage } from "./pages/merchant/keys.tsx"
import { MerchantPage } from "./pages/merchants/merchant.tsx"
import { MerchantsPage } from "./pages/merchants/merchants.tsx"
import { AuditPage } from "./pages/people/audit.tsx"
import { MePage } from "./pages/people/me.tsx"
import { OperatorsPage } from "./pages/people/operators.tsx"
import { BrakesPage } from "./pages/platform/brakes.tsx"
import { RatesPage } from "./pages/platform/rates.tsx"
import { ProviderPage } from "./pages/platform/provider.tsx"
import { ProvidersPage } from "./pages/platform/providers.tsx"
import { AccessRequestsPage } from "./pages/queues/access-requests.tsx"
import { HeldDepositsPage } from "./pages/queues/deposits.tsx"
import { ExceptionsPage } from "./pages/queues/exceptions.tsx"
import { StuckPage } from "./pages/queues/stuck.tsx"
import { VerificationsPage } from "./pages/queues/verifications.tsx"
import { EndpointPage } from "./pages/webhooks/endpoint.tsx"
import { AllEndpointsPage, EndpointsPage } from "./pages/webhooks/endpoints.tsx"
import { PublishedEventPage, EventsPage } from "./pages/webhooks/events.tsx"

export interface PageRoute {
  /** Below `/console`. `:name` is a parameter. */
  readonly path: string
  // A page reads its parameters with `useRoute`.
  readonly component: ComponentType
  /** In the navigation, under its group. Left out for pages that others lead to. */
  readonly label?: string
  readonly group?: string
  /** The least role of an operator that sees it in the navigation. */
  readonly least?: ActingOperator["role"]
}

const desk = async () => (await import("./pages/desk.ts")).desk
const ApprovalsPage = lazyPage(desk, (pages) => pages.ApprovalsPage)
const BatchPage = lazyPage(desk, (pages) => pages.BatchPage)
const ApprovalRulesPage = lazyPage(desk, (pages) => pages.ApprovalRulesPage)

const queues = { group: t("To do") } as const
const treasury = { group: t("Treasury") } as const
const platform = { group: t("Platform") } as const
const people = { group: t("People") } as const

export const operatorPages: ReadonlyArray<PageRoute> = [
  { path: "/", component: OverviewPage, label: t("Overview") },
  { path: "/movements", component: MovementsPage, label: t("Movements") },
  { path: "/customers", component: CustomersPage, label: t("Customers") },
  { path: "/customers/:id", component: MerchantCustomerPage },
  { path: "/statistics", component: lazyPage(desk, (pages) => pages.StatisticsPage), label: t("Statistics") },
  { path: "/search", component: SearchPage },
  { path: "/resources/:id", component: ResourcePage },
  { path: "/approvals", component: ApprovalsPage, label: t("Approvals"), ...queues },
  { path: "/batches/:id", component: BatchPage },
  { path: "/exceptions", component: ExceptionsPage, label: t("Exceptions"), ...queues },
  { path: "/deposits", component: HeldDepositsPage, label: t("Held deposits"), ...queues },
  { path: "/verifications", component: VerificationsPage, label: t("Verifications"), ...queues },
  { path: "/access-requests", component: AccessRequestsPage, label: t("Access requests"), ...queues },
  { path: "/stuck", component: StuckPage, label: t("Stuck"), ...queues },
  {
    path: "/reconciliation",
    component: lazyPage(desk, (pages) => pages.ReconciliationPage),
    label: t("Reconciliation"),
    ...treasury
  },
  { path: "/reconciliation/:id", component: lazyPage(desk, (pages) => pages.AccountDayPage) },
  { path: "/statement-mapping", component: lazyPage(desk, (pages) => pages.MapCsvPage) },
  { path: "/breaks", component: lazyPage(desk, (pages) => pages.BreaksPage), label: t("Breaks"), ...treasury },
  {
    path: "/adjusting-entries",
    component: lazyPage(desk, (pages) => pages.EntriesPage),
    label: t("Adjusting entries"),
    ...treasury
  },
  { path: "/limits", component: lazyPage(desk, (pages) => pages.LimitsPage), label: t("Limits"), ...treasury },
  { path: "/approval-rules", component: ApprovalRulesPage, label: t("Approval rules"), ...treasury },
  {
    path: "/fee-schedules",
    component: lazyPage(desk, (pages) => pages.FeesPage),
    label: t("Fee schedules"),
    ...treasury
  },
  { path: "/merchants", component: MerchantsPage, label: t("Merchants"), ...platform },
  { path: "/merchants/:id", component: MerchantPage },
  { path: "/providers", component: ProvidersPage, label: t("Providers"), ...platform },
  { path: "/providers/:name", component: ProviderPage },
  { path: "/routing", component: lazyPage(desk, (pages) => pages.RoutingPage), label: t("Routing"), ...platform },
  { path: "/webhooks", component: AllEndpointsPage, label: t("Webhooks"), ...platform },
  { path: "/webhooks/:id", component: EndpointPage },
  { path: "/brakes", component: BrakesPage, label: t("Pauses"), ...platform },
  { path: "/rates", component: RatesPage, label: t("Rates"), ...platform },
  { path: "/ledger", component: LedgerPage, label: t("Ledger"), ...platform },
  { path: "/ledger/accounts/:account", component: AccountPage },
  { path: "/audit", component: AuditPage, label: t("Audit"), ...people },
  { path: "/operators", component: OperatorsPage, label: t("Operators"), ...people },
  { path: "/me", component: MePage, label: t("You"), ...people }
]

const developers = { group: t("Developers") } as const

export const merchantPages: ReadonlyArray<PageRoute> = [
  { path: "/", component: HomePage, label: t("Home") },
  { path: "/movements", component: MovementsPage, label: t("Movements") },
  { path: "/movements/:id", component: MovementPage },
  { path: "/search", component: SearchPage },
  { path: "/customers", component: CustomersPage, label: t("Customers") },
  { path: "/customers/:id", component: CustomerPage },
  { path: "/beneficiaries", component: BeneficiariesPage, label: t("Beneficiaries") },
  { path: "/beneficiaries/:id", component: BeneficiaryPage },
  { path: "/wallets", component: lazyPage(desk, (pages) => pages.WalletsPage), label: t("Wallets") },
  { path: "/wallets/:id", component: lazyPage(desk, (pages) => pages.WalletPage) },
  { path: "/pay", component: lazyPage(desk, (pages) => pages.PayPage), label: t("Pay") },
  { path: "/batches", component: lazyPage(desk, (pages) => pages.BatchesPage), label: t("Batches") },
  { path: "/batches/:id", component: BatchPage },
  { path: "/approvals", component: ApprovalsPage, label: t("Approvals") },
  { path: "/approval-rules", component: ApprovalRulesPage, label: t("Approval rules") },
  { path: "/limits", component: lazyPage(desk, (pages) => pages.OwnLimitsPage), label: t("Limits") },
  { path: "/currencies", component: CurrenciesPage, label: t("Currencies") },
  { path: "/webhooks", component: EndpointsPage, label: t("Webhooks"), ...developers },
  { path: "/webhooks/:id", component: EndpointPage },
  { path: "/events", component: EventsPage, label: t("Events"), ...developers },
  { path: "/events/:id", component: PublishedEventPage },
  { path: "/keys", component: KeysPage, label: t("API keys"), ...developers },
  { path: "/sandbox", component: lazyPage(desk, (pages) => pages.SandboxPage), label: t("Sandbox"), ...developers }
]
