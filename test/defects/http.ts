/** Defects of the server: settings, telemetry, the log, the console's session. */
import { of, type TestedDefect } from "./defect.ts"

export const http: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/http/config/settings.ts",
    ["test/http/process/config.test.ts", "test/http/process/config-file.test.ts"],
    ["writes are limited as reads", `"limits.writes"`, `"limits.reads"`],
    [
      "the address of the documents is that of the server",
      `"CORRIDOR_DOCS_URL", "docsUrl"`,
      `"CORRIDOR_PUBLIC_URL", "baseUrl"`
    ]
  ),
  ...of(
    "src/http/config/settings.ts",
    ["test/http/process/config-telemetry.test.ts"],
    [
      "metrics are sent as often as traces",
      `"OTEL_METRIC_EXPORT_INTERVAL", "telemetry.metricIntervalMs"`,
      `"OTEL_BSP_SCHEDULE_DELAY", "telemetry.traceIntervalMs"`
    ]
  ),
  ...of(
    "src/engine/input/schemas.ts",
    ["test/http/process/config.test.ts", "test/embedded/options.test.ts"],
    ["several URLs are one", " || /,\\s*postgres(?:ql)?:\\/\\//.test(value)", ""]
  ),
  ...of(
    "src/adapters/storage/sql/connections.ts",
    ["test/adapters/storage/cells-hosts.test.ts"],
    ["all connections begin with one host", "(begin + tries++)", "tries++"],
    ["hosts that all refuse are tried for ever", "tries === hosts.length ? [host]", "tries < 0 ? [host]"],
    ["a connection that ended keeps one host", "onclose: () => {\n      tries = 0", "onclose: () => {"],
    ["a standby is a server", 'target_session_attrs: "primary" as const', "target_session_attrs: undefined"]
  ),
  ...of(
    "src/http/config/telemetry.ts",
    ["test/http/process/config-telemetry.test.ts"],
    [
      "headers of a signal are those of all",
      "headers: special ?? headers ?? none",
      "headers: headers ?? special ?? none"
    ],
    [
      "a signal that is off is exported",
      "target === undefined || !is_exported ? undefined",
      "target === undefined ? undefined"
    ],
    ["logs alone are not exported", "[traces, metrics, logs].every(", "[traces, metrics].every("],
    ["what is disabled is exported", "if (disabled || [traces", "if ([traces"]
  ),
  ...of(
    "src/http/observability/layer.ts",
    [
      "test/http/observability/traces.test.ts",
      "test/http/observability/log.test.ts",
      "test/http/observability/redaction.test.ts",
      "test/http/observability/sampling.test.ts",
      "test/http/process/config-telemetry.test.ts",
      "test/http/observability/export-failures.test.ts"
    ],
    [
      "metrics are sent to the receiver of traces",
      "OtlpMetrics.make(options(metrics, metric_interval_ms))",
      "OtlpMetrics.make(options(traces ?? metrics, metric_interval_ms))"
    ]
  ),
  ...of(
    "src/http/observability/sampled-tracer.ts",
    ["test/http/observability/sampling.test.ts"],
    [
      "a parent's sampling is not followed",
      "const above = isParentBased ? (parent ??",
      "const above = false ? (parent ??"
    ],
    ["a link's sampling is not followed", "(parent ?? options.links[0]?.span)", "parent"]
  ),
  ...of(
    "src/http/observability/log-line.ts",
    [
      "test/http/observability/traces.test.ts",
      "test/http/observability/log.test.ts",
      "test/http/observability/redaction.test.ts"
    ],
    ["an operator's token is logged", "sk_test|sk_live|whsec|op)_", "sk_test|sk_live|whsec)_"],
    ["a live key is logged", "sk_test|sk_live|whsec|op)_", "sk_test|whsec|op)_"],
    ["a Basic credential is logged", `\\b(Bearer|Basic)\\s`, `\\b(Bearer)\\s`],
    ["an IBAN is logged", `  [/\\b[A-Z]{2}\\d{2}[A-Z0-9]{10,30}\\b/g, "…"],`, ""]
  ),
  ...of(
    "src/http/observability/requests.ts",
    [
      "test/http/observability/traces.test.ts",
      "test/http/observability/log.test.ts",
      "test/http/observability/redaction.test.ts"
    ],
    [
      "a span of a request names the request as its operation",
      `"corridor.operation": facts.operation`,
      `"corridor.operation": facts.request_id`
    ],
    [
      "a span of a request has no status",
      "span !== undefined && setAttributes(span, {",
      "span === undefined && setAttributes(span!, {"
    ],
    ["a refusal is a failed span", "status >= 500 ? (facts()", "status >= 400 ? (facts()"],
    ["a request has no parent", "...(parent === undefined ? {} : { parent }),", ""]
  ),
  ...of(
    "src/http/observability/log-line.ts",
    [
      "test/http/observability/traces.test.ts",
      "test/http/observability/log.test.ts",
      "test/http/observability/redaction.test.ts"
    ],
    ["a line has the trace as its span", "span_id: span.spanId", "span_id: span.traceId"],
    ["a line has no error", "...(cause.reasons.length === 0 ? {} : { error: Cause.pretty(cause) }),", ""]
  ),
  ...of(
    "src/http/console/session.ts",
    ["test/http/requests/console-session.test.ts"],
    [
      "a change needs no token of the form",
      `request.method !== "GET" && !sameText(`,
      `request.method === "PUT" && !sameText(`
    ],
    [
      "an empty token signs in",
      `typeof token === "string" && token.length > 0 && token.length <= 512`,
      `typeof token === "string" && token.length <= 512`
    ]
  ),
  ...of(
    "src/http/console/session.ts",
    ["test/http/requests/sign-ins.test.ts", "test/http/requests/console-session.test.ts"],
    ["one failure more is free", "found.count < failuresMax", "found.count <= failuresMax"],
    ["failures count for ever", "found !== undefined && now - found.since < windowMs", "found !== undefined"]
  ),
  ...of(
    "src/http/console/session.ts",
    ["test/http/requests/console-session.test.ts"],
    [
      "another site may send",
      `site !== undefined && site !== "same-origin" &&`,
      `site !== undefined && site === "cross-site" && site !== "same-origin" &&`
    ],
    ["the host is not regarded", `|| sent.host === request.headers["host"]`, ""]
  ),
  ...of(
    "src/http/envelope-server.ts",
    ["test/http/process/connections.test.ts"],
    ["a defect in a handler ends the process", "this.#failed(request, response, defect)", "throw defect"],
    [
      "a response that was begun is followed by another",
      "if (response.headersSent) request.socket.destroy()\n    else this.respond",
      "if (!response.headersSent) this.respond"
    ]
  ),
  ...of(
    "src/http/serve/composition.ts",
    ["test/http/process/name-match.test.ts"],
    ["the variable of name matches goes nowhere", "nameMatch: config.name_match,", ""]
  ),
  ...of(
    "src/embedded/layer.ts",
    ["test/http/process/name-match.test.ts"],
    [
      "the option of name matches goes nowhere",
      "nameMatch === undefined ? Layer.empty : Layer.succeed(NameMatchPolicy, nameMatch)",
      "Layer.empty"
    ]
  )
]
