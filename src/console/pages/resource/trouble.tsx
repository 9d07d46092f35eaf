/** What is open about a movement: exceptions and breaks, with their acts. Until they are resolved, its status may not be the whole truth. */
import type { Break, Exception } from "../../../client/generated/resources.ts"
import { formatList, rich, t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { partOf } from "../../frame/later.tsx"
import { useLoad } from "../../frame/load.ts"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { ReasonView } from "../../parts/reason.tsx"
import { exceptionReason } from "../queues/explained.ts"

const OpenException = ({
  of: { amount, currency, exposure, id, reason, status, ...body }
}: {
  readonly of: Exception
}) => (
  <div class="trouble">
    <ReasonView name={reason} sentence={exceptionReason(reason)} />
    <p>
      <Id id={id} brief />
      {amount !== null && (
        <> · {rich("in suspense {money}", { money: <Money amount={amount} currency={currency} /> })}</>
      )}
      {exposure !== null && <> · {rich("at risk {money}", { money: <Money {...exposure} /> })}</>}
    </p>
    <Acts
      of={{
        kind: "exception",
        id,
        state: body.actions.length > 0 ? status : "in_progress",
        body: { ...body, amount, currency, exposure }
      }}
    />
  </div>
)

/** The list of breaks, which the treasury's pages have. */
const Breaks = partOf(
  () => import("../desk.ts"),
  ({ desk }) => desk.OpenBreaks
)

export const Trouble = ({ id }: { readonly id: string }) => {
  const about = encodeURIComponent(id)
  const exceptions = useLoad<ReadonlyArray<Exception>>(`/operator/v1/exceptions?status=open&resource_id=${about}`, {
    every: 5
  })
  const breaks = useLoad<ReadonlyArray<Break>>(`/operator/v1/breaks?status=open&resources=${about}`, { every: 5 })
  const open = exceptions.answer.value?.data ?? []
  const differing = breaks.answer.value?.data.length ?? 0
  const sentence = formatList(
    [
      ...(open.length === 0 ? [] : [t("{count} open exception|{count} open exceptions", { count: open.length })]),
      ...(differing === 0 ? [] : [t("{count} open break|{count} open breaks", { count: differing })])
    ],
    "conjunction"
  )
  return sentence === "" ? null : (
    <section class="notice bad" aria-label={t("Needs a decision")}>
      <p class="notice-title">{t("{sentence}: decide before you trust its status.", { sentence })}</p>
      {open.map((one) => (
        <OpenException key={one.id} of={one} />
      ))}
      {differing > 0 && <Breaks of={id} />}
    </section>
  )
}
