/** The acts of an operator on a resource: those that its state allows and that the role may do. */
import type { ComponentType } from "preact"
import { useState } from "preact/hooks"
import { words } from "../parts/text.ts"
import { Act, type ActsProps } from "./act.tsx"

const DepositActs = ({ of: { id, state }, done }: ActsProps) =>
  state !== "held" ? null : (
    <>
      <Act
        label="Release"
        title="Release this deposit"
        does="The amount is credited to the customer's wallet now. This cannot be undone."
        least="treasury"
        tone="main"
        note="required"
        path={`/deposits/${id}/release`}
        done={done}
      />
      <Act
        label="Reject"
        title="Reject this deposit"
        does="The provider is asked to return the money to its payer. The deposit fails when the provider accepts."
        least="treasury"
        tone="danger"
        path={`/deposits/${id}/reject`}
        fields={
          <label>
            Reason, which the merchant sees
            <input name="reason" required maxLength={255} />
          </label>
        }
        done={done}
      />
    </>
  )

const resolutions: Readonly<Record<string, string>> = {
  credit: "The money is credited as a deposit to the wallet. No limit holds it.",
  refund: "The provider is asked to return the money to its payer.",
  apply: "The event that came too late is applied to its resource.",
  dismiss: "The exception is closed. No money moves."
}

const ExceptionActs = ({ of: { body, id, state }, done }: ActsProps) => {
  const actions = Array.isArray(body["actions"]) ? (body["actions"] as ReadonlyArray<string>) : Object.keys(resolutions)
  const [action, setAction] = useState(actions[0] ?? "dismiss")
  return state !== "open" ? null : (
    <Act
      label="Resolve"
      title="Resolve this exception"
      does={resolutions[action]}
      least="treasury"
      tone="main"
      path={`/exceptions/${id}/resolve`}
      note="required"
      fields={
        <>
          <label>
            Action
            <select name="action" value={action} onChange={({ currentTarget }) => setAction(currentTarget.value)}>
              {actions.map((one) => (
                <option key={one} value={one}>
                  {words(one)}
                </option>
              ))}
            </select>
          </label>
          {action === "credit" && (
            <label>
              Wallet (default: the one for which it was intended)
              <input
                name="wallet_id"
                pattern="wal_.*"
                placeholder="wal_…"
                title="The id of a wallet, which begins with wal_"
              />
            </label>
          )}
        </>
      }
      done={done}
    />
  )
}

const VerificationActs = ({ of: { body, id, state }, done }: ActsProps) =>
  body["awaits_review"] === false || !/^in_(?:progress|review)$/.test(state) ? null : (
    <>
      <Act
        label="Approve"
        title="Approve this verification"
        does="The customer gets the tier that was requested, and with it higher limits."
        least="support"
        tone="main"
        path={`/verifications/${id}/review`}
        body={{ decision: "approve" }}
        done={done}
      />
      <Act
        label="Reject"
        title="Reject this verification"
        does="The customer keeps the present tier. The merchant may start another verification."
        least="support"
        tone="danger"
        path={`/verifications/${id}/review`}
        body={{ decision: "reject" }}
        fields={
          <label>
            Reason
            <select name="reason">
              {["document_invalid", "identity_mismatch", "declined"].map((reason) => (
                <option key={reason} value={reason}>
                  {words(reason)}
                </option>
              ))}
            </select>
          </label>
        }
        done={done}
      />
    </>
  )

const reasonField = (
  <label>
    Reason, which the merchant sees (optional)
    <input name="reason" maxLength={1000} />
  </label>
)

const AccessRequestActs = ({ of: { id, state }, done }: ActsProps) => (
  <>
    {state === "pending" && (
      <>
        <Act
          label="Approve"
          title="Approve this access request"
          does="The merchant may use the currency from now on."
          least="support"
          tone="main"
          path={`/access-requests/${id}/review`}
          body={{ decision: "approve" }}
          fields={reasonField}
          done={done}
        />
        <Act
          label="Reject"
          title="Reject this access request"
          does="The merchant may not use the currency, and may ask again."
          least="support"
          tone="danger"
          path={`/access-requests/${id}/review`}
          body={{ decision: "reject" }}
          fields={reasonField}
          done={done}
        />
      </>
    )}
    {state === "approved" && (
      <Act
        label="Revoke access"
        does="The merchant may no longer use the currency. Movements in progress continue."
        least="support"
        tone="danger"
        path={`/access-requests/${id}/revoke`}
        fields={reasonField}
        done={done}
      />
    )}
  </>
)

const CredentialActs = ({ of: { id, state }, done }: ActsProps) => (
  <>
    {state === "active" && (
      <Act
        label="Freeze"
        title="Freeze this credential"
        does="Deposits that arrive from now on are held for review."
        least="support"
        path={`/credentials/${id}/freeze`}
        done={done}
      />
    )}
    {state === "frozen" && (
      <Act
        label="Unfreeze"
        title="Unfreeze this credential"
        does="Deposits that arrive from now on are credited again. Held ones stay held."
        least="treasury"
        path={`/credentials/${id}/unfreeze`}
        done={done}
      />
    )}
    {state !== "disabled" && (
      <>
        <Act
          label="Forward balance"
          does="The whole balance is converted at the current rate and fee, and credited to the wallet."
          least="treasury"
          path={`/credentials/${id}/forward`}
          done={done}
        />
        <Act
          label="Disable"
          title="Disable this credential"
          does="Later deposits to it are held. It cannot be enabled again."
          least="treasury"
          tone="danger"
          path={`/credentials/${id}/disable`}
          done={done}
        />
      </>
    )}
  </>
)

const AddressActs = ({ of: { id, state }, done }: ActsProps) => (
  <>
    {state === "active" && (
      <Act
        label="Freeze"
        title="Freeze this deposit address"
        does="Deposits that arrive from now on are held for review."
        least="support"
        path={`/deposit-addresses/${id}/freeze`}
        done={done}
      />
    )}
    {state === "frozen" && (
      <Act
        label="Unfreeze"
        title="Unfreeze this deposit address"
        does="Deposits that arrive from now on are credited again. Held ones stay held."
        least="treasury"
        path={`/deposit-addresses/${id}/unfreeze`}
        done={done}
      />
    )}
  </>
)

const BrakeActs = ({ of: { id, state }, done }: ActsProps) =>
  state !== "active" ? null : (
    <Act
      label="Release"
      title="Release this brake"
      does="Submissions and refunds that no other brake covers go on."
      least="treasury"
      path={`/brakes/${id}/release`}
      done={done}
    />
  )

const actsByKind: Readonly<Record<string, ComponentType<ActsProps>>> = {
  deposit: DepositActs,
  exception: ExceptionActs,
  verification: VerificationActs,
  access_request: AccessRequestActs,
  wallet_credential: CredentialActs,
  deposit_address: AddressActs,
  brake: BrakeActs
}

/** The buttons for a resource: none where nothing can be done, or where the role may do nothing. */
export const Acts = (props: ActsProps) => {
  const ofKind = actsByKind[props.of.kind]
  if (ofKind === undefined) return null
  const Kind = ofKind
  return (
    <div class="acts">
      <Kind {...props} />
    </div>
  )
}
