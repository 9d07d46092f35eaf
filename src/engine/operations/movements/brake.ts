import { listFrom, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BrakeBody } from "../../representations/movements/brake.ts"
import { BrakeKind, Brakes, CreateBrake, ListBrakes, ReleaseBrake } from "../../resources/movements/brake.ts"
import { nameMerchants } from "../named-rows.ts"
import type { Registration } from "../registration.ts"

const operations = {
  operator: section(
    {
      id: "operatorBrakes",
      title: "Operator: pauses",
      description: "Stop money from going out, and let it go on."
    },
    {
      brakes: {
        create: post(
          "createBrake",
          "/operator/v1/brakes",
          {
            role: "treasury",
            summary: "Pause submissions",
            description:
              "Pauses submissions and refunds by provider, corridor, merchant or all. Queued work waits, is listed by `GET /operator/v1/stuck` with the reason `paused`, and goes on when the pause is released. Look-ups and incoming events continue.",
            input: CreateBrake,
            output: BrakeBody,
            examples: {
              corridor: { scope: "corridor", source_currency: "USDT", destination_currency: "KES" },
              all: { scope: "all", note: "Unexplained debits at the bank" }
            },
            refusals: ["not_found", "invalid_status"]
          },
          ({ call, input }) => Brakes.use((s) => s.create(call, input))
        ),
        list: nameMerchants(
          listFrom(Brakes, "listBrakes", "/operator/v1/brakes", ListBrakes, BrakeBody, "List the pauses"),
          "ListedBrake"
        ),
        release: post(
          "releaseBrake",
          "/operator/v1/brakes/:id/release",
          {
            action: "brake_release",
            readCurrent: ({ params }) => Brakes.use((s) => s.get(params.id)),
            role: "treasury",
            summary: "Release a pause",
            description: "The work that no other pause covers goes on.",
            params: { id: Id("brake") },
            input: ReleaseBrake,
            output: BrakeBody,
            examples: { released: { note: "The bank has explained them" } },
            refusals: ["invalid_status"]
          },
          ({ call, params, input }) => Brakes.use((s) => s.release(call, params.id, input))
        )
      }
    }
  )
} as const satisfies Sections

export const brake = { kind: BrakeKind, layer: Brakes.layer, operations } satisfies Registration
