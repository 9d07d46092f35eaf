/** Pay-ins on demand: money that arrives at a wallet, an address, an account or an onramp. */
import type { Onramp, ReportedPayin } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { rich, t } from "../../frame/language.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { amountText } from "../../parts/money.tsx"
import { Card } from "../../parts/page.tsx"
import { Choose, ChoosePlace, ChooseWallet } from "./choose.tsx"

const TargetFields = ({ kind }: { readonly kind: string }) =>
  kind === "wallet" ? (
    <ChooseWallet name="wallet_id" label={t("Wallet")} />
  ) : kind === "onramp" ? (
    <Choose<Onramp>
      name="onramp_id"
      label={t("Onramp")}
      path="/v1/onramps?status=awaiting_deposit"
      valueOf={({ id }) => id}
      textOf={({ id, source_amount, source_currency }) => `${amountText(source_amount, source_currency)}, ${id}`}
      none={t("No onramp waits for its payment.")}
    />
  ) : kind === "address" ? (
    <ChoosePlace
      label={t("Of the wallet")}
      path="deposit-addresses"
      name="deposit_address_id"
      of={t("Deposit address")}
      none={t("This wallet has no deposit address. Choose another, or pay into the wallet itself.")}
    />
  ) : (
    <ChoosePlace
      label={t("Of the wallet")}
      path="credentials"
      name="credential_id"
      of={t("Account")}
      none={t("This wallet has no account. Choose another, or pay into the wallet itself.")}
    />
  )

const stages = [
  ["confirmed", t("Confirmed: the money is there")],
  ["detected", t("Detected: it is on its way")],
  ["failed", t("Failed: it did not come, or went back")]
] as const

const PayinFields = () => {
  const [kind, setKind] = useState("wallet")
  return (
    <>
      <Select
        name="target"
        label={t("To")}
        value={kind}
        onValue={setKind}
        choices={[
          ["wallet", t("A wallet")],
          ["onramp", t("An onramp that waits for its payment")],
          ["address", t("A deposit address")],
          ["credential", t("An account of a wallet")]
        ]}
      />
      <TargetFields kind={kind} />
      <Field name="amount" label={t("Amount")} required inputMode="decimal" placeholder="100.00" />
      <Field
        name="currency"
        label={t("Currency")}
        hint={t("Default: that of the target. Another one becomes an exception.")}
      />
      <Select name="stage" label={t("Stage")} choices={stages} />
      <details>
        <summary>{t("Payer, and what is repeated")}</summary>
        <Field name="sender.name" label={t("Payer's name")} maxLength={255} />
        <Field name="sender.bank" label={t("Payer's bank")} maxLength={255} />
        <Field
          name="sender.account_number"
          label={t("Payer's account")}
          maxLength={64}
          hint={t("Its last digits decide what becomes of a refund: 0002 refuses it, for instance.")}
        />
        <Field name="from_address" label={t("Payer's address on the chain")} maxLength={128} />
        <Field name="narration" label={t("Narration")} maxLength={255} />
        <Field
          name="payin_id"
          label={t("Id of the pay-in")}
          maxLength={128}
          hint={t("The same id again is the same money at another stage.")}
        />
      </details>
    </>
  )
}

export const PayinCard = () => (
  <Card
    title={t("Pay-ins")}
    actions={
      <Action<ReportedPayin>
        label={t("Simulate a pay-in")}
        does={t("The simulated provider reports that money arrived.")}
        allowed={allowMerchant("developer", "admin")}
        tone="main"
        fields={<PayinFields />}
        request={({ of_wallet: _, target: __, ...filled }) => {
          const sender = Object.entries(filled).flatMap(([name, value]) =>
            name.startsWith("sender.") ? [[name.slice("sender.".length), value] as const] : []
          )
          const own = Object.entries(filled).filter(([name]) => !name.startsWith("sender."))
          return {
            path: "/sandbox/deposits",
            body: { ...Object.fromEntries(own), ...(sender.length === 0 ? {} : { sender: Object.fromEntries(sender) }) }
          }
        }}
        done={({ data: { payin_id, transaction_id } }) => (
          <>
            <p>{t("The pay-in was reported.")}</p>
            <p>{rich("Pay-in {id}", { id: <Id id={payin_id} href={null} /> })}</p>
            {transaction_id !== null && <p>{rich("See {id}.", { id: <Id id={transaction_id} /> })}</p>}
          </>
        )}
      />
    }
  >
    <p class="dim">
      {t("Money arrives at a wallet, an onramp, a deposit address or an account, at the stage that you choose.")}
    </p>
  </Card>
)
