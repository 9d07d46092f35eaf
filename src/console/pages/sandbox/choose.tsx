/** A choice among what exists: the options are read from the API. */
import type {
  CryptoCredentialDetails,
  DepositAddress,
  FiatCredentialDetails,
  Wallet,
  WalletCredential
} from "../../../client/generated/resources.ts"
import { useLayoutEffect, useState } from "preact/hooks"
import { t } from "../../frame/language.ts"
import { useLoad } from "../../frame/load.ts"
import { Select } from "../../parts/field.tsx"
import { amountText } from "../../parts/money.tsx"
import { type Picked, PickField } from "../../parts/pick.tsx"
import { FailureView } from "../../parts/states.tsx"

export interface ChooseProps<Row> {
  readonly name: string
  readonly label: string
  /** The list of the API. */
  readonly path: string
  readonly valueOf: (row: Row) => string
  readonly textOf: (row: Row) => string
  /** What finds others by their names, where there are many. */
  readonly pick?: Picked
  /** What to do when there is none. */
  readonly none: string
  readonly onValue?: ((value: string) => void) | undefined
}

/** The most options. With more, others are found by their names. */
const most = 200

export const Choose = <Row,>({ name, label, path, valueOf, textOf, pick, none, onValue }: ChooseProps<Row>) => {
  const loaded = useLoad<ReadonlyArray<Row>>(`${path}${path.includes("?") ? "&" : "?"}per_page=${most}`)
  const answer = loaded.answer.value
  const first = answer?.data[0]
  const initial = first === undefined ? "" : valueOf(first)
  // Before anyone can choose: later, it would undo the choice.
  useLayoutEffect(() => onValue?.(initial), [initial])
  if (loaded.error.value !== undefined) return <FailureView error={loaded.error.value} retry={loaded.reload} />
  if (answer === undefined) return <p class="dim">{t("Loading…")}</p>
  if (answer.data.length === 0) return <p class="late">{none}</p>
  const isMany = answer.meta.has_more === true
  const about = { name, label, onValue }
  if (isMany && pick !== undefined) return <PickField {...about} of={pick} required />
  return (
    <Select
      {...about}
      hint={isMany ? t("The newest {most} of {total}.", { most, total: answer.meta.total ?? most }) : undefined}
      choices={answer.data.map((row) => [valueOf(row), textOf(row)] as const)}
    />
  )
}

/** Where money can arrive at a wallet. */
type Place = DepositAddress | WalletCredential

const formatWallet = ({ balance, currency, customer, label, network }: Wallet): string =>
  t("{name}: {currency} on {network}, {amount}", {
    name: label ?? customer.name,
    currency,
    network,
    amount: amountText(balance.available, currency)
  })

const formatPlace = ({ currency, details, label, status }: Place): string => {
  const { accountNumber, address, bankName, network }: Partial<CryptoCredentialDetails & FiatCredentialDetails> =
    details ?? {}
  return [label, currency, network ?? bankName, address ?? accountNumber ?? status]
    .filter((part) => part !== null && part !== undefined)
    .join(" · ")
}

export const ChooseWallet = (props: Pick<ChooseProps<Wallet>, "name" | "label" | "onValue">) => (
  <Choose<Wallet>
    {...props}
    path="/v1/wallets"
    pick="wallet"
    valueOf={({ id }) => id}
    textOf={formatWallet}
    none={t("There is no wallet. Create one with POST /v1/wallets.")}
  />
)

/** A choice of a wallet, and then of one of its deposit addresses or bank accounts. */
export const ChoosePlace = ({
  label,
  path,
  name,
  of,
  none
}: Pick<ChooseProps<Place>, "label" | "path" | "name" | "none"> & {
  /** What the place is called; `label` is that of the wallet. */
  readonly of: string
}) => {
  const [wallet, setWallet] = useState("")
  return (
    <>
      <ChooseWallet name="of_wallet" label={label} onValue={setWallet} />
      {wallet !== "" && (
        <Choose<Place>
          key={wallet}
          name={name}
          label={of}
          path={`/v1/wallets/${wallet}/${path}`}
          valueOf={({ id }) => id}
          textOf={formatPlace}
          none={none}
        />
      )}
    </>
  )
}
