/** Commands of the provider port as requests of the protocol. */
import type {
  AccountQuery,
  Bank,
  ConversionCommand,
  Destination,
  InstructCommand,
  IssueCommand,
  Originator,
  PayoutCommand,
  RefundCommand,
  ScreeningCommand,
  VerificationCommand
} from "../../../engine/ports/Provider.ts"
import { instantOf } from "../../../protocol/fields.ts"
import type { InputOf } from "../../../protocol/operations.ts"

const originatorOf = (party: Originator | null): InputOf<"payout">["originator"] =>
  party === null
    ? null
    : {
        ...party,
        address:
          party.address === null
            ? null
            : {
                ...party.address,
                line2: party.address.line2 ?? null,
                state: party.address.state ?? null,
                postal_code: party.address.postal_code ?? null
              }
      }

/** `bank_code`: the code of the bank of a fiat destination, for the connector, which does not know Corridor's ids of banks. */
export const destinationOf = (destination: Destination, bank_code: string | null): InputOf<"screen">["destination"] =>
  destination.type === "crypto" ? destination : { ...destination, bank_code }

export const payoutOf = (command: PayoutCommand, bank_code: string | null): InputOf<"payout"> => ({
  ...command,
  originator: originatorOf(command.originator),
  destination: destinationOf(command.destination, bank_code)
})

export const conversionOf = (command: ConversionCommand): InputOf<"conversion"> => ({
  ...command,
  originator: originatorOf(command.originator)
})

export const issueOf = (command: IssueCommand): InputOf<"issue"> => command

export const instructionOf = (command: InstructCommand): InputOf<"instruction"> => ({
  ...command,
  expires_at: instantOf(command.expires_at)
})

export const refundOf = (command: RefundCommand): InputOf<"refund"> => command

export const verificationOf = (command: VerificationCommand): InputOf<"verification"> => command

export const screenOf = (command: ScreeningCommand, bank_code: string | null): InputOf<"screen"> => ({
  merchant_id: command.merchant_id,
  resource_id: command.resource_id,
  name: command.name,
  destination: destinationOf(command.destination, bank_code)
})

const bankOf = ({ code, name, country_code }: Bank): InputOf<"resolve_account">["bank"] => ({
  code,
  name,
  country_code
})

export const accountOf = (account: AccountQuery): InputOf<"resolve_account"> => ({
  ...account,
  bank: bankOf(account.bank)
})
