/** The pages of treasurers and payers: a script of its own, which is loaded when one of them is shown. */
import { ApprovalsPage } from "./controls/approvals.tsx"
import { FeesPage } from "./controls/fees.tsx"
import { ApprovalRulesPage } from "./controls/rules.tsx"
import { LimitsPage, OwnLimitsPage } from "./controls/limits.tsx"
import { PayPage } from "./merchant/pay.tsx"
import { WalletPage, WalletsPage } from "./merchant/wallets.tsx"
import { BatchesPage, BatchPage } from "./merchant/batches.tsx"
import { RoutingPage } from "./platform/routing.tsx"
import { StatisticsPage } from "./figures/statistics.tsx"
import { Book, EntriesPage } from "./treasury/entries.tsx"
import { SandboxPage } from "./sandbox/sandbox.tsx"
import { AccountDayPage } from "./treasury/account-day.tsx"
import { BreaksPage, OpenBreaks } from "./treasury/breaks.tsx"
import { MapCsvPage } from "./treasury/map-csv.tsx"
import { ReconciliationPage } from "./treasury/reconciliation.tsx"
import { UnknownHelp } from "./unknown.tsx"

export const desk = {
  AccountDayPage,
  ApprovalRulesPage,
  ApprovalsPage,
  BatchesPage,
  BatchPage,
  Book,
  BreaksPage,
  EntriesPage,
  FeesPage,
  LimitsPage,
  MapCsvPage,
  OpenBreaks,
  OwnLimitsPage,
  ReconciliationPage,
  PayPage,
  RoutingPage,
  SandboxPage,
  StatisticsPage,
  Unknown: UnknownHelp,
  WalletPage,
  WalletsPage
}
