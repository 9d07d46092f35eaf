import { get, type Path } from "../calls/operation.ts"
import { Id } from "../input/schemas.ts"
import { Timelines } from "../reports/timeline/timeline.ts"
import { TimelineBody } from "../representations/timeline.ts"

/** The timeline of a resource of the merchant's, whose ids have the prefix. `of`: what it is, `an onramp`. */
export const timelineOf = <const OperationId extends string, const P extends Path>(
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
