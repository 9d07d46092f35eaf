import { getFrom, list, listFrom, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { LimitBody, OwnLimitBody } from "../../representations/controls/limit.ts"
import {
  CreateLimit,
  LimitKind,
  MoneyLimits,
  ListLimits,
  ListOwnLimits,
  UpdateLimit
} from "../../resources/controls/limit.ts"
import { nameMerchants } from "../named-rows.ts"
import { controlsGroup, type Registration } from "../registration.ts"

const one = { id: Id("lim") }

const operations = {
  merchant: section(
    { id: "limits", title: "Limits", description: "How much and how many you may move, and what is used of it." },
    {
      limits: {
        list: list(
          "listOwnLimits",
          "/v1/limits",
          {
            summary: "List your limits",
            description:
              "The active limits that your acts count to, newest first, with what is used of each. A limit that each customer, wallet or beneficiary has to itself shows what the one that the query names uses; one of each key, what the key of the request uses.",
            input: ListOwnLimits,
            output: OwnLimitBody
          },
          ({ call, input }) => MoneyLimits.use((s) => s.listOwn(call, input))
        )
      }
    }
  ),
  operator: section(controlsGroup, {
    limits: {
      create: post(
        "createLimit",
        "/operator/v1/limits",
        {
          action: "limit",
          role: "treasury",
          summary: "Create a limit",
          description:
            "A limit counts from now on, and applies on every node within 5 seconds. It is enforced in the commit: no number of callers or nodes passes it. A rolling window is exact to a sixtieth of its length, and never counts less than it says.",
          input: CreateLimit,
          output: LimitBody,
          examples: {
            payouts: {
              scope: "merchant",
              operations: ["payout"],
              currency: "USDC",
              max_amount: "100000.00",
              window: { calendar: "day", time_zone: "Africa/Lagos" },
              note: "The daily limit of every merchant"
            },
            count: {
              scope: "platform",
              operations: ["transfer"],
              max_count: 5000,
              window: { rolling: "PT1H" }
            },
            tier: {
              scope: "customer",
              tier: "tier_1",
              operations: ["deposit"],
              currency: "USD",
              max_amount: "20000.00",
              window: { rolling: "P30D" }
            }
          },
          refusals: ["invalid_amount_precision", "not_found", "invalid_status"]
        },
        ({ call, input }) => MoneyLimits.use((s) => s.create(call, input))
      ),
      list: nameMerchants(
        listFrom(MoneyLimits, "listLimits", "/operator/v1/limits", ListLimits, LimitBody),
        "ListedLimit"
      ),
      get: getFrom(MoneyLimits, "getLimit", "/operator/v1/limits/:id", one, LimitBody),
      update: patch(
        "updateLimit",
        "/operator/v1/limits/:id",
        {
          action: "limit",
          readCurrent: ({ params }) => MoneyLimits.use((s) => s.get(params.id)),
          role: "treasury",
          summary: "Change, disable or enable a limit",
          description:
            "Scope, currency and window stay: create another limit. What was counted stays too, so that a maximum below it refuses every act until the window has room.",
          params: one,
          input: UpdateLimit,
          output: LimitBody,
          examples: { raised: { max_amount: "250000.00", note: "Payday" }, disabled: { status: "disabled" } },
          refusals: ["invalid_amount_precision", "invalid_status"]
        },
        ({ call, params, input }) => MoneyLimits.use((s) => s.update(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const limit = { kind: LimitKind, layer: MoneyLimits.layer, operations } satisfies Registration
