/** Outcomes on demand: of movements, verifications, screenings and issues. */
import type {
  Beneficiary,
  Customer,
  MovementStatus,
  ResourceStatus,
  ListedTransaction,
  Verification
} from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { t } from "../../frame/language.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { PickField } from "../../parts/pick.tsx"
import { Card } from "../../parts/page.tsx"
import { ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { transactionColumns } from "../movements.tsx"
import { resourceOf } from "../resource-of.ts"
import { Choose, ChoosePlace } from "./choose.tsx"

const outcomes = [
  ["success", t("Success")],
  ["failed", t("Failed")],
  ["cancelled", t("Cancelled")],
  ["temporarily_unavailable", t("Temporarily unavailable")],
  ["returned", t("Returned, after it had succeeded")],
  ["reversed", t("Reversed, after it had succeeded")],
  ["refund_failed", t("Its refund failed")]
] as const

const describeOutcome = ({ data: { status } }: { readonly data: Pick<ResourceStatus, "status"> }) => (
  <p>{t("Reported. Its status is now “{status}”.", { status: words(status) })}</p>
)

const ReportOutcome = ({ id, label }: { readonly id?: string; readonly label: string }) => (
  <Action<MovementStatus>
    label={label}
    title={t("Report an outcome")}
    does={t("The simulated provider reports this outcome. One that contradicts the state becomes an exception.")}
    allowed={allowMerchant("developer", "admin")}
    fields={
      <>
        {id === undefined && (
          <PickField
            of="movement"
            name="resource_id"
            label={t("Resource")}
            required
            hint={t("An onramp, offramp, conversion or transfer; or a deposit or exception that is refunded.")}
          />
        )}
        <Select name="outcome" label={t("Outcome")} choices={outcomes} />
        <Field
          name="reason"
          label={t("Reason")}
          maxLength={255}
          hint={t("With a failure. It appears as failure_reason.")}
        />
        <Field name="transaction_hash" label={t("Transaction hash")} maxLength={255} />
      </>
    }
    request={(filled) => ({
      path: "/sandbox/outcomes",
      body: id === undefined ? filled : { ...filled, resource_id: id }
    })}
    // The row of a movement that has ended disappears, and its dialog with it.
    done={id === undefined ? describeOutcome : undefined}
  />
)

export const OutcomesCard = () => (
  <Card title={t("In progress")} actions={<ReportOutcome label={t("Report another outcome")} />} flush>
    <ListView<ListedTransaction>
      caption={t("Movements in progress")}
      path="/v1/transactions"
      query={{ status: "processing" }}
      pageName="processing_page"
      perPage={10}
      every={5}
      columns={[
        ...transactionColumns.slice(0, 5),
        {
          title: t("Report"),
          cell: (movement) =>
            movement.type === "deposit" ? null : <ReportOutcome id={resourceOf(movement)} label={t("Report outcome")} />
        }
      ]}
      empty={[
        t("Nothing is in progress"),
        t("What the provider has and has not decided appears here. Outcomes of ended movements can be reported too.")
      ]}
    />
  </Card>
)

const VerificationFields = () => {
  const [customer, setCustomer] = useState("")
  return (
    <>
      <Choose<Customer>
        name="of_customer"
        label={t("Customer")}
        path="/v1/customers"
        pick="customer"
        valueOf={({ id }) => id}
        textOf={({ email, kyc_status, name }) => `${name}, ${email}: ${words(kyc_status)}`}
        none={t("There is no customer. Create one with POST /v1/customers.")}
        onValue={setCustomer}
      />
      {customer !== "" && (
        <Choose<Verification>
          key={customer}
          name="verification"
          label={t("Verification")}
          path={`/v1/customers/${customer}/verifications`}
          valueOf={({ id }) => id}
          textOf={({ id, status, tier_requested }) => `${words(tier_requested)}: ${words(status)}, ${id}`}
          none={t("This customer has no verification. Start one on the customer's page.")}
        />
      )}
      <Select
        name="outcome"
        label={t("Outcome")}
        choices={[
          ["approved", t("Approved")],
          ["rejected", t("Rejected")],
          ["opened", t("The customer opened the link")]
        ]}
      />
      <Field
        name="reason"
        label={t("Reason")}
        hint={t("With a rejection: document_invalid, identity_mismatch or declined.")}
      />
    </>
  )
}

const ScreeningFields = () => (
  <>
    <Choose<Beneficiary>
      name="beneficiary"
      label={t("Beneficiary")}
      path="/v1/beneficiaries"
      pick="beneficiary"
      valueOf={({ id }) => id}
      textOf={({ currency, id, name, status }) => `${name}, ${currency}: ${words(status)}, ${id}`}
      none={t("There is no beneficiary. Create one with POST /v1/beneficiaries.")}
    />
    <Select
      name="outcome"
      label={t("Verdict")}
      choices={[
        ["screened", t("Cleared: it may be paid")],
        ["refused", t("Refused: it is blocked")]
      ]}
    />
  </>
)

export const VerdictsCard = () => {
  const allowed = allowMerchant("developer", "admin")
  return (
    <Card title={t("Verdicts and issues")}>
      <p class="dim">{t("What providers decide about customers, beneficiaries, addresses and accounts.")}</p>
      <div class="acts">
        <Action<ResourceStatus>
          label={t("Decide a verification")}
          does={t("The simulated provider reports the outcome of a verification.")}
          allowed={allowed}
          fields={<VerificationFields />}
          request={({ of_customer: _, verification = "", ...body }) => ({
            path: `/sandbox/verifications/${verification}`,
            body
          })}
          done={describeOutcome}
        />
        <Action<ResourceStatus>
          label={t("Decide a screening")}
          does={t("The simulated provider reports the verdict on the beneficiary's current screening.")}
          allowed={allowed}
          fields={<ScreeningFields />}
          request={({ beneficiary = "", ...body }) => ({ path: `/sandbox/beneficiaries/${beneficiary}`, body })}
          done={describeOutcome}
        />
        {(["deposit-addresses", "credentials"] as const).map((kind) => (
          <Action<ResourceStatus>
            key={kind}
            label={kind === "credentials" ? t("Issue an account") : t("Issue an address")}
            does={t("The simulated provider issues it now.")}
            allowed={allowed}
            fields={
              <ChoosePlace
                label={t("Wallet")}
                path={`${kind}?status=pending`}
                name="place"
                of={kind === "credentials" ? t("Account") : t("Deposit address")}
                none={t("Nothing of this wallet waits to be issued.")}
              />
            }
            request={({ place = "" }) => ({ path: `/sandbox/${kind}/${place}`, body: { outcome: "issued" } })}
            done={describeOutcome}
          />
        ))}
      </div>
    </Card>
  )
}
