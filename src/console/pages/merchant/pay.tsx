/** A single payout: quoted, checked by a dry run, and then paid. */
import type { Beneficiary, Offramp, Quote, Transfer } from "../../../client/generated/resources.ts"
import { useLocation } from "preact-iso"
import { useState } from "preact/hooks"
import { rich, t } from "../../frame/language.ts"
import { type Answer, type ApiError, call, toApiError } from "../../frame/api.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action, type Filled, readForm, Needs } from "../../parts/action.tsx"
import { Sums } from "../../parts/columns.tsx"
import { DryRunWrites } from "../../parts/dry-run.tsx"
import { Field, FieldFaults, Select } from "../../parts/field.tsx"
import { formatDecimal, Money } from "../../parts/money.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { PickField } from "../../parts/pick.tsx"
import { FailureView } from "../../parts/states.tsx"
import { Time } from "../../parts/time.tsx"

/** A payout that was checked and is not paid: the call that pays it, and what that would do. */
interface Checked {
  readonly path: string
  readonly body: Filled
  readonly recipient: string
  readonly quote: Quote | undefined
  readonly dry: Answer<Offramp | Transfer>
}

/** What leaves the wallet, as a transfer or an offramp says it. */
type Leaving = Partial<Pick<Transfer, "amount" | "currency"> & Pick<Offramp, "source_amount" | "source_currency">>

/** Quotes a payout to a bank account, and does a dry run of paying it. Nothing is paid. Errors: `ApiError`. */
const quoteAndDryRun = async ({ name, type }: Beneficiary, { reference, ...filled }: Filled): Promise<Checked> => {
  const quote = type === "crypto" ? undefined : (await call<Quote>("/v1/offramps/quotes", { body: filled })).data
  const path = quote === undefined ? "/v1/transfers" : "/v1/offramps"
  const body = { ...(quote === undefined ? filled : { quote_id: quote.id }), ...(reference && { reference }) }
  return { path, body, recipient: name, quote, dry: await call(`${path}?dry_run=true`, { body }) }
}

const CheckedView = ({ of: { body, dry, path, quote, recipient } }: { readonly of: Checked }) => {
  const { route } = useLocation()
  const { dry_run } = dry.meta
  const { amount, currency, source_amount, source_currency }: Leaving = dry.data
  const leaves = <Money amount={source_amount ?? amount} currency={source_currency ?? currency} />
  const waits = dry_run?.approval
  return (
    <Card
      title={t("Pay {recipient}", { recipient })}
      actions={
        <Action<Offramp | Transfer>
          label={t("Pay")}
          title={t("Pay {recipient}", { recipient })}
          does={
            waits
              ? rich(
                  "{amount} leaves the wallet, once other people have approved it. A payment cannot be taken back.",
                  { amount: leaves }
                )
              : rich("{amount} leaves the wallet. A payment cannot be taken back.", { amount: leaves })
          }
          allowed={allowMerchant("developer", "admin")}
          tone="main"
          request={() => ({ path, body })}
          done={({ data: { id } }) => route(to(`/movements/${id}`))}
        />
      }
    >
      <Facts
        of={[
          [t("Leaves the wallet"), leaves],
          [
            t("Recipient receives"),
            quote === undefined ? (
              leaves
            ) : (
              <Money amount={quote.received_amount} currency={quote.destination_currency} />
            )
          ],
          [t("Fees"), quote === undefined ? null : <Sums of={quote.fee.line_items} />],
          [t("Rate"), quote && formatDecimal(quote.rate)],
          [t("Valid until"), quote === undefined ? null : <Time at={quote.expires_at} />],
          [
            t("Approval"),
            waits ? t("Waits for {count} other person|Waits for {count} other people", { count: waits.needed }) : null
          ]
        ]}
      />
      {dry_run !== undefined && <DryRunWrites of={dry_run} />}
    </Card>
  )
}

export const PayPage = () => {
  const { beneficiary_id = "", wallet_id = "" } = useQuery().query
  const [chosen, choose] = useState(beneficiary_id)
  const [side, setSide] = useState("target_amount")
  const [checked, setChecked] = useState<Checked | undefined>()
  const [error, setError] = useState<ApiError | undefined>()
  const [isBusy, setBusy] = useState(false)
  const loaded = useLoad<Beneficiary>(chosen === "" ? null : `/v1/beneficiaries/${encodeURIComponent(chosen)}`)
  const recipient = loaded.answer.value?.data
  const isFiat = recipient?.type === "fiat"
  const failure = error ?? loaded.error.value
  const isReading = chosen !== "" && recipient === undefined && failure === undefined
  const allowed = allowMerchant("developer", "admin")
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (isBusy || recipient === undefined) return
    setBusy(true)
    setError(undefined)
    setChecked(undefined)
    try {
      const { side: _, ...filled } = readForm(form)
      setChecked(await quoteAndDryRun(recipient, filled))
    } catch (cause) {
      setError(toApiError(cause))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page title={t("Pay")} lead={t("One payout. It is quoted and checked first; nothing is paid before you confirm.")}>
      <Card title={t("Whom and how much")}>
        {allowed !== true ? (
          <Needs acts={[t("Pay")]} role={allowed} />
        ) : (
          <form
            // What was checked is another payout now.
            onInput={() => setChecked(undefined)}
            onSubmit={(event) => {
              event.preventDefault()
              void send(event.currentTarget)
            }}
          >
            <FieldFaults.Provider value={error?.errors ?? []}>
              <PickField
                of="beneficiary"
                name="beneficiary_id"
                label={t("Recipient")}
                required
                value={beneficiary_id}
                onValue={choose}
              />
              <PickField of="wallet" name="wallet_id" label={t("Wallet")} required value={wallet_id} />
              {isFiat && (
                <Select
                  name="side"
                  label={t("The amount is what")}
                  value={side}
                  onValue={setSide}
                  choices={[
                    ["target_amount", t("the recipient receives, in {currency}", { currency: recipient.currency })],
                    ["source_amount", t("leaves the wallet, in its currency")]
                  ]}
                />
              )}
              <Field
                // What was typed before the recipient was read stays.
                key={side}
                name={isFiat ? side : "amount"}
                label={t("Amount")}
                required
                inputMode="decimal"
                placeholder="100.00"
              />
              <Field
                name="reference"
                label={t("Reference")}
                maxLength={128}
                hint={t("Your own number of it, used once.")}
              />
            </FieldFaults.Provider>
            {failure !== undefined && (
              <FailureView error={failure} atFields={["beneficiary_id", "wallet_id", side, "amount", "reference"]} />
            )}
            <div class="buttons">
              <button
                type="submit"
                class={checked === undefined ? "main" : "plain"}
                aria-disabled={isBusy || isReading}
              >
                {isBusy || isReading ? t("Checking…") : t("Check")}
              </button>
            </div>
          </form>
        )}
      </Card>
      {checked !== undefined && <CheckedView of={checked} />}
    </Page>
  )
}
