import { get, list, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { ExternalAccountBody } from "../../representations/reconciliation/external-account.ts"
import {
  CreateExternalAccount,
  ExternalAccountKind,
  ExternalAccounts,
  ListExternalAccounts,
  UpdateExternalAccount
} from "../../resources/reconciliation/external-account.ts"
import { MatchingStateKind } from "../../resources/reconciliation/matching-state.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

const one = { id: Id("xac") }

const operations = {
  operator: section(reconciliationGroup, {
    externalAccounts: {
      create: post(
        "createExternalAccount",
        "/operator/v1/external-accounts",
        {
          role: "treasury",
          summary: "Create an external account",
          description:
            "A place where money really is. It mirrors the account `world:<provider>` in its currency. Several may mirror one: the first has the payouts and pay-ins that name no account. An active account has its identifiers alone, in its currency.",
          input: CreateExternalAccount,
          output: ExternalAccountBody,
          examples: {
            bank: {
              provider: "simulated",
              currency: "EUR",
              kind: "bank",
              identifiers: [{ scheme: "iban", value: "DE89 3704 0044 0532 0130 00" }],
              opening: { date: "2026-01-01", balance: "25000.00" },
              time_zone: "Europe/Berlin",
              note: "Opened for the euro corridor"
            },
            chain: {
              provider: "simulated",
              currency: "USDC",
              kind: "chain",
              identifiers: [
                { scheme: "address", value: "0x52908400098527886E0F7030069857D2E4169EE7", network: "base" }
              ],
              opening: { date: "2026-01-01", balance: "0" },
              time_zone: "UTC",
              uses: ["payouts"]
            }
          },
          refusals: ["not_found", "duplicate_resource"]
        },
        ({ call, input }) => ExternalAccounts.use((s) => s.create(call, input))
      ),
      list: list(
        "listExternalAccounts",
        "/operator/v1/external-accounts",
        { summary: "List external accounts", input: ListExternalAccounts, output: ExternalAccountBody },
        ({ call, input }) => ExternalAccounts.use((s) => s.list(call, input))
      ),
      get: get(
        "getExternalAccount",
        "/operator/v1/external-accounts/:id",
        { summary: "Get an external account", params: one, output: ExternalAccountBody },
        ({ call, params }) => ExternalAccounts.use((s) => s.get(call, params.id))
      ),
      update: patch(
        "updateExternalAccount",
        "/operator/v1/external-accounts/:id",
        {
          role: "treasury",
          summary: "Change, close or reopen an external account",
          description:
            "Provider, currency and kind stay. A closed account frees its identifiers and takes no other change until it is active again.",
          params: one,
          input: UpdateExternalAccount,
          output: ExternalAccountBody,
          examples: { closed: { status: "closed", note: "Moved to another bank" } },
          refusals: ["invalid_status", "duplicate_resource"]
        },
        ({ call, params, input }) => ExternalAccounts.use((s) => s.update(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const externalAccount = {
  kind: ExternalAccountKind,
  records: [MatchingStateKind],
  layer: ExternalAccounts.layer,
  operations
} satisfies Registration
