/** Batches: a file of payouts that is checked, confirmed and paid row by row. */
import type {
  Approval,
  Batch,
  BatchRow,
  BatchSummary,
  Beneficiary,
  CheckedBatch,
  Wallet
} from "../../../client/generated/resources.ts"
import { useLocation, useRoute } from "preact-iso"
import { queryOf, to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { allowMerchant, type Allowed, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { recipientColumn } from "../../parts/columns.tsx"
import { isZero } from "../../parts/decimal.ts"
import { Field } from "../../parts/field.tsx"
import { Download, FileField } from "../../parts/file.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Listing, ListPage } from "../../parts/listing.tsx"
import { amountText, Money } from "../../parts/money.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { counted, words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { batchRowStatuses, batchStatuses, payoutStatuses } from "../../parts/vocabulary.ts"

const batchHref = (id: string): string => to(`/batches/${encodeURIComponent(id)}`)
const isMerchant = (): boolean => session.value?.type === "merchant"
/** Where the session reads a batch: an operator reads those of all merchants. */
const batchPath = (id: string): string => `${isMerchant() ? "" : "/operator"}/v1/batches/${id}`
const mayPay = (): Allowed => allowMerchant("developer", "admin")

const Sums = ({ of }: { readonly of: Batch["totals"] }) =>
  of.length === 0 ? (
    <span class="dim">Nothing</span>
  ) : (
    of.map((one) => (
      <div key={one.currency}>
        <Money {...one} />
      </div>
    ))
  )

const sumsOf = ({ fees, received, totals }: Batch) =>
  [
    ["Leaves the wallets", <Sums key="" of={totals} />],
    ["Recipients receive", <Sums key="" of={received} />],
    ["Fees", <Sums key="" of={fees} />]
  ] as const

/** What the payment of a batch does: for who confirms it, and for who approves it. */
export const BatchPays = ({ of: batch }: { readonly of: Batch }) => (
  <>
    <p>
      Pays {counted(batch.counts.valid, "row")}, each as a movement of its own.
      {batch.counts.invalid > 0 && ` Leaves out ${counted(batch.counts.invalid, "invalid row")}.`}
    </p>
    <Facts of={sumsOf(batch)} />
  </>
)

/** What somebody approves who approves a batch: its sums, and the way to its rows. */
export const BatchOf = ({ id }: { readonly id: string }) => (
  <Show of={useLoad<Batch>(batchPath(id))}>
    {(batch) => (
      <>
        <BatchPays of={batch} />
        <p>
          <a href={batchHref(id)}>Its rows</a>
        </p>
      </>
    )}
  </Show>
)

const quote = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

const templateColumns = [
  "operation",
  "wallet_id",
  "beneficiary_id",
  "amount",
  "target_amount",
  "reference",
  "metadata.recipient"
]

/**
 * A file to fill in: a row for each active recipient, with a wallet that can pay it and its name. Rows without an amount are removed before
 * the file is checked.
 */
const templateOf = (recipients: ReadonlyArray<Beneficiary>, wallets: ReadonlyArray<Wallet>): string => {
  const rows = recipients.flatMap(({ currency, customer_id, details, id, name, type }) => {
    const network = (details as { readonly network?: string }).network
    const able = wallets.filter((one) =>
      type === "crypto" ? one.currency === currency && one.network === network : one.type === "crypto"
    )
    // A wallet pays the recipients of its own customer, and those of the default customer.
    const own = able.filter((one) => one.customer_id === customer_id)
    const from = own.length > 0 ? own : able
    const wallet = from.find(({ balance }) => !isZero(balance.available)) ?? from[0]
    return wallet === undefined
      ? []
      : [[type === "crypto" ? "transfer" : "offramp", wallet.id, id, "", "", "", name.replace(/^[=+\-@]/, "'$&")]]
  })
  return [templateColumns, ...rows].map((row) => row.map(quote).join(",")).join("\r\n")
}

const Template = () => {
  const recipients = useLoad<ReadonlyArray<Beneficiary>>("/v1/beneficiaries?status=active&per_page=200")
  const wallets = useLoad<ReadonlyArray<Wallet>>("/v1/wallets?per_page=200")
  const [all, from] = [recipients.answer.value?.data, wallets.answer.value?.data]
  return all === undefined || from === undefined ? null : (
    <p>
      <a
        class="button"
        download="payouts.csv"
        href={`data:text/csv;charset=utf-8,${encodeURIComponent(templateOf(all, from))}`}
      >
        Template as CSV
      </a>{" "}
      <span class="dim">A row for each recipient, to fill in: amount of a transfer, target_amount of an offramp.</span>
    </p>
  )
}

/** `reference`: that of a batch whose file was mended. A draft has not taken it. */
const CheckFile = ({ reference }: { readonly reference?: string }) => {
  const { route } = useLocation()
  return (
    <Action<CheckedBatch>
      label={reference === undefined ? "Check a file" : "Check the mended file"}
      does="Each row is checked as it would be decided now. Nothing is paid before you confirm."
      allowed={mayPay()}
      tone={reference === undefined ? "main" : "plain"}
      fields={
        <>
          {reference === undefined && <Template />}
          <FileField
            label="Payouts"
            hint="CSV whose header has the names of the members of a row: operation, wallet_id, beneficiary_id, amount, … Drop it here, or choose it."
            accept=".csv,text/csv"
          />
          <Field
            name="reference"
            label="Reference of the batch"
            required
            maxLength={64}
            placeholder="payroll-2026-01"
            value={reference}
          />
        </>
      }
      request={(filled, file) => ({
        path: `/v1/batches${queryOf(filled)}`,
        ...(file === undefined ? {} : { file: file.slice(0, file.size, "text/csv") })
      })}
      done={({ data: { id } }) => route(batchHref(id))}
    />
  )
}

export const BatchesPage = () => (
  <ListPage<Batch>
    title="Batches"
    lead="Up to 10,000 payouts that are checked together, and paid after you confirm."
    actions={<CheckFile />}
    filters={[byStatus(batchStatuses)]}
    path="/v1/batches"
    every={10}
    columns={[
      { title: "Batch", cell: ({ id, reference }) => <a href={batchHref(id)}>{reference}</a> },
      { title: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
      { title: "Status", cell: ({ status }) => <StatusPill status={status} /> },
      {
        title: "Rows",
        align: "right",
        cell: ({ counts: { invalid, rows } }) => (
          <>
            {rows.toLocaleString("en")}
            {invalid > 0 && <div class="dim">{invalid.toLocaleString("en")} invalid</div>}
          </>
        )
      },
      { title: "Leaves the wallets", align: "right", cell: ({ totals }) => <Sums of={totals} /> }
    ]}
    empty={["There is no batch yet", "Check a file of payouts to make one."]}
    unmatched="No batch matches"
  />
)

const Progress = ({ of: { counts: n, status } }: { readonly of: Batch }) => {
  const done = n.created + n.failed
  const text = `${done.toLocaleString("en")} of ${counted(n.valid, "valid row")}`
  return status !== "processing" ? null : (
    <p>
      {text} <progress value={done} max={Math.max(n.valid, 1)} aria-label={text} />
    </p>
  )
}

/** What has become of the movements of a batch, what waits for approval apart. Each read takes all of them. */
const Movements = ({ of: id }: { readonly of: string }) => {
  const { answer } = useLoad<BatchSummary>(`${batchPath(id)}/summary`, { every: 10 })
  return (
    <span class="in-words">
      {answer.value?.data.movements.map(({ awaits_approval, count, resource_status, totals }) => {
        const query = queryOf({ resource_status, awaits_approval: String(awaits_approval) })
        const waiting = count === 1 ? "waits for approval" : "wait for approval"
        return (
          <div key={query}>
            <a class="counted" href={`${batchHref(id)}${query}`}>
              {count.toLocaleString("en")} {awaits_approval ? waiting : words(resource_status).toLowerCase()}
            </a>{" "}
            <span class="dim">{totals.map(({ amount, currency }) => amountText(amount, currency)).join(", ")}</span>
          </div>
        )
      })}
    </span>
  )
}

const acts = [
  ["confirm", "Pay the valid rows", "main"],
  ["cancel", "Cancel the batch", "danger"]
] as const

const BatchCard = ({ of: batch }: { readonly of: CheckedBatch }) => {
  const { counts: n, id, status } = batch
  const path = `${isMerchant() ? "" : "/operator"}/v1/approvals?status=pending&operation=batch&resource_id=${id}`
  const approvals = useLoad<ReadonlyArray<Approval>>(status === "draft" ? path : null, { every: 3 })
  const waits = status === "draft" && (approvals.answer.value?.data.length ?? 0) > 0
  const does = {
    confirm: <BatchPays of={batch} />,
    cancel: "What has not begun is stopped. Rows that have become movements stay as they are."
  }
  return (
    <Card
      title={batch.reference}
      actions={
        <div class="acts">
          {acts
            .filter(
              ([act]) =>
                isMerchant() &&
                (act === "confirm" ? status === "draft" && n.valid > 0 : status === "draft" || status === "processing")
            )
            .map(([act, label, tone]) => (
              <Action<CheckedBatch>
                key={act}
                label={label}
                does={does[act]}
                allowed={!(act === "confirm" && waits) && mayPay()}
                tone={tone}
                request={() => ({ path: `/v1/batches/${id}/${act}`, body: {} })}
              />
            ))}
          {isMerchant() && status === "draft" && n.invalid > 0 && !waits && <CheckFile reference={batch.reference} />}
          <Download path={`${batchPath(id)}/rows`} query={{ format: "csv" }} name={`${batch.reference}.csv`}>
            Results as CSV
          </Download>
        </div>
      }
    >
      <Progress of={batch} />
      <Facts
        of={[
          [
            "Status",
            <span key="">
              <StatusPill status={status} /> {waits && <a href={to("/approvals")}>Waits for another person</a>}
            </span>
          ],
          [
            "Rows",
            <span key="" class="in-words">
              {n.rows}: {n.valid} valid,{" "}
              {n.invalid === 0 ? "0 invalid" : <a href={`${batchHref(id)}?status=invalid`}>{n.invalid} invalid</a>},{" "}
              {n.created} created, {n.failed} failed
            </span>
          ],
          ...(n.created > 0 ? ([["Their movements", <Movements key="" of={id} />]] as const) : []),
          ...sumsOf(batch),
          ["Id", <Id key="" id={id} href={null} copy />]
        ]}
      />
    </Card>
  )
}

export const BatchPage = () => {
  const id = encodeURIComponent(useRoute().params["id"] ?? "")
  const batch = useLoad<CheckedBatch>(batchPath(id), { every: 2 })
  return (
    <Page title="Batch" lead="Rows count from 1, after the header.">
      <Show of={batch}>{(found) => <BatchCard of={found} />}</Show>
      <Listing<BatchRow>
        filters={[
          { name: "status", label: "Row", options: batchRowStatuses },
          { name: "resource_status", label: "Its movement", options: payoutStatuses },
          {
            name: "awaits_approval",
            label: "Waits for approval",
            options: [
              ["true", "Yes"],
              ["false", "No"]
            ]
          }
        ]}
        caption="Rows"
        path={`${batchPath(id)}/rows`}
        every={5}
        keyOf={({ row }) => String(row)}
        columns={[
          { title: "Row", align: "right", cell: ({ row }) => row },
          {
            title: "Status",
            cell: ({ awaits_approval, resource_status, status }) => (
              <StatusPill status={awaits_approval ? "waits_for_approval" : (resource_status ?? status)} />
            )
          },
          {
            title: "What is wrong",
            cell: ({ errors, resource_failure_reason }) => (
              <>
                {errors.map(({ code, field, message }) => (
                  <div key={field + code}>
                    <code>{field}</code>
                    {message.startsWith(`${field} `) ? message.slice(field.length) : `: ${message}`}
                  </div>
                ))}
                {resource_failure_reason}
              </>
            )
          },
          {
            title: "Reference",
            cell: ({ reference, resource_id }) => (
              <>
                {reference} {resource_id !== null && <Id id={resource_id} brief />}
              </>
            )
          },
          recipientColumn,
          {
            title: "Leaves",
            align: "right",
            cell: (row) => <Money amount={row.source_amount} currency={row.source_currency} />
          },
          {
            title: "Recipient receives",
            align: "right",
            cell: (row) => <Money amount={row.received_amount} currency={row.destination_currency} />
          }
        ]}
        empty={["No row matches", "Change or clear the filters."]}
      />
    </Page>
  )
}
