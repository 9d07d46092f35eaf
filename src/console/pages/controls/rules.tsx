/** Approval rules: which acts wait for other people, of the operators, or of a merchant. */
import type { ApprovalRule } from "../../../client/generated/resources.ts"
import { formatList, rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { type Allowed, allowMerchant, allowOperator, isOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { DurationField, Field, Select, ticksOf, Ticks } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { amountText } from "../../parts/money.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { describeDuration, words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { operatorRoles, ownRuleOperations, ruleOperations, ruleStatuses } from "../../parts/vocabulary.ts"

const makeRulesPath = (): string => (isOperator() ? "/operator/v1/approval-rules" : "/v1/approval-rules")

const mayChange = (): Allowed => (isOperator() ? allowOperator("admin") : allowMerchant("admin"))

/** Whether the form has a note field: a merchant's call takes no note. */
const chooseNoteField = () => (isOperator() ? "optional" : undefined)

const RuleFields = () => (
  <>
    <Ticks
      name="operations"
      label={t("Acts that wait")}
      choices={isOperator() ? ruleOperations : ownRuleOperations}
      ticked={["payout"]}
    />
    <Field
      name="above.amount"
      label={t("Only above")}
      inputMode="decimal"
      placeholder="10000.00"
      hint={t("Default: every one. An act in another currency waits.")}
    />
    <Field name="above.currency" label={t("Currency of the amount")} list="currency" placeholder="USDC" />
    <Select name="approvals" label={t("Other people who approve")} choices={["1", "2", "3"]} />
    <Ticks
      name="roles"
      label={t("Who may approve: these roles and those above them. None: those who may do the act.")}
      choices={isOperator() ? operatorRoles : ["approver", "developer", "admin"]}
      ticked={[]}
    />
    <DurationField name="expires_after" label={t("For how long it waits")} value="PT24H" />
  </>
)

const CreateRule = () => (
  <Action<ApprovalRule>
    label={t("Create rule")}
    does={t(
      "From now on these acts wait until other people approve them. Nobody approves what they made. With a rule over approval rules, nobody ends a rule alone."
    )}
    allowed={mayChange()}
    tone="main"
    note={chooseNoteField()}
    fields={<RuleFields />}
    request={({ approvals, expires_after, note, "above.amount": amount, "above.currency": currency, ...filled }) => ({
      path: makeRulesPath(),
      body: {
        operations: ticksOf(filled, "operations"),
        roles: ticksOf(filled, "roles"),
        approvals: Number(approvals),
        ...{ expires_after, note },
        above: amount === undefined && currency === undefined ? undefined : { amount, currency }
      }
    })}
  />
)

/** Names the roles of a rule that nobody has: acts that it covers wait until somebody has one of them, or a higher one. */
const UnheldRoles = ({ roles }: { readonly roles: ReadonlyArray<string> }) => {
  const { answer } = useLoad<ReadonlyArray<{ readonly role: string; readonly status?: string }>>(
    roles.length === 0
      ? null
      : isOperator()
        ? "/operator/v1/operators?status=active&per_page=200"
        : "/v1/api-keys?per_page=200"
  )
  const held = answer.value?.data.map(({ role }) => role)
  const unheld = held === undefined ? [] : roles.filter((role) => !held.includes(role))
  return unheld.length === 0 ? null : (
    <p class="late">
      {rich("Nobody has the role {roles}. {remedy}.", {
        roles: formatList(unheld.map(words), "disjunction").toLowerCase(),
        remedy: (
          <a href={to(isOperator() ? "/operators" : "/keys")}>
            {isOperator() ? t("Give it to an operator") : t("Create a key with it")}
          </a>
        )
      })}
    </p>
  )
}

export const ApprovalRulesPage = () => (
  <ListPage<ApprovalRule>
    title={t("Approval rules")}
    lead={t("Which acts wait for other people. What waits already stays as it is when a rule changes.")}
    actions={<CreateRule />}
    filters={[byStatus(ruleStatuses)]}
    path={makeRulesPath()}
    every={10}
    columns={[
      {
        title: t("Waits"),
        cell: ({ above, id, operations }) => (
          <>
            <strong>{operations.map(words).join(", ")}</strong>
            <br />
            {above === null
              ? t("Every one")
              : t("Above {amount}", { amount: amountText(above.amount, above.currency) })}
            <br />
            <Id id={id} brief href={null} copy />
          </>
        )
      },
      {
        title: t("Approved by"),
        cell: ({ approvals, roles }) => (
          <>
            {t("{count} other person|{count} other people", { count: approvals })}
            <div class="dim">{roles.length === 0 ? t("who may do the act") : roles.map(words).join(", ")}</div>
            <UnheldRoles roles={roles} />
          </>
        )
      },
      { title: t("Waits at most"), cell: ({ expires_after }) => describeDuration(expires_after) },
      { title: t("Since"), cell: ({ created_at }) => <Time at={created_at} /> },
      {
        title: t("Change"),
        cell: ({ id, operations, status }) => (
          <>
            <StatusPill status={status} tone={status === "active" ? "good" : "off"} />
            {status === "active" && (
              <div class="acts">
                <Action<unknown>
                  label={t("End")}
                  title={t("End the rule over {operations}", {
                    operations: operations.map(words).join(", ").toLowerCase()
                  })}
                  does={t(
                    "These acts wait no more, unless another rule covers them. An ended rule is not started again: create another."
                  )}
                  allowed={mayChange()}
                  tone="danger"
                  note={chooseNoteField()}
                  request={(filled) => ({
                    path: `${makeRulesPath()}/${id}`,
                    method: "DELETE",
                    body: isOperator() ? filled : undefined
                  })}
                />
              </div>
            )}
          </>
        )
      }
    ]}
    empty={[t("There is no rule"), t("Those who may do an act do it alone.")]}
    unmatched={t("No rule matches")}
  />
)
