/** The specimen of a deposit that is not in its wallet's currency: USDC through a credential of a wallet of naira. */
import type { DepositData, DepositExchange, DepositPrice } from "../../../src/machines/deposits/deposit.ts"
import type { CustomerSummary, WalletSummary } from "../../../src/machines/parties/summaries.ts"

const address = "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"

/** The deposit before it has a price, what it buys, and its exchange once that is known. */
export const crossingOf = (deposit: DepositData, wallet: WalletSummary, customer: CustomerSummary) => {
  const unpriced: DepositExchange = {
    destination_currency: "NGN",
    price: null,
    wallet: { ...wallet, currency: "NGN" },
    customer,
    credential: {
      id: "wcr_1",
      type: "crypto",
      currency: "USDC",
      network: "base",
      label: null,
      metadata: {},
      provider_resource_id: "cdw_1",
      details: { network: "base", address }
    }
  }
  const price: DepositPrice = {
    rate: "1492.5",
    source_amount: "1234567",
    gateway_fee: "10000",
    destination_amount: "182741",
    network_fee: "41",
    received_amount: "182700",
    residue: "3"
  }
  const priced: DepositExchange = { ...unpriced, price }
  const crossing: DepositData = { ...deposit, source_type: "credential", source_id: "wcr_1", exchange: unpriced }
  return { crossing, price, priced }
}
