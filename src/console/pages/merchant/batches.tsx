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
import { formatNumber, rich, t } from "../../frame/language.ts"
import { queryOf, to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { allowMerchant, type Allowed, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { recipientColumn, statusColumn, Sums } from "../../parts/columns.tsx"
import { isZero } from "../../parts/decimal.ts"
import { Field } from "../../parts/field.tsx"
import { Download, FileField } from "../../parts/file.tsx"
import { byRecipient, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Listing, ListPage } from "../../parts/listing.tsx"
import { amountText, Money } from "../../parts/money.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { batchRowStatuses, batchStatuses, payoutStatuses } from "../../parts/vocabulary.ts"

const makeBatchUrl = (id: string): string => to(`/batches/${encodeURIComponent(id)}`)
const isMerchant = (): boolean => session.value?.type === "merchant"
/** Makes the API path of a batch: an operator reads those of all merchants. */
const makeBatchPath = (id: string): string => `${isMerchant() ? "" : "/operator"}/v1/batches/${id}`
const mayPay = (): Allowed => allowMerchant("developer", "admin")

const SumsOrNothing = ({ of }: { readonly of: Batch["totals"] }) =>
  of.length === 0 ? <span class="dim">{t("Nothing")}</span> : <Sums of={of} />

const listSums = ({ fees, received, totals }: Batch) =>
  [
    [t("Leaves the wallets"), <SumsOrNothing key="" of={totals} />],
    [t("Recipients receive"), <SumsOrNothing key="" of={received} />],
    [t("Fees"), <SumsOrNothing key="" of={fees} />]
  ] as const

/** What paying a batch will do: for the person who confirms it, and for the one who approves it. */
export const BatchEffect = ({ of: batch }: { readonly of: Batch }) => (
  <>
    <p>
      {t("Pays {count} row, each as a movement of its own.|Pays {count} rows, each as a movement of its own.", {
        count: batch.counts.valid
      })}
      {batch.counts.invalid > 0 && (
        <> {t("Leaves out {count} invalid row.|Leaves out {count} invalid rows.", { count: batch.counts.invalid })}</>
      )}
    </p>
    <Facts of={listSums(batch)} />
  </>
)

/** The sums of a batch and a link to its rows, for its approver. */
export const BatchSums = ({ id }: { readonly id: string }) => (
  <Show of={useLoad<Batch>(makeBatchPath(id))}>
    {(batch) => (
      <>
        <BatchEffect of={batch} />
        <p>
          <a href={makeBatchUrl(id)}>{t("Its rows")}</a>
        </p>
      </>
    )}
  </Show>
)

const quoteCell = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

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
 * Writes a CSV file to fill in: a row for each active recipient, with a wallet that can pay it and its name. Rows without an
 * amount are removed before the file is checked.
 */
const writeTemplate = (recipients: ReadonlyArray<Beneficiary>, wallets: ReadonlyArray<Wallet>): string => {
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
  return [templateColumns, ...rows].map((row) => row.map(quoteCell).join(",")).join("\r\n")
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
        href={`data:text/csv;charset=utf-8,${encodeURIComponent(writeTemplate(all, from))}`}
      >
        {t("Template as CSV")}
      </a>{" "}
      <span class="dim">
        {t("A row for each recipient, to fill in: amount of a transfer, target_amount of an offramp.")}
      </span>
    </p>
  )
}

/** A dialog that uploads a batch's file and checks it. `reference`: that of a batch whose file was corrected; a draft has not used it up. */
const CheckFile = ({ reference }: { readonly reference?: string }) => {
  const { route } = useLocation()
  return (
    <Action<CheckedBatch>
      label={reference === undefined ? t("Check a file") : t("Check the mended file")}
      does={t("Each row is checked as it would be decided now. Nothing is paid before you confirm.")}
      allowed={mayPay()}
      tone={reference === undefined ? "main" : "plain"}
      fields={
        <>
          {reference === undefined && <Template />}
          <FileField
            label={t("Payouts")}
            hint={t(
              "CSV whose header has the names of the members of a row: operation, wallet_id, beneficiary_id, amount, … Drop it here, or choose it."
            )}
            accept=".csv,text/csv"
          />
          <Field
            name="reference"
            label={t("Reference of the batch")}
            required
            maxLength={64}
            placeholder="payroll-2026-01"
            value={reference}
          />
        </>
      }
      request={(filled, file) => ({
        path: `/v1/batches${queryOf(filled)}`,
        file: file?.slice(0, file.size, "text/csv")
      })}
      done={({ data: { id } }) => route(makeBatchUrl(id))}
    />
  )
}

export const BatchesPage = () => (
  <ListPage<Batch>
    title={t("Batches")}
    lead={t("Up to 10,000 payouts that are checked together, and paid after you confirm.")}
    actions={<CheckFile />}
    filters={[byStatus(batchStatuses)]}
    path="/v1/batches"
    every={10}
    columns={[
      { title: t("Batch"), cell: ({ id, reference }) => <a href={makeBatchUrl(id)}>{reference}</a> },
      { title: t("Made"), cell: ({ created_at }) => <Time at={created_at} /> },
      statusColumn,
      {
        title: t("Rows"),
        align: "right",
        cell: ({ counts: { invalid, rows } }) => (
          <>
            {formatNumber(rows)}
            {invalid > 0 && <div class="dim">{t("{count} invalid|{count} invalid", { count: invalid })}</div>}
          </>
        )
      },
      { title: t("Leaves the wallets"), align: "right", cell: ({ totals }) => <SumsOrNothing of={totals} /> }
    ]}
    empty={[t("There is no batch yet"), t("Check a file of payouts to make one.")]}
    unmatched={t("No batch matches")}
  />
)

const Progress = ({ of: { counts: n, status } }: { readonly of: Batch }) => {
  const done = n.created + n.failed
  const text = t("{done} of {count} valid row|{done} of {count} valid rows", { done, count: n.valid })
  return status !== "processing" ? null : (
    <p>
      {text} <progress value={done} max={Math.max(n.valid, 1)} aria-label={text} />
    </p>
  )
}

/** The statuses of a batch's movements, those that wait for approval apart. Each read takes all of them. */
const Movements = ({ of: id }: { readonly of: string }) => {
  const { answer } = useLoad<BatchSummary>(`${makeBatchPath(id)}/summary`, { every: 10 })
  return (
    <span class="in-words">
      {answer.value?.data.movements.map(({ awaits_approval, count, resource_status, totals }) => {
        const query = queryOf({ resource_status, awaits_approval: String(awaits_approval) })
        const waiting = count === 1 ? t("waits for approval") : t("wait for approval")
        return (
          <div key={query}>
            <a class="counted" href={`${makeBatchUrl(id)}${query}`}>
              {formatNumber(count)} {awaits_approval ? waiting : words(resource_status).toLowerCase()}
            </a>{" "}
            <span class="dim">{totals.map(({ amount, currency }) => amountText(amount, currency)).join(", ")}</span>
          </div>
        )
      })}
    </span>
  )
}

const acts = [
  ["confirm", t("Pay the valid rows"), "main"],
  ["cancel", t("Cancel the batch"), "danger"]
] as const

const BatchCard = ({ of: batch }: { readonly of: CheckedBatch }) => {
  const { counts: n, id, status } = batch
  const path = `${isMerchant() ? "" : "/operator"}/v1/approvals?status=pending&operation=batch&resource_id=${id}`
  const approvals = useLoad<ReadonlyArray<Approval>>(status === "draft" ? path : null, { every: 3 })
  const waits = status === "draft" && (approvals.answer.value?.data.length ?? 0) > 0
  const does = {
    confirm: <BatchEffect of={batch} />,
    cancel: t("What has not begun is stopped. Rows that have become movements stay as they are.")
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
          <Download path={`${makeBatchPath(id)}/rows`} query={{ format: "csv" }} name={`${batch.reference}.csv`}>
            {t("Results as CSV")}
          </Download>
        </div>
      }
    >
      <Progress of={batch} />
      <Facts
        of={[
          [
            t("Status"),
            <span key="">
              <StatusPill status={status} /> {waits && <a href={to("/approvals")}>{t("Waits for another person")}</a>}
            </span>
          ],
          [
            t("Rows"),
            <span key="" class="in-words">
              {rich("{rows}: {valid} valid, {invalid}, {created} created, {failed} failed", {
                ...n,
                invalid:
                  n.invalid === 0 ? (
                    t("{count} invalid|{count} invalid", { count: 0 })
                  ) : (
                    <a href={`${makeBatchUrl(id)}?status=invalid`}>
                      {t("{count} invalid|{count} invalid", { count: n.invalid })}
                    </a>
                  )
              })}
            </span>
          ],
          ...(n.created > 0 ? ([[t("Their movements"), <Movements key="" of={id} />]] as const) : []),
          ...listSums(batch),
          [t("Id"), <Id key="" id={id} href={null} copy />]
        ]}
      />
    </Card>
  )
}

export const BatchPage = () => {
  const id = encodeURIComponent(useRoute().params["id"] ?? "")
  const batch = useLoad<CheckedBatch>(makeBatchPath(id), { every: 2 })
  return (
    <Page title={t("Batch")} lead={t("Rows count from 1, after the header.")}>
      <Show of={batch}>{(found) => <BatchCard of={found} />}</Show>
      <Listing<BatchRow>
        filters={[
          { name: "status", label: t("Row"), options: batchRowStatuses },
          byRecipient,
          { name: "resource_status", label: t("Its movement"), options: payoutStatuses },
          {
            name: "awaits_approval",
            label: t("Waits for approval"),
            options: [
              ["true", t("Yes")],
              ["false", t("No")]
            ]
          }
        ]}
        caption={t("Rows")}
        path={`${makeBatchPath(id)}/rows`}
        every={5}
        keyOf={({ row }) => String(row)}
        columns={[
          { title: t("Row"), align: "right", cell: ({ row }) => row },
          {
            title: t("Status"),
            cell: ({ awaits_approval, resource_status, status }) => (
              <StatusPill status={awaits_approval ? "waits_for_approval" : (resource_status ?? status)} />
            )
          },
          {
            title: t("What is wrong"),
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
            title: t("Reference"),
            cell: ({ reference, resource_id }) => (
              <>
                {reference} {resource_id !== null && <Id id={resource_id} brief />}
              </>
            )
          },
          recipientColumn,
          {
            title: t("Leaves"),
            align: "right",
            cell: (row) => <Money amount={row.source_amount} currency={row.source_currency} />
          },
          {
            title: t("Recipient receives"),
            align: "right",
            cell: (row) => <Money amount={row.received_amount} currency={row.destination_currency} />
          }
        ]}
        empty={[t("No row matches"), t("Change or clear the filters.")]}
      />
    </Page>
  )
}
