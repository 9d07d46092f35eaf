/** Programs that call an operation, in three languages. Each runs as it is, with the token in the environment. */
import { merchant, merchants, operator, sandbox } from "../../client/generated/operations.ts"
import {
  makeSchemaExample,
  readExampleBody,
  isOperator,
  type Json,
  type DocumentedOperation,
  listParameters
} from "./document.ts"

export const languages = ["curl", "TypeScript", "Python"] as const
export type Language = (typeof languages)[number]

interface Request {
  readonly base_url: string
  readonly path: string
  readonly method: string
  /** The variable that holds the token. */
  readonly token: string
  /** How its idempotency key begins. `undefined`: it takes none. */
  readonly key: string | undefined
  readonly body: unknown
  /** Whether the body is a file. */
  readonly isFile: boolean
  /** The call of the client for TypeScript: its method, and its arguments without options. */
  readonly call: { readonly name: string; readonly args: ReadonlyArray<unknown> }
}

interface Table {
  readonly [name: string]: string | Table
}

/** Lists the methods of the client by verb and path, each with whether it takes an input. */
const listMethods = (
  table: Table,
  under: string
): ReadonlyArray<readonly [string, { readonly name: string; readonly takesInput: boolean }]> =>
  Object.entries(table).flatMap(([name, entry]) => {
    if (typeof entry !== "string") return listMethods(entry, `${under}${name}.`)
    const [verb = "", path = "", input] = entry.split(" ")
    const takesInput = input === "input" || input === "dated"
    const method = verb === "LIST" || verb === "FEED" ? "GET" : verb
    return [[`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`, { name: under + name, takesInput }]]
  })
const clientMethods = new Map([
  ...listMethods(merchant, "corridor."),
  ...listMethods(sandbox, "corridor.sandbox."),
  ...listMethods(merchants, "operator.merchants."),
  ...listMethods(operator, "operator.")
])

const makeSampleRequest = (spec: Json, base_url: string, operation: DocumentedOperation): Request => {
  const body = readExampleBody(operation)
  const parameters = listParameters(spec, operation)
  const valuesOf = (where: string): ReadonlyArray<readonly [string, unknown]> =>
    parameters
      .filter(({ isRequired, place }) => place === where && isRequired)
      .map(({ name, schema }) => [name, makeSchemaExample(spec, schema)])
  const ids = valuesOf("path")
  const query = valuesOf("query")
  const path = ids.reduce(
    (path, [name, value]) => path.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path
  )
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]))
  const { name, takesInput } = clientMethods.get(`${operation.method} ${operation.path}`)!
  const input = operation.method === "GET" ? (query.length === 0 ? undefined : Object.fromEntries(query)) : body
  return {
    base_url,
    path: query.length === 0 ? path : `${path}?${search}`,
    method: operation.method,
    token: isOperator(operation) ? "CORRIDOR_OPERATOR_TOKEN" : "CORRIDOR_API_KEY",
    key: parameters.some(({ name }) => name === "Idempotency-Key") ? operation.id : undefined,
    body,
    isFile: operation.node["requestBody"]?.content?.["application/octet-stream"] !== undefined,
    call: { name, args: [...ids.map(([, value]) => value), ...(takesInput && input !== undefined ? [input] : [])] }
  }
}

/** The file that samples send. */
const fileName = "statement.xml"

/** Quotes a text for a POSIX shell. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Writes the sample in curl. It makes its idempotency key before the request, so that a repeat of the request repeats the key. */
const writeCurl = ({ base_url, path, method, token, isFile, key, body }: Request): string =>
  (key === undefined ? "" : `KEY=${key}-$(date +%s)-$$\n`) +
  [
    `curl -sS ${method === "GET" ? "" : `-X ${method} `}${quoteForShell(base_url + path)}`,
    `-H "Authorization: Bearer $${token}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...(isFile ? [`-H 'Content-Type: application/octet-stream'`] : []),
    ...(key === undefined ? [] : [`-H "Idempotency-Key: $KEY"`]),
    ...(isFile ? [`--data-binary @${fileName}`] : []),
    ...(body === undefined ? [] : [`-d ${quoteForShell(JSON.stringify(body, null, 2))}`])
  ].join(" \\\n  ")

/** How values are written in a language, and how far a level is indented. */
interface Syntax {
  readonly indent: string
  readonly words: Readonly<Record<string, string>>
  readonly key: (name: string) => string
}

const javaScript: Syntax = {
  indent: "  ",
  words: {},
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))
}
const pythonic: Syntax = {
  indent: "    ",
  words: { null: "None", true: "True", false: "False" },
  key: (name) => JSON.stringify(name)
}

/** Formats JSON as an expression of a language. */
const formatLiteral = (value: unknown, syntax: Syntax, by = ""): string => {
  const inner = by + syntax.indent
  if (Array.isArray(value)) return `[${value.map((one) => formatLiteral(one, syntax, inner)).join(", ")}]`
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value)
    return syntax.words[text] ?? text
  }
  const members = Object.entries(value).map(
    ([name, one]) => `${inner}${syntax.key(name)}: ${formatLiteral(one, syntax, inner)}`
  )
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${by}}`
}

const clientPackage = "corridor/client"
const fileModule = "node:fs/promises"

const writeTypescript = ({ base_url, token, call, isFile, key }: Request): string => {
  const [client = ""] = call.name.split(".")
  const isMerchant = client === "corridor"
  const make = isMerchant ? "createClient" : "createOperatorClient"
  const args = isFile
    ? [`{ file: await readFile(${JSON.stringify(fileName)}) }`]
    : call.args.map((value) => formatLiteral(value, javaScript))
  const options = key === undefined ? [] : ["{ idempotencyKey }"]
  return `${isFile ? `import { readFile } from ${JSON.stringify(fileModule)}\n` : ""}import { ${make} } from ${JSON.stringify(clientPackage)}

const ${client} = ${make}({
  baseUrl: ${JSON.stringify(base_url)},
  ${isMerchant ? "apiKey" : "token"}: process.env.${token} ?? ""
})

${key === undefined ? "" : `const idempotencyKey = \`${key}-\${crypto.randomUUID()}\`\n`}const result = await ${call.name}(${[...args, ...options].join(", ")})
console.log(result)`
}

const writePython = ({ base_url, path, method, token, isFile, key, body }: Request): string => {
  const headers = [
    `"Authorization": "Bearer " + os.environ["${token}"]`,
    ...(body === undefined ? [] : [`"Content-Type": "application/json"`]),
    ...(isFile ? [`"Content-Type": "application/octet-stream"`] : []),
    ...(key === undefined ? [] : [`"Idempotency-Key": key`])
  ]
  return `import json, os, urllib.error, urllib.request${key === undefined ? "" : `, uuid\n\nkey = "${key}-" + str(uuid.uuid4())`}
${key === undefined ? "\n" : ""}request = urllib.request.Request(
    ${JSON.stringify(base_url + path)},
    method=${JSON.stringify(method)},
    headers={
        ${headers.join(",\n        ")}
    }${isFile ? `,\n    data=open(${JSON.stringify(fileName)}, "rb").read()` : ""}${body === undefined ? "" : `,\n    data=json.dumps(${formatLiteral(body, pythonic, "    ")}).encode()`}
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response)["data"])
except urllib.error.HTTPError as error:
    failure = json.load(error)
    raise SystemExit(failure["code"] + ": " + failure["message"])`
}

const writers: { readonly [L in Language]: (request: Request) => string } = {
  curl: writeCurl,
  TypeScript: writeTypescript,
  Python: writePython
}

/** Writes a program that calls the operation with its example. `base_url` has no trailing slash. */
export const writeSample = (spec: Json, base_url: string, operation: DocumentedOperation, language: Language): string =>
  writers[language](makeSampleRequest(spec, base_url, operation))
