/** The bank accounts that are linked at Circle. They are the account holder's own: Circle pays no others. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { AccountResolution } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { shareLoad } from "../../../protocol/shared.ts"
import { textOf } from "../company/answers.ts"
import { toStorableText } from "../company/client.ts"
import type { OpenCompany } from "../company/provider.ts"
import type { CircleCalls, LinkedWire } from "./calls.ts"

/** How long the list is used, milliseconds. */
const keepMs = 10_000

const readBankCountry = ({ bankAddress }: LinkedWire): string => textOf(bankAddress, "country") ?? "US"

/** Whether a number ends as the account of a bank does: Circle shows no more of it. */
const isNumberOf = ({ description }: LinkedWire, account_number: string): boolean => {
  const end = /\*+\s*(\w{2,8})$/.exec(description.trim())?.[1]
  return end !== undefined && account_number.replaceAll(/[\s-]/g, "").endsWith(end)
}

export const makeLinkedBanks = ({ directoryOf }: Pick<OpenCompany, "directoryOf">, { wires }: CircleCalls) => {
  const list = shareLoad(wires, keepMs, wallNow)
  const load = Effect.map(list.get, (all) =>
    all.map((wire) => ({
      ...{ code: wire.id, country_code: readBankCountry(wire) },
      name: toStorableText(wire.description, 100) ?? wire.id
    }))
  )
  /** The linked account by its id and number; undefined: there is none. */
  const find = (id: string, account_number: string): Effect.Effect<LinkedWire | undefined, ProviderFault> =>
    Effect.map(list.get, (all) => all.find((wire) => wire.id === id && isNumberOf(wire, account_number)))
  const directory = directoryOf(load, ({ account_number, bank }) =>
    Effect.map(find(bank.code, account_number), (wire): AccountResolution => {
      const account_name = wire === undefined ? null : textOf(wire.billingDetails, "name")
      return account_name === null ? { _tag: "unresolved" } : { _tag: "resolved", account_name }
    })
  )
  return { find, directory }
}

export type CircleBanks = ReturnType<typeof makeLinkedBanks>
