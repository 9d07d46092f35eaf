/** The acts of an operator on a resource: those that its state allows and that the role may do. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { t } from "../frame/language.ts"
import { partOf } from "../frame/later.tsx"
import { allowOperator, operatorMay } from "../frame/session.ts"
import { Needs } from "../parts/action.tsx"
import { Select } from "../parts/field.tsx"
import { PickField } from "../parts/pick.tsx"
import { words } from "../parts/text.ts"
import { ActButton, type Acted, type ActProps } from "./act.tsx"

/** An act as data. `to` is the last part of its path, which follows the id of the resource. */
interface Possible extends Omit<ActProps, "path"> {
  readonly to: string
  /** Whether the resource's state allows it. */
  readonly on: (of: Acted) => boolean
}

const is =
  (wanted: string) =>
  ({ state }: Acted): boolean =>
    state === wanted

const depositActs: ReadonlyArray<Possible> = [
  {
    on: is("held"),
    label: t("Release"),
    title: t("Release this deposit"),
    does: t("The amount is credited to the customer's wallet now. This cannot be undone."),
    least: "treasury",
    tone: "main",
    note: "required",
    to: "release"
  },
  {
    on: is("held"),
    label: t("Reject"),
    title: t("Reject this deposit"),
    does: t("The provider is asked to return the money to its payer. The deposit fails when the provider accepts."),
    least: "treasury",
    tone: "danger",
    to: "reject",
    fields: (
      <label>
        {t("Reason, which the merchant sees")}
        <input name="reason" required maxLength={255} />
      </label>
    )
  }
]

const isReviewed = ({ body, state }: Acted): boolean =>
  body["awaits_review"] !== false && /^in_(?:progress|review)$/.test(state)

/** Makes an approval or a rejection, an act that needs the role support. */
const makeReviewAct = (
  decision: "approve" | "reject",
  title: string,
  does: string,
  on: Possible["on"],
  fields?: ComponentChildren
): Possible => ({
  on,
  label: words(decision),
  title,
  does,
  least: "support",
  tone: decision === "approve" ? "main" : "danger",
  to: "review",
  body: { decision },
  fields
})

const verificationActs: ReadonlyArray<Possible> = [
  makeReviewAct(
    "approve",
    t("Approve this verification"),
    t("The customer gets the tier that was requested, and with it higher limits."),
    isReviewed
  ),
  makeReviewAct(
    "reject",
    t("Reject this verification"),
    t("The customer keeps the present tier. The merchant may start another verification."),
    isReviewed,
    <Select name="reason" label={t("Reason")} choices={["document_invalid", "identity_mismatch", "declined"]} />
  )
]

const reasonField = (
  <label>
    {t("Reason, which the merchant sees (optional)")}
    <input name="reason" maxLength={1000} />
  </label>
)

const accessRequestActs: ReadonlyArray<Possible> = [
  makeReviewAct(
    "approve",
    t("Approve this access request"),
    t("The merchant may use the currency from now on."),
    is("pending"),
    reasonField
  ),
  makeReviewAct(
    "reject",
    t("Reject this access request"),
    t("The merchant may not use the currency, and may ask again."),
    is("pending"),
    reasonField
  ),
  {
    on: is("approved"),
    label: t("Revoke access"),
    does: t("The merchant may no longer use the currency. Movements in progress continue."),
    least: "support",
    tone: "danger",
    to: "revoke",
    fields: reasonField
  }
]

const makeFreezeActs = (freezeTitle: string, unfreezeTitle: string): ReadonlyArray<Possible> => [
  {
    on: is("active"),
    label: t("Freeze"),
    title: freezeTitle,
    does: t("Deposits that arrive from now on are held for review."),
    least: "support",
    to: "freeze"
  },
  {
    on: is("frozen"),
    label: t("Unfreeze"),
    title: unfreezeTitle,
    does: t("Deposits that arrive from now on are credited again. Held ones stay held."),
    least: "treasury",
    to: "unfreeze"
  }
]

const isEnabled = ({ state }: Acted): boolean => state !== "disabled"

const credentialActs: ReadonlyArray<Possible> = [
  ...makeFreezeActs(t("Freeze this credential"), t("Unfreeze this credential")),
  {
    on: isEnabled,
    label: t("Forward balance"),
    does: t("The whole balance is converted at the current rate and fee, and credited to the wallet."),
    least: "treasury",
    to: "forward"
  },
  {
    on: isEnabled,
    label: t("Disable"),
    title: t("Disable this credential"),
    does: t("Later deposits to it are held. It cannot be enabled again."),
    least: "treasury",
    tone: "danger",
    to: "disable"
  }
]

const brakeActs: ReadonlyArray<Possible> = [
  {
    on: is("active"),
    label: t("Release"),
    title: t("Release this pause"),
    does: t("Submissions and refunds that no other pause covers go on."),
    least: "treasury",
    to: "release"
  }
]

/** By what they act on: the list of the operator API, and the acts. */
const actsByKind: Readonly<Record<string, readonly [list: string, ReadonlyArray<Possible>]>> = {
  deposit: ["deposits", depositActs],
  verification: ["verifications", verificationActs],
  access_request: ["access-requests", accessRequestActs],
  wallet_credential: ["credentials", credentialActs],
  deposit_address: [
    "deposit-addresses",
    makeFreezeActs(t("Freeze this deposit address"), t("Unfreeze this deposit address"))
  ],
  brake: ["brakes", brakeActs]
}

const resolutions: Readonly<Record<string, string>> = {
  credit: t("The money is credited as a deposit to the wallet. No limit holds it."),
  refund: t("The provider is asked to return the money to its payer."),
  apply: t("The event that came too late is applied to its resource."),
  dismiss: t("The exception is closed. No money moves.")
}

/** The adjusting entry, which the treasury's pages have. */
const Book = partOf(
  () => import("../pages/desk.ts"),
  ({ desk }) => desk.Book
)

const ExceptionActs = ({ of: { body, id, state } }: { readonly of: Acted }) => {
  const actions = Array.isArray(body["actions"]) ? (body["actions"] as ReadonlyArray<string>) : Object.keys(resolutions)
  const [action, setAction] = useState(actions[0] ?? "dismiss")
  const { amount, currency } = ((body["amount"] === null ? body["exposure"] : body) ?? {}) as {
    readonly amount?: string
    readonly currency?: string
  }
  return state !== "open" ? null : (
    <>
      <ActButton
        label={t("Resolve")}
        title={t("Resolve this exception")}
        does={resolutions[action]}
        least="treasury"
        tone="main"
        path={`/exceptions/${id}/resolve`}
        note="required"
        version={typeof body["version"] === "string" ? body["version"] : undefined}
        fields={
          <>
            <Select name="action" label={t("Action")} choices={actions} value={action} onValue={setAction} />
            {action === "credit" && (
              <PickField
                of="wallet"
                name="wallet_id"
                label={t("Wallet")}
                hint={t("Default: the one for which it was intended.")}
              />
            )}
          </>
        }
      />
      <Book exception={id} from={body["amount"] === null ? "" : "suspense"} amount={amount} currency={currency} />
    </>
  )
}

/** The buttons of the acts on a resource, and which role the others need. Nothing where no act is possible. */
export const Acts = ({ of }: { readonly of: Acted }) => {
  const [list, all = []] = actsByKind[of.kind] ?? []
  const possible = all.filter(({ on }) => on(of))
  const lacking = possible.filter(({ least }) => !operatorMay(least))
  if (possible.length === 0 && of.kind !== "exception") return null
  return (
    <div class="acts">
      {of.kind === "exception" && <ExceptionActs of={of} />}
      {possible
        .filter(({ least }) => operatorMay(least))
        .map(({ on: _, to, ...act }) => (
          <ActButton key={act.label} {...act} path={`/${list}/${of.id}/${to}`} />
        ))}
      {[...new Set(lacking.map(({ least }) => least))].map((role) => (
        <Needs
          key={role}
          acts={lacking.filter(({ least }) => least === role).map(({ label }) => label)}
          role={allowOperator(role)}
        />
      ))}
    </div>
  )
}
