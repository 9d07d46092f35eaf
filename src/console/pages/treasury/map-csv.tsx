/** A CSV of a bank, mapped by looking at its first rows: each column is said what it is, and the first lines are read at once. */
import type {
  BankStatement,
  ExternalAccount,
  PreviewedLine,
  StatementMapping,
  StatementPreview
} from "../../../client/generated/resources.ts"
import { useEffect, useState } from "preact/hooks"
import { rich, t } from "../../frame/language.ts"
import { ApiError, call, toApiError } from "../../frame/api.ts"
import { queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { type Allowed, allowOperator } from "../../frame/session.ts"
import { Action, Needs } from "../../parts/action.tsx"
import { Choices, Field, Select } from "../../parts/field.tsx"
import { FileField } from "../../parts/file.tsx"
import { Money } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Empty, FailureView } from "../../parts/states.tsx"
import { TableView } from "../../parts/table.tsx"
import { accountName } from "./external-accounts.tsx"
import { Taken } from "./reconciliation.tsx"
import { Said } from "../../parts/said.tsx"

const path = "/operator/v1/statement-mappings"

/** What a column can be, with words of banks for it. The first that a name has is offered. */
const members: ReadonlyArray<readonly [member: string, label: string, named: RegExp | undefined]> = [
  ["value_on", t("Value date"), /value|valuta|valeur/i],
  ["booked_on", t("Booking date"), /date|datum|buchung/i],
  ["debit", t("Money out"), /debit|withdraw|money out|paid out|soll|débit/i],
  ["credit", t("Money in"), /credit|deposit|money in|paid in|haben|crédit/i],
  ["amount", t("Amount with a sign"), /amount|betrag|montant/i],
  ["balance", t("Balance after the row"), /balance|saldo|solde/i],
  ["direction", t("In or out, in words"), /^(?:dr\/?cr|cr\/?dr|type|s\/h)$/i],
  ["currency", t("Currency"), /currency|währung|devise/i],
  ["bank_reference", t("Bank's reference"), /reference|referenz|référence|\bref\b/i],
  ["end_to_end_id", t("Payer's reference"), /end.?to.?end/i],
  ["counterparty_name", t("Name of the other side"), /payee|payer|beneficiary|name/i],
  ["counterparty_account", t("Account of the other side"), /iban|account/i],
  ["remittance", t("Text"), /description|narration|details|text|zweck|libellé/i],
  ["transaction_hash", t("Transaction hash"), /hash/i],
  ["code", t("Kind of booking"), undefined]
]

type Cells = ReadonlyArray<string>

/** What each column is offered as: no member twice. */
const offer = (names: Cells): Cells => {
  const taken = new Set<string>()
  return names.map((name) => {
    const [member = ""] = members.find(([one, , named]) => named?.test(name.trim()) === true && !taken.has(one)) ?? []
    if (member !== "") taken.add(member)
    return member
  })
}

const startBytes = 192 * 1024

/** The beginning of a file up to a whole row, in base64. */
const startOf = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.slice(0, startBytes).arrayBuffer())
  const whole = file.size > bytes.length ? bytes.subarray(0, bytes.lastIndexOf(10) + 1) : bytes
  let text = ""
  for (const byte of whole) text += String.fromCharCode(byte)
  return btoa(text)
}

interface Choices {
  readonly separator: string
  readonly decimal: string
  readonly thousands: string
  readonly dates: string
  readonly header: string
  readonly credit: string
  readonly debit: string
}

/** The mapping that the pickers say. A column is named where a row names it once, else it is a place. */
const mappingOf = (
  columns: Cells,
  names: Cells,
  { credit, dates, debit, decimal, header, separator, thousands }: Choices
) => {
  const columnAt = (at: number): string | number => {
    const name = names[at]?.trim() ?? ""
    return header === "" || name === "" || names.filter((one) => one.trim() === name).length > 1 ? at + 1 : name
  }
  const placesOf = (member: string) => columns.flatMap((one, at) => (one === member ? [columnAt(at)] : []))
  const chosen = [...new Set(columns)].filter((member) => member !== "")
  return {
    columns: Object.fromEntries(
      chosen.map((member) => [member, placesOf(member).length > 1 ? placesOf(member) : placesOf(member)[0]])
    ),
    ...{ separator, decimal, dates, header: header !== "" },
    ...(thousands === "" ? {} : { thousands }),
    ...(columns.includes("direction")
      ? {
          words: {
            credit: credit.split(",").map((word) => word.trim()),
            debit: debit.split(",").map((word) => word.trim())
          }
        }
      : {})
  }
}

const Lines = ({ of: { count, fault, lines } }: { readonly of: StatementPreview }) => (
  <Card title={t("What is read")} flush={fault === null}>
    {fault !== null ? (
      <p class="late" role="status">
        <Said>{fault.message}</Said>
      </p>
    ) : (
      <TableView<PreviewedLine>
        caption={t("The first of {count} line|The first of {count} lines", { count })}
        rows={lines}
        keyOf={({ place }) => place}
        empty={[t("No line is read yet"), t("Say which column is the date, and which is the amount.")]}
        columns={[
          { title: t("Booked"), cell: ({ booked_on }) => booked_on },
          {
            title: t("Amount"),
            align: "right",
            cell: ({ amount, currency, direction }) => {
              const money = <Money amount={amount} currency={currency} />
              return direction === "debit" ? rich("Out {money}", { money }) : rich("In {money}", { money })
            }
          },
          { title: t("Reference"), cell: (line) => line.bank_reference ?? line.end_to_end_id },
          { title: t("Name"), cell: ({ counterparty }) => counterparty.name },
          { title: t("Text"), cell: ({ remittance }) => remittance }
        ]}
      />
    )}
  </Card>
)

const decimals = [
  [".", "1234.56"],
  [",", "1234,56"]
] as const
const thousandsChoices = [
  ["", t("None, or a space")],
  [",", "1,234"],
  [".", "1.234"],
  ["'", "1'234"]
] as const
const dateChoices = [
  ["ymd", t("Year, month, day")],
  ["dmy", t("Day, month, year")],
  ["mdy", t("Month, day, year")]
] as const
const separatorChoices = [
  [",", t("Comma")],
  [";", t("Semicolon")],
  ["\t", t("Tab")],
  ["|", t("Bar")]
] as const

/** How amounts, dates and rows are written, as a person reads it off the first rows. */
const ChoiceFields = ({
  choices,
  columns,
  rows,
  set
}: {
  readonly choices: Choices
  readonly columns: Cells
  readonly rows: StatementPreview["rows"]
  readonly set: (changed: Partial<Choices>) => void
}) => (
  <>
    <div class="filters">
      {(
        [
          ["separator", t("Between columns"), separatorChoices],
          ["decimal", t("Amounts"), decimals],
          ["thousands", t("Thousands"), thousandsChoices],
          ["dates", t("Dates"), dateChoices],
          [
            "header",
            t("Names of the columns"),
            [["", t("No row has them")], ...rows.map(({ line }) => [`${line}`, t("Line {line}", { line })] as const)]
          ]
        ] as const
      ).map(([name, label, among]) => (
        <Select
          key={name}
          name={name}
          label={label}
          value={choices[name]}
          choices={among}
          onValue={(value) => set({ [name]: value })}
        />
      ))}
    </div>
    {columns.includes("direction") && (
      <>
        <Field
          name="credit"
          label={t("Words for what came in")}
          value={choices.credit}
          onValue={(credit) => set({ credit })}
        />
        <Field
          name="debit"
          label={t("Words for what went out")}
          value={choices.debit}
          onValue={(debit) => set({ debit })}
        />
      </>
    )}
  </>
)

/** The first rows, below what each column is said to be. */
const FirstRows = ({
  columns,
  header,
  rows,
  setColumns
}: {
  readonly columns: Cells
  /** The line of the row that names the columns; 0: none does. */
  readonly header: number
  readonly rows: StatementPreview["rows"]
  readonly setColumns: (columns: Cells) => void
}) => {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("The first rows of the file")}>
      <table>
        <caption class="unseen">{t("The first rows of the file")}</caption>
        <thead>
          <tr>
            {Array.from({ length: width }, (_, at) => (
              <th key={at} scope="col">
                <Choices
                  attributes={{ "aria-label": t("Column {number}", { number: at + 1 }) }}
                  choices={[["", t("Not used")], ...members.map(([member, label]) => [member, label] as const)]}
                  value={columns[at] ?? ""}
                  onValue={(value) =>
                    setColumns(Array.from({ length: width }, (_, one) => (one === at ? value : (columns[one] ?? ""))))
                  }
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cells, line }) => (
            <tr key={line}>
              {Array.from({ length: width }, (_, at) => (
                <td key={at}>{line === header ? <strong>{cells[at]}</strong> : cells[at]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The row with the most texts is likely the one that names the columns. */
const headerIn = (rows: StatementPreview["rows"]): StatementPreview["rows"][number] | undefined =>
  rows.toSorted((a, b) => b.cells.filter(Boolean).length - a.cells.filter(Boolean).length)[0]

/** Keeps the mapping, and takes the file by it. */
const Keep = ({
  account,
  allowed,
  file,
  mapping
}: {
  readonly account: string
  readonly allowed: Allowed
  readonly file: File | undefined
  readonly mapping: object
}) => (
  <Action<StatementMapping>
    label={t("Keep the mapping and take the file")}
    does={t("The mapping is kept for the account and never changes. The file is then taken whole, or refused whole.")}
    allowed={allowed}
    tone="main"
    fields={<Field name="name" label={t("Name of the mapping")} required maxLength={255} value={file?.name ?? ""} />}
    request={({ name }) => ({ path, body: { name, external_account_id: account, ...mapping } })}
    done={({ data }) => file && <TakeBy file={file} mapping={data} />}
  />
)

const lead = t(
  "Choose the bank's file, say what its columns are, and see its first lines as they are read. Nothing is taken before you say so."
)

export const MapCsvPage = () => {
  const accounts = useLoad<ReadonlyArray<ExternalAccount>>("/operator/v1/external-accounts?status=active&per_page=200")
  const [account, setAccount] = useState("")
  const [file, setFile] = useState<File | undefined>()
  const [preview, setPreview] = useState<StatementPreview | undefined>()
  const [columns, setColumns] = useState<Cells>([])
  const [choices, setChoices] = useState<Choices | undefined>()
  const [error, setError] = useState<ApiError | undefined>()
  const role = allowOperator("treasury")
  const header = choices === undefined ? 0 : Number(choices.header)
  const names = preview?.rows.find(({ line }) => line === header)?.cells ?? []
  const mapping = choices === undefined ? undefined : mappingOf(columns, names, choices)
  const asked = JSON.stringify([account, mapping])
  const set = (changed: Partial<Choices>): void => choices && setChoices({ ...choices, ...changed })

  useEffect(() => {
    if (file === undefined || account === "") return
    let isLast = true
    const read = async (): Promise<void> => {
      const start = await startOf(file)
      const { data } = await call<StatementPreview>(`${path}/preview`, {
        body: {
          external_account_id: account,
          start,
          ...(columns.some((one) => one !== "") && mapping ? { mapping } : { separator: choices?.separator })
        }
      })
      if (!isLast) return
      setError(undefined)
      setPreview(data)
      if (choices !== undefined) return
      const likely = headerIn(data.rows)
      setColumns(offer(likely?.cells ?? []))
      setChoices({
        ...{ separator: data.separator, decimal: ".", thousands: "", dates: "ymd", credit: "CR", debit: "DR" },
        header: String(likely?.line ?? "")
      })
    }
    read().catch((failure: unknown) => {
      if (isLast) setError(toApiError(failure))
    })
    return () => void (isLast = false)
  }, [file, asked])

  const choose = (chosen: File | undefined): void => {
    setFile(chosen)
    setPreview(undefined)
    setChoices(undefined)
    setColumns([])
  }
  return (
    <Page
      title={t("Map a CSV")}
      lead={lead}
      actions={
        mapping !== undefined && (
          <Keep {...{ account, file, mapping }} allowed={preview?.fault === null && preview.count > 0 && role} />
        )
      }
    >
      <Card title={t("The file")}>
        {role !== true ? (
          <Needs acts={[t("Map a CSV")]} role={role} />
        ) : (
          <form onSubmit={(event) => event.preventDefault()}>
            <Select
              name="external_account_id"
              label={t("Account")}
              value={account}
              onValue={setAccount}
              choices={[
                ["", t("Choose")],
                ...(accounts.answer.value?.data ?? []).map((one) => [one.id, accountName(one)] as const)
              ]}
            />
            <FileField
              label={t("CSV file")}
              hint={t("As the bank made it.")}
              accept=".csv,.txt,text/csv"
              onFile={choose}
            />
            {choices !== undefined && <ChoiceFields {...{ choices, columns, set }} rows={preview?.rows ?? []} />}
          </form>
        )}
        {error !== undefined && <FailureView error={error} />}
      </Card>
      {preview === undefined || choices === undefined ? (
        <Empty title={t("No file is shown")}>{t("Choose an account and its file.")}</Empty>
      ) : (
        <>
          <Card title={t("Its first rows")} flush>
            <FirstRows {...{ columns, header, setColumns }} rows={preview.rows} />
          </Card>
          <Lines of={preview} />
        </>
      )}
    </Page>
  )
}

/** Takes the file by the mapping that was just kept, once. */
const TakeBy = ({ file, mapping }: { readonly file: File; readonly mapping: StatementMapping }) => {
  const [taken, setTaken] = useState<ReadonlyArray<BankStatement> | ApiError | undefined>()
  useEffect(() => {
    void call<ReadonlyArray<BankStatement>>(`/operator/v1/statements${queryOf({ mapping: mapping.id })}`, { file })
      .then(({ data }) => data, toApiError)
      .then(setTaken)
  }, [])
  return taken === undefined ? (
    <p role="status">{t("The file is taken…")}</p>
  ) : taken instanceof ApiError ? (
    <FailureView error={taken} />
  ) : (
    <Taken of={taken} />
  )
}
