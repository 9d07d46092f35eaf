/** A receiver of OTLP/HTTP in JSON on loopback: what it got, and spans as a tree. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface AnyValue {
  readonly stringValue?: string
  readonly intValue?: string | number
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: ReadonlyArray<AnyValue> }
}
type KeyValues = ReadonlyArray<{ readonly key: string; readonly value: AnyValue }>

const plain = ({ arrayValue, boolValue, doubleValue, intValue, stringValue }: AnyValue): unknown =>
  arrayValue === undefined
    ? (stringValue ?? boolValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue)))
    : arrayValue.values.map(plain)
const attributesOf = (pairs: KeyValues): Readonly<Record<string, unknown>> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))

export interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: ReadonlyArray<{ readonly name: string }>
  readonly status: { readonly code: number; readonly message?: string }
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

export interface LogRecord {
  readonly body: unknown
  readonly severityText: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly traceId?: string
}

export interface OtlpReceiver {
  readonly url: string
  readonly spans: Array<Span>
  readonly logs: Array<LogRecord>
  /** The names of the metrics that were exported. */
  readonly metrics: Set<string>
  /** The attributes of the resource of each export. */
  readonly resources: Array<Readonly<Record<string, unknown>>>
  /** The headers of each export. */
  readonly headers: Array<Readonly<Record<string, unknown>>>
  /** The bodies, as they came. */
  readonly texts: Array<string>
  readonly close: () => Promise<void>
}

type Received = { readonly [name: string]: any }

/** Starts a receiver. */
export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const got = {
    spans: [],
    logs: [],
    metrics: new Set(),
    resources: [],
    headers: [],
    texts: []
  } as unknown as OtlpReceiver
  const take: Readonly<Record<string, (body: Received) => void>> = {
    "/v1/traces": ({ resourceSpans }) => {
      for (const { resource, scopeSpans } of resourceSpans) {
        got.resources.push(attributesOf(resource.attributes))
        for (const { spans } of scopeSpans)
          for (const span of spans) got.spans.push({ ...span, attributes: attributesOf(span.attributes) })
      }
    },
    "/v1/logs": ({ resourceLogs }) => {
      for (const { scopeLogs } of resourceLogs)
        for (const { logRecords } of scopeLogs)
          for (const record of logRecords)
            got.logs.push({ ...record, body: plain(record.body), attributes: attributesOf(record.attributes) })
    },
    "/v1/metrics": ({ resourceMetrics }) => {
      for (const { scopeMetrics } of resourceMetrics)
        for (const { metrics } of scopeMetrics) for (const { name } of metrics) got.metrics.add(name)
    }
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      got.texts.push(text)
      got.headers.push(request.headers)
      take[request.url ?? ""]?.(JSON.parse(text))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return Object.assign(got, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
}

const shown = [
  "corridor.operation",
  "http.response.status_code",
  "corridor.queue",
  "corridor.event_type",
  "corridor.provider",
  "corridor.commit.verdict"
]

/** Spans as text: each below its parent, by time; a link as the name of the span that it leads to. */
export const treeOf = (spans: ReadonlyArray<Span>): string => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const ordered = [...spans].sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
  const lineOf = (span: Span): string => {
    const details = shown.flatMap((name) =>
      span.attributes[name] === undefined ? [] : [String(span.attributes[name])]
    )
    const links = span.links.map(({ spanId }) => ` -> ${byId.get(spanId)?.name ?? spanId}`)
    const ms = Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6
    return `${[span.name, ...details].join(" ")} (${ms.toFixed(1)} ms)${links.join("")}`
  }
  const below = (span: Span, depth: number): ReadonlyArray<string> => [
    `${"  ".repeat(depth)}${lineOf(span)}`,
    ...ordered.filter(({ parentSpanId }) => parentSpanId === span.spanId).flatMap((child) => below(child, depth + 1))
  ]
  const isRoot = ({ parentSpanId }: Span) => parentSpanId === undefined || !byId.has(parentSpanId)
  return ordered
    .filter(isRoot)
    .flatMap((span) => below(span, 0))
    .join("\n")
}
