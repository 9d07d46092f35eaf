import { Effect } from "effect"
import { get, section, type Sections } from "../../calls/operation.ts"
import { AllStatistics, OwnStatistics, Statistics } from "../../reports/statistics.ts"
import { StatisticsBody } from "../../representations/statistics.ts"
import { answerInFormat, reportFormats, addFormat } from "../report-file.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const description = [
  "Movements by the time of their creation: how many, how they ended, the source amounts and the fees of those that succeeded,",
  "and how long they took. `by` separates rows. Durations are exact to 127 seconds, and above at most 1/64 too short. Deposits that the",
  "platform makes, such as the reversal of an offramp, are not counted."
].join(" ")

const operations = {
  merchant: section(
    { id: "statistics", title: "Statistics", description: "Numbers, amounts and durations of movements." },
    {
      /** Numbers, amounts and durations of the merchant's movements. */
      stats: get(
        "getStatistics",
        "/v1/stats",
        {
          summary: "Get statistics of movements",
          description,
          input: addFormat(OwnStatistics),
          output: StatisticsBody,
          formats: reportFormats,
          refusals: ["invalid_input"]
        },
        ({ call, input: { format, ...input } }) =>
          Effect.map(
            Statistics.use((s) => s.own(call.merchant_id, input)),
            answerInFormat(StatisticsBody, ["rows"], format)
          )
      )
    }
  ),
  operator: section(operatorGroup, {
    /** Numbers, amounts and durations of the movements of all merchants. */
    stats: get(
      "getAllStatistics",
      "/operator/v1/stats",
      {
        summary: "Get statistics of the movements of all merchants",
        description,
        input: addFormat(AllStatistics),
        output: StatisticsBody,
        formats: reportFormats,
        refusals: ["invalid_input"]
      },
      ({ input: { format, ...input } }) =>
        Effect.map(
          Statistics.use((s) => s.all(input)),
          answerInFormat(StatisticsBody, ["rows"], format)
        )
    )
  })
} as const satisfies Sections

export const statistics = { layer: Statistics.layer, operations } satisfies Registration
