import { Layer, Schema } from "effect"
import { get, type Path, section, type Sections } from "../../calls/operation.ts"
import { describe, Id } from "../../input/schemas.ts"
import { Resources } from "../../reports/resource.ts"
import { Timelines } from "../../reports/timeline/timeline.ts"
import { ResourceBody, TimelineBody } from "../../representations/timeline.ts"
import { operatorGroup, type Registration } from "../registration.ts"

/** Declares the operation that reads the timeline of a merchant's resource with this prefix. `of`: its noun, such as `an onramp`. */
export const declareTimeline = <const OperationId extends string, const P extends Path>(
  id: OperationId,
  path: P,
  prefix: string,
  of: string
) =>
  get(
    id,
    path,
    { summary: `Get the timeline of ${of}`, params: { id: Id(prefix) }, output: TimelineBody },
    ({ call, params }) => Timelines.use((s) => s.own(call, params.id))
  )

const one = { id: describe(Schema.String, "The id of the resource, of any kind.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3") }

const operations = {
  operator: section(operatorGroup, {
    resources: {
      get: get(
        "getResource",
        "/operator/v1/resources/:id",
        {
          summary: "Get any resource by its id",
          description: "The body of the resource as its merchant reads it, and the resources that it is related to.",
          params: one,
          output: ResourceBody
        },
        ({ call, params }) => Resources.use((s) => s.get(call, params.id))
      ),
      timeline: get(
        "getResourceTimeline",
        "/operator/v1/resources/:id/timeline",
        {
          summary: "Get the timeline of a resource",
          description:
            "Everything that is recorded about a resource, oldest first: requests, transitions, postings, calls to providers, timers, events and deliveries.",
          params: one,
          output: TimelineBody
        },
        ({ params }) => Timelines.use((s) => s.whole(params.id))
      )
    }
  })
} as const satisfies Sections

export const timelines = {
  layer: Layer.mergeAll(Timelines.layer, Resources.layer),
  operations
} satisfies Registration
