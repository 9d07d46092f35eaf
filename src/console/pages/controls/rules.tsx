/** Approval rules: which acts wait for other people, of the operators, or of a merchant. */
import type { ApprovalRule } from "../../../client/generated/resources.ts"
import { allowMerchant, type Allowed, allowOperator, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select, tickedOf, Ticks } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { amountText } from "../../parts/money.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { counted, words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { operatorRoles, ownRuleOperations, ruleOperations, ruleStatuses } from "../../parts/vocabulary.ts"

const isOperator = (): boolean => session.value?.type === "operator"

const rulesPath = (): string => (isOperator() ? "/operator/v1/approval-rules" : "/v1/approval-rules")

const mayChange = (): Allowed => (session.value?.type === "operator" ? allowOperator("admin") : allowMerchant("admin"))

/** A merchant's call takes no note. */
const noted = () => (isOperator() ? ({ note: "optional" } as const) : {})

const RuleFields = () => (
  <>
    <Ticks
      name="operations"
      label="Acts that wait"
      choices={isOperator() ? ruleOperations : ownRuleOperations}
      ticked={["payout"]}
    />
    <Field
      name="above.amount"
      label="Only above"
      inputMode="decimal"
      placeholder="10000.00"
      hint="Default: every one. An act in another currency waits."
    />
    <Field name="above.currency" label="Currency of the amount" placeholder="USDC" />
    <Select
      name="approvals"
      label="Other people who approve"
      choices={[
        ["1", "1"],
        ["2", "2"],
        ["3", "3"]
      ]}
    />
    <Ticks
      name="roles"
      label="Who may approve: these roles and those above them. None: those who may do the act."
      choices={isOperator() ? operatorRoles : ["approver", "developer", "admin"]}
      ticked={[]}
    />
    <Field name="expires_after" label="For how long it waits" required value="PT24H" hint="ISO 8601: PT24H, P3D." />
  </>
)

const aboveOf = (amount: string | undefined, currency: string | undefined) =>
  amount === undefined && currency === undefined ? {} : { above: { amount, currency } }

const CreateRule = () => (
  <Action<ApprovalRule>
    label="Create rule"
    does="From now on these acts wait until other people approve them. Nobody approves what they made. With a rule over approval rules, nobody ends a rule alone."
    allowed={mayChange()}
    tone="main"
    {...noted()}
    fields={<RuleFields />}
    request={({ approvals, expires_after, note, "above.amount": amount, "above.currency": currency, ...filled }) => ({
      path: rulesPath(),
      body: {
        operations: tickedOf(filled, "operations"),
        roles: tickedOf(filled, "roles"),
        approvals: Number(approvals),
        ...{ expires_after, note },
        ...aboveOf(amount, currency)
      }
    })}
  />
)

export const ApprovalRulesPage = () => (
  <ListPage<ApprovalRule>
    title="Approval rules"
    lead="Which acts wait for other people. What waits already stays as it is when a rule changes."
    actions={<CreateRule />}
    filters={[{ name: "status", label: "Status", options: ruleStatuses }]}
    path={rulesPath()}
    every={10}
    columns={[
      {
        title: "Waits",
        cell: ({ above, id, operations }) => (
          <>
            <strong>{operations.map(words).join(", ")}</strong>
            <br />
            {above === null ? "Every one" : `Above ${amountText(above.amount, above.currency)}`}
            <br />
            <Id id={id} brief href={null} copy />
          </>
        )
      },
      {
        title: "Approved by",
        cell: ({ approvals, roles }) => (
          <>
            {counted(approvals, "other person", "other people")}
            <div class="dim">{roles.length === 0 ? "who may do the act" : roles.map(words).join(", ")}</div>
          </>
        )
      },
      { title: "Waits at most", cell: ({ expires_after }) => expires_after },
      { title: "Since", cell: ({ created_at }) => <Time at={created_at} />, wide: true },
      {
        title: "Change",
        cell: ({ id, operations, status }) => (
          <>
            <StatusPill status={status} tone={status === "active" ? "good" : "off"} />
            {status === "active" && (
              <div class="acts">
                <Action<unknown>
                  label="End"
                  title={`End the rule over ${operations.map(words).join(", ").toLowerCase()}`}
                  does="These acts wait no more, unless another rule covers them. An ended rule is not started again: create another."
                  allowed={mayChange()}
                  tone="danger"
                  {...noted()}
                  request={(filled) => ({
                    path: `${rulesPath()}/${id}`,
                    method: "DELETE",
                    ...(isOperator() ? { body: filled } : {})
                  })}
                />
              </div>
            )}
          </>
        )
      }
    ]}
    empty={["There is no rule", "Those who may do an act do it alone."]}
    unmatched="No rule matches"
  />
)
