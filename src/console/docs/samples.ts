/** Programs that call an operation, in three languages. Each runs as it is, with the token in the environment. */
import { example, exampleBody, isOperator, type Json, type Operation, parametersOf } from "./document.ts"

export const languages = ["curl", "TypeScript", "Python"] as const
export type Language = (typeof languages)[number]

interface Request {
  readonly url: string
  readonly method: string
  /** The variable that holds the token. */
  readonly token: string
  readonly isKeyed: boolean
  /** The body, as indented JSON. */
  readonly body: string | undefined
}

/** The path with example values. */
const pathOf = (spec: Json, operation: Operation): string =>
  parametersOf(spec, operation)
    .filter(({ place }) => place === "path")
    .reduce(
      (path, { name, schema }) => path.replace(`{${name}}`, encodeURIComponent(String(example(spec, schema)))),
      operation.path
    )

const requestOf = (spec: Json, base_url: string, operation: Operation): Request => {
  const body = exampleBody(operation)
  return {
    url: base_url + pathOf(spec, operation),
    method: operation.method,
    token: isOperator(operation) ? "CORRIDOR_OPERATOR_TOKEN" : "CORRIDOR_API_KEY",
    isKeyed: parametersOf(spec, operation).some(({ name }) => name === "Idempotency-Key"),
    body: body === undefined ? undefined : JSON.stringify(body, null, 2)
  }
}

/** A text in single quotes of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`)

const curl = ({ url, method, token, isKeyed, body }: Request): string =>
  [
    `curl -sS ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    `-H "Authorization: Bearer $${token}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...(isKeyed ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`])
  ].join(" \\\n  ")

const typescript = ({ url, method, token, isKeyed, body }: Request): string => {
  const headers = [
    `authorization: \`Bearer \${process.env.${token}}\``,
    ...(body === undefined ? [] : [`"content-type": "application/json"`]),
    ...(isKeyed ? [`"idempotency-key": crypto.randomUUID()`] : [])
  ]
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: {
    ${headers.join(",\n    ")}
  }${body === undefined ? "" : `,\n  body: JSON.stringify(${indented(body, "  ")})`}
})
const { data, code, message } = await response.json()
if (!response.ok) throw new Error(\`\${code}: \${message}\`)
console.log(data)`
}

/** JSON as a Python expression. */
const literal = (value: unknown, by = ""): string => {
  const inner = `${by}    `
  if (value === null) return "None"
  if (value === true) return "True"
  if (value === false) return "False"
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, inner)).join(", ")}]`
  if (typeof value !== "object") return JSON.stringify(value)
  const members = Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${literal(one, inner)}`)
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${by}}`
}

const python = ({ url, method, token, isKeyed, body }: Request): string => {
  const headers = [
    `"Authorization": "Bearer " + os.environ["${token}"]`,
    ...(body === undefined ? [] : [`"Content-Type": "application/json"`]),
    ...(isKeyed ? [`"Idempotency-Key": str(uuid.uuid4())`] : [])
  ]
  return `import json, os, urllib.error, urllib.request${isKeyed ? ", uuid" : ""}

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers={
        ${headers.join(",\n        ")}
    }${body === undefined ? "" : `,\n    data=json.dumps(${literal(JSON.parse(body), "    ")}).encode()`}
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response)["data"])
except urllib.error.HTTPError as error:
    failure = json.load(error)
    raise SystemExit(failure["code"] + ": " + failure["message"])`
}

const writers: { readonly [L in Language]: (request: Request) => string } = {
  curl,
  TypeScript: typescript,
  Python: python
}

/** A program that calls the operation with its example. `base_url` has no trailing slash. */
export const sampleOf = (spec: Json, base_url: string, operation: Operation, language: Language): string =>
  writers[language](requestOf(spec, base_url, operation))
