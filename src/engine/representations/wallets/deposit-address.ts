/** The `/v1` shape of a deposit address (ADDRESS-2). */
import { Schema } from "effect"
import type { DepositAddressData } from "../../../machines/wallets/deposit-address.ts"
import type { WalletSummary } from "../../../machines/parties/summaries.ts"
import type { Row } from "../../ports/Storage.ts"
import { describe } from "../../input/schemas.ts"
import {
  bodyOf,
  currencyCodeOf,
  idOf,
  labelBody,
  metadataBody,
  networkOf,
  orNull,
  providerResourceBody,
  textOf,
  times,
  wordOf
} from "../members.ts"
import { WalletSummaryBody } from "./wallet.ts"

export const depositAddressStatuses = ["pending", "active", "frozen", "disabled"] as const

export const DepositAddressBody = Schema.Struct({
  id: idOf("da", "The id of the deposit address."),
  type: wordOf(["crypto"], "`crypto`."),
  currency: currencyCodeOf("The currency of the wallet. Other tokens that are sent to the address are not credited."),
  wallet: describe(WalletSummaryBody, "The wallet that is credited."),
  metadata: metadataBody,
  details: Schema.Struct({
    network: networkOf("The network of the address: `base`, `ethereum` or `solana`."),
    address: orNull(
      textOf(
        "The address that the payer pays to. Null until it is issued.",
        "0x52908400098527886E0F7030069857D2E4169EE7"
      )
    )
  }).annotate({ identifier: "DepositAddressDetails", description: "What the payer needs." }),
  status: wordOf(depositAddressStatuses, "Whether it can receive.", {
    pending: "the provider has not issued it yet",
    active: "deposits to it are credited",
    frozen: "the operator withholds its deposits: they are held",
    disabled: "closed for ever: what still arrives is held"
  }),
  disabled_reason: orNull(textOf("The reason that was given when it was disabled. Null otherwise.", "Rotated")),
  provider_resource_id: providerResourceBody,
  label: labelBody,
  ...times
}).annotate({ identifier: "DepositAddress", description: "An address whose deposits are credited to a wallet." })
export type DepositAddressBody = typeof DepositAddressBody.Type

export const depositAddressBody = bodyOf(
  DepositAddressBody,
  ({ data: a }: Row<DepositAddressData>, wallet: WalletSummary) => ({
    type: "crypto" as const,
    wallet,
    details: { network: a.network, address: a.address }
  })
)
