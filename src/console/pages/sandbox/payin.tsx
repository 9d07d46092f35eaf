/** Pay-ins on demand: money that arrives at a wallet, an address, an account or an onramp. */
import type { Onramp, ReportedPayin } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { amountText } from "../../parts/money.tsx"
import { Card } from "../../parts/page.tsx"
import { Choose, ChoosePlace, ChooseWallet } from "./choose.tsx"

const noneOf = (what: string): string => `This wallet has no ${what}. Choose another, or pay into the wallet itself.`

const Target = ({ kind }: { readonly kind: string }) =>
  kind === "wallet" ? (
    <ChooseWallet name="wallet_id" label="Wallet" />
  ) : kind === "onramp" ? (
    <Choose<Onramp>
      name="onramp_id"
      label="Onramp"
      path="/v1/onramps?status=awaiting_deposit"
      valueOf={({ id }) => id}
      textOf={({ id, source_amount, source_currency }) => `${amountText(source_amount, source_currency)}, ${id}`}
      none="No onramp waits for its payment."
    />
  ) : kind === "address" ? (
    <ChoosePlace
      label="Of the wallet"
      path="deposit-addresses"
      name="deposit_address_id"
      of="Deposit address"
      none={noneOf("deposit address")}
    />
  ) : (
    <ChoosePlace label="Of the wallet" path="credentials" name="credential_id" of="Account" none={noneOf("account")} />
  )

const stages = [
  ["confirmed", "Confirmed: the money is there"],
  ["detected", "Detected: it is on its way"],
  ["failed", "Failed: it did not come, or went back"]
] as const

const PayinFields = () => {
  const [kind, setKind] = useState("wallet")
  return (
    <>
      <Select
        name="target"
        label="To"
        value={kind}
        onValue={setKind}
        choices={[
          ["wallet", "A wallet"],
          ["onramp", "An onramp that waits for its payment"],
          ["address", "A deposit address"],
          ["credential", "An account of a wallet"]
        ]}
      />
      <Target kind={kind} />
      <Field name="amount" label="Amount" required inputMode="decimal" placeholder="100.00" />
      <Field name="currency" label="Currency" hint="Default: that of the target. Another one becomes an exception." />
      <Select name="stage" label="Stage" choices={stages} />
      <details>
        <summary>Payer, and what is repeated</summary>
        <Field name="sender.name" label="Payer's name" maxLength={255} />
        <Field name="sender.bank" label="Payer's bank" maxLength={255} />
        <Field
          name="sender.account_number"
          label="Payer's account"
          maxLength={64}
          hint="Its last digits decide what becomes of a refund: 0002 refuses it, for instance."
        />
        <Field name="from_address" label="Payer's address on the chain" maxLength={128} />
        <Field name="narration" label="Narration" maxLength={255} />
        <Field
          name="payin_id"
          label="Id of the pay-in"
          maxLength={128}
          hint="The same id again is the same money at another stage."
        />
      </details>
    </>
  )
}

export const PayinCard = () => (
  <Card
    title="Pay-ins"
    actions={
      <Action<ReportedPayin>
        label="Simulate a pay-in"
        does="The simulated provider reports that money arrived."
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
            <p>The pay-in was reported.</p>
            <p>
              Pay-in <Id id={payin_id} href={null} />
            </p>
            {transaction_id !== null && (
              <p>
                See <Id id={transaction_id} />.
              </p>
            )}
          </>
        )}
      />
    }
  >
    <p class="dim">
      Money arrives at a wallet, an onramp, a deposit address or an account, at the stage that you choose.
    </p>
  </Card>
)
