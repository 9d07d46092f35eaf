/** How many approvals wait for who is signed in: in the navigation, and on the first page. */
import type { Approval } from "../../client/generated/resources.ts"
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { formatNumber, t } from "./language.ts"
import { to } from "./base.ts"
import { useLoad } from "./load.ts"
import { merchantMay, operatorMay, session, type SignedIn } from "./session.ts"

/** `undefined`: it is not known yet, or the session decides nothing. */
const waiting = signal<number | undefined>(undefined)

const makeApprovalsPath = ({ type }: SignedIn): string | null => {
  const query = `approvals?status=pending&side=merchant&per_page=100`
  if (type === "merchant") return merchantMay("approver", "admin") ? `/v1/${query}` : null
  return operatorMay("support") ? `/operator/v1/${query.replace("&side=merchant", "")}` : null
}

/** Reads how many approvals wait for the session. Acts that it has made or approved itself do not count: they wait for others. */
export const useWaiting = (current: SignedIn): typeof waiting => {
  const { answer } = useLoad<ReadonlyArray<Approval>>(makeApprovalsPath(current), { every: 10 })
  const { data, meta } = answer.value ?? {}
  useEffect(() => {
    const own = current.operator_id ?? current.key_id
    const isOthers = ({ approvals, made_by }: Approval): boolean =>
      own !== null && [made_by, ...approvals.map(({ by }) => by)].some(({ id }) => id === own)
    const shown = data?.filter((one) => !isOthers(one)).length
    waiting.value = data === undefined ? undefined : shown! + Math.max(0, (meta?.total ?? 0) - data.length)
  }, [current, data, meta])
  return waiting
}

/** The number of waiting approvals, as a link to them. Nothing for a session that decides none. */
export const Waiting = () => {
  const count = waiting.value
  if (session.value === null || count === undefined) return null
  return (
    <a class={count > 0 ? "count some" : "count"} href={to("/approvals")}>
      <span class="count-label">{t("Approvals")}</span>
      <span class="count-number">{formatNumber(count)}</span>
      <span class="dim">{t("waiting for you")}</span>
    </a>
  )
}
