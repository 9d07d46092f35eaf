/** The metadata of deposits: the merchant's, of the address or account that the money came to, and the payer's details (DEPOSIT-16). */
import type { PayinEvent } from "../../ports/Provider.ts"
import type { Row } from "../../ports/Storage.ts"
import type { Issued } from "./payin-target.ts"

/** What a provider reports of a payer, and a hold says, as metadata. A merchant's own metadata does not speak for them. */
const reservedKeys = [
  "from_address",
  "sender_name",
  "sender_bank",
  "sender_account_number",
  "narration",
  "hold_reason"
] as const

/** The payer's details as metadata. Omits what the provider did not report (DEPOSIT-13, DEPOSIT-14). */
const payer = ({ from_address, narration, sender }: PayinEvent): Readonly<Record<string, string>> => {
  const reported: ReadonlyArray<readonly [(typeof reservedKeys)[number], string | null | undefined]> = [
    ["from_address", from_address],
    ["sender_name", sender?.name],
    ["sender_bank", sender?.bank],
    ["sender_account_number", sender?.account_number],
    ["narration", narration]
  ]
  return Object.fromEntries(reported.filter(([, value]) => (value ?? "").trim() !== "")) as Record<string, string>
}

/** The metadata of a deposit: that of the address or account that it came to, and the payer's details */
export const depositMetadata = (
  issued: Pick<Row<Issued>, "data"> | undefined,
  event?: PayinEvent
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(issued?.data.metadata ?? {}).filter(
      ([key]) => !(reservedKeys as ReadonlyArray<string>).includes(key)
    )
  ),
  ...(event === undefined ? {} : payer(event))
})
