import { list, post, section, type Sections } from "../../calls/operation.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { TransactionBody } from "../../representations/movements/transaction.ts"
import { HeldDepositBody } from "../../representations/operator.ts"
import { Deposits, ListHeldDeposits, RejectDeposit } from "../../resources/deposits/deposits.ts"
import { DepositKind } from "../../resources/deposits/deposit.ts"
import { nameCustomers, nameMerchants } from "../named-rows.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const one = { id: Id("txn") }

const operations = {
  operator: section(operatorGroup, {
    deposits: {
      held: nameCustomers(
        nameMerchants(
          list(
            "listHeldDeposits",
            "/operator/v1/deposits",
            { summary: "List held deposits", input: ListHeldDeposits, output: HeldDepositBody },
            ({ input }) => Deposits.use((s) => s.held(input))
          )
        )
      ),
      release: post(
        "releaseDeposit",
        "/operator/v1/deposits/:id/release",
        {
          action: "deposit_release",
          readCurrent: ({ params }) => Deposits.use((s) => s.get(params.id)),
          role: "treasury",
          summary: "Release a held deposit",
          params: one,
          input: Noted,
          output: TransactionBody,
          examples: { release: { note: "Confirmed by phone" } },
          refusals: ["invalid_status", "external_service_unavailable"]
        },
        ({ call, params, input }) => Deposits.use((s) => s.release(call, params.id, input.note))
      ),
      reject: post(
        "rejectDeposit",
        "/operator/v1/deposits/:id/reject",
        {
          role: "treasury",
          summary: "Reject a held deposit and return its money",
          description: "The deposit fails when the provider accepts the refund.",
          params: one,
          input: RejectDeposit,
          output: TransactionBody,
          examples: { reject: { reason: "sender could not be verified" } },
          refusals: ["invalid_status"]
        },
        ({ call, params, input }) => Deposits.use((s) => s.reject(call, params.id, input.reason, input.note))
      )
    }
  })
} as const satisfies Sections

export const deposit = { kind: DepositKind, layer: Deposits.layer, operations } satisfies Registration
