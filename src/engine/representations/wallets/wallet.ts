/** The `/v1` shape of a wallet (WALLET-1). */
import { Schema } from "effect"
import { available, held, reserved } from "../../../machines/kernel/ledger.ts"
import type { CustomerSummary } from "../../../machines/parties/summaries.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { StoredAccount, Row } from "../../ports/Storage.ts"
import { describe } from "../../input/schemas.ts"
import {
  amountOf,
  bodyOf,
  countryOf,
  currencyCodeOf,
  fitToSchema,
  idOf,
  labelBody,
  metadataBody,
  networkOf,
  orNull,
  times,
  wordOf
} from "../members.ts"
import { CustomerSummaryBody } from "../parties/customer.ts"

export const WalletSummaryBody = Schema.Struct({
  id: idOf("wal", "The id of the wallet."),
  currency: currencyCodeOf("The currency of the wallet."),
  label: labelBody
}).annotate({ identifier: "WalletSummary", description: "The wallet, as of the creation of what shows it." })

export const storedWallet = fitToSchema(WalletSummaryBody)

const BalanceBody = Schema.Struct({
  available: amountOf("What can be spent.", "975.00"),
  reserved: amountOf("What movements have reserved and not spent yet.", "25.00"),
  held: amountOf("What has arrived and is withheld for a review.", "0.00")
}).annotate({
  identifier: "Balance",
  description:
    "The balances of the wallet, in its currency, with its decimal places and more if the exact amount has more."
})

export const WalletBody = Schema.Struct({
  id: idOf("wal", "The id of the wallet."),
  customer_id: idOf("cust", "The customer that the wallet belongs to."),
  customer: describe(CustomerSummaryBody, "The customer that the wallet belongs to."),
  type: wordOf(["crypto", "fiat"], "Whether it holds crypto or fiat."),
  currency: currencyCodeOf("The currency of the wallet."),
  country_code: orNull(countryOf("The country of the currency. Null for crypto and for EUR.")),
  network: networkOf(
    "The network that transfers are paid on: the one given at creation, or else that of the newest active credential in the wallet's currency, or else `solana`; `bank` for fiat."
  ),
  label: labelBody,
  balance: BalanceBody,
  metadata: metadataBody,
  ...times
}).annotate({ identifier: "Wallet", description: "A balance in one currency for one customer." })
export type WalletBody = typeof WalletBody.Type

/** The accounts that make up a wallet's balance. */
export const listWalletAccounts = (id: string): ReadonlyArray<string> => [available(id), reserved(id), held(id)]

export const walletSummary = bodyOf(WalletSummaryBody, (_: Row<WalletData>) => ({}))

export const walletBody = bodyOf(
  WalletBody,
  ({ id, data }: Row<WalletData>, customer: CustomerSummary, accounts: ReadonlyMap<string, StoredAccount>) => {
    const balance = (account: string): string => displayAmount(accounts.get(account)?.balance ?? "0", data.currency)
    return {
      customer,
      balance: { available: balance(available(id)), reserved: balance(reserved(id)), held: balance(held(id)) }
    }
  }
)
