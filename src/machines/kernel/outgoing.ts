/** Money that moves from a wallet or a credential to a provider, and the account that holds it at each step. */
import { type AccountId, clearing, ownerOf, type Posting, posting, reserved } from "./ledger.ts"
import { post } from "./outcome.ts"
import { handOver, type Payout } from "./payout.ts"

/**
 * The money of one movement. `account` is guarded. The `reserved` account of its owner holds the money until
 * submission.
 */
export interface Outgoing {
  readonly account: AccountId
  readonly provider: string
  /** Minor units. */
  readonly amount: string
  readonly currency: string
}

/**
 * The actions that move the money:
 *
 * - `reserve`: at creation, into the owner's `reserved` account.
 * - `release`: back from there, when nothing is submitted.
 * - `submit`: into the provider's clearing account.
 * - `handOver`: from there into the clearing account of the next provider, when the movement goes to that one.
 * - `giveBack`: back from there, when the provider has not paid it out.
 * - `suspend`: from there into `suspense`, when the provider cannot give it back.
 */
export const outgoing = <Data extends Payout>(of: (data: Data) => Outgoing) => {
  const move = (between: (money: Outgoing) => readonly [debit: AccountId, credit: AccountId]) =>
    post((data: Data): ReadonlyArray<Posting> => {
      const money = of(data)
      return posting(...between(money), money.amount, money.currency)
    })
  const setAside = ({ account }: Outgoing): AccountId => reserved(ownerOf(account))
  return {
    reserve: move((money) => [money.account, setAside(money)]),
    release: move((money) => [setAside(money), money.account]),
    submit: move((money) => [setAside(money), clearing(money.provider)]),
    handOver: handOver(of),
    giveBack: move((money) => [clearing(money.provider), money.account]),
    suspend: move((money) => [clearing(money.provider), "suspense"])
  }
}
