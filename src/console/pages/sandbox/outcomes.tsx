/** Outcomes on demand: of movements, verifications, screenings and issues. */
import type {
  Beneficiary,
  Customer,
  MovementStatus,
  ResourceStatus,
  Transaction,
  Verification
} from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
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
  ["success", "Success"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
  ["temporarily_unavailable", "Temporarily unavailable"],
  ["returned", "Returned, after it had succeeded"],
  ["reversed", "Reversed, after it had succeeded"],
  ["refund_failed", "Its refund failed"]
] as const

const reported = ({ data: { status } }: { readonly data: Pick<ResourceStatus, "status"> }) => (
  <p>Reported. Its status is now “{words(status)}”.</p>
)

const Outcome = ({ id, label }: { readonly id?: string; readonly label: string }) => (
  <Action<MovementStatus>
    label={label}
    title="Report an outcome"
    does="The simulated provider reports this outcome. One that contradicts the state becomes an exception."
    allowed={allowMerchant("developer", "admin")}
    fields={
      <>
        {id === undefined && (
          <PickField
            of="movement"
            name="resource_id"
            label="Resource"
            required
            hint="An onramp, offramp, conversion or transfer; or a deposit or exception that is refunded."
          />
        )}
        <Select name="outcome" label="Outcome" choices={outcomes} />
        <Field name="reason" label="Reason" maxLength={255} hint="With a failure. It appears as failure_reason." />
        <Field name="transaction_hash" label="Transaction hash" maxLength={255} />
      </>
    }
    request={(filled) => ({
      path: "/sandbox/outcomes",
      body: { ...filled, ...(id === undefined ? {} : { resource_id: id }) }
    })}
    // The row of a movement that has ended disappears, and its dialog with it.
    {...(id === undefined ? { done: reported } : {})}
  />
)

export const OutcomesCard = () => (
  <Card title="In progress" actions={<Outcome label="Report another outcome" />} flush>
    <ListView<Transaction>
      caption="Movements in progress"
      path="/v1/transactions"
      query={{ status: "processing" }}
      pageName="processing_page"
      perPage={10}
      every={5}
      columns={[
        ...transactionColumns.slice(0, 5),
        {
          title: "Report",
          cell: (movement) =>
            movement.type === "deposit" ? null : <Outcome id={resourceOf(movement)} label="Report outcome" />
        }
      ]}
      empty={[
        "Nothing is in progress",
        "What the provider has and has not decided appears here. Outcomes of ended movements can be reported too."
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
        label="Customer"
        path="/v1/customers"
        pick="customer"
        valueOf={({ id }) => id}
        textOf={({ email, kyc_status, name }) => `${name}, ${email}: ${words(kyc_status)}`}
        none="There is no customer. Create one with POST /v1/customers."
        onValue={setCustomer}
      />
      {customer !== "" && (
        <Choose<Verification>
          key={customer}
          name="verification"
          label="Verification"
          path={`/v1/customers/${customer}/verifications`}
          valueOf={({ id }) => id}
          textOf={({ id, status, tier_requested }) => `${words(tier_requested)}: ${words(status)}, ${id}`}
          none="This customer has no verification. Start one on the customer's page."
        />
      )}
      <Select
        name="outcome"
        label="Outcome"
        choices={[
          ["approved", "Approved"],
          ["rejected", "Rejected"],
          ["opened", "The customer opened the link"]
        ]}
      />
      <Field name="reason" label="Reason" hint="With a rejection: document_invalid, identity_mismatch or declined." />
    </>
  )
}

const ScreeningFields = () => (
  <>
    <Choose<Beneficiary>
      name="beneficiary"
      label="Beneficiary"
      path="/v1/beneficiaries"
      pick="beneficiary"
      valueOf={({ id }) => id}
      textOf={({ currency, id, name, status }) => `${name}, ${currency}: ${words(status)}, ${id}`}
      none="There is no beneficiary. Create one with POST /v1/beneficiaries."
    />
    <Select
      name="outcome"
      label="Verdict"
      choices={[
        ["screened", "Cleared: it may be paid"],
        ["refused", "Refused: it is blocked"]
      ]}
    />
  </>
)

export const VerdictsCard = () => {
  const allowed = allowMerchant("developer", "admin")
  return (
    <Card title="Verdicts and issues">
      <p class="dim">What providers decide about customers, beneficiaries, addresses and accounts.</p>
      <div class="acts">
        <Action<ResourceStatus>
          label="Decide a verification"
          does="The simulated provider reports the outcome of a verification."
          allowed={allowed}
          fields={<VerificationFields />}
          request={({ of_customer: _, verification = "", ...body }) => ({
            path: `/sandbox/verifications/${verification}`,
            body
          })}
          done={reported}
        />
        <Action<ResourceStatus>
          label="Decide a screening"
          does="The simulated provider reports the verdict on the beneficiary's current screening."
          allowed={allowed}
          fields={<ScreeningFields />}
          request={({ beneficiary = "", ...body }) => ({ path: `/sandbox/beneficiaries/${beneficiary}`, body })}
          done={reported}
        />
        {(["deposit-addresses", "credentials"] as const).map((kind) => (
          <Action<ResourceStatus>
            key={kind}
            label={kind === "credentials" ? "Issue an account" : "Issue an address"}
            does="The simulated provider issues it now."
            allowed={allowed}
            fields={
              <ChoosePlace
                label="Wallet"
                path={`${kind}?status=pending`}
                name="place"
                of={kind === "credentials" ? "Account" : "Deposit address"}
                none="Nothing of this wallet waits to be issued."
              />
            }
            request={({ place = "" }) => ({ path: `/sandbox/${kind}/${place}`, body: { outcome: "issued" } })}
            done={reported}
          />
        ))}
      </div>
    </Card>
  )
}
