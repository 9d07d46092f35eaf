/**
 * The served OpenAPI document as a judge: every answer a test gets is held against it. Objects that the document leaves
 * open to additions are closed here, so that a member nobody documented is found.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"

type Json = { [key: string]: any }

/** What was asked, and what came back. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly json: any
}

export const closeObjects = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== "object" || value === null) return value
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closeObjects(member)]))
  const isObject = typeof members["properties"] === "object" && members["additionalProperties"] === undefined
  return isObject && members["type"] === "object" ? { ...members, additionalProperties: false } : members
}

const methods = ["get", "post", "patch", "delete"] as const

export interface Operation {
  readonly id: string
  readonly method: string
  readonly template: string
  readonly operation: Json
}

/** Where a node of the document stands, and what it is once its references are followed. */
const locate = (document: Json, pointer: string): { readonly pointer: string; readonly node: Json | undefined } => {
  const names = pointer.split("/").slice(1)
  const node = names.reduce<any>((at, name) => at?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], document)
  return node?.$ref === undefined ? { pointer, node } : locate(document, node.$ref.slice(1))
}

/** A request's schema with what its references name. No request contains itself. */
const inlineRefs = (document: Json, value: unknown): any => {
  if (Array.isArray(value)) return value.map((one) => inlineRefs(document, one))
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...own } = value as Json
  const named = typeof $ref === "string" ? inlineRefs(document, locate(document, $ref.slice(1)).node) : {}
  return {
    ...named,
    ...Object.fromEntries(Object.entries(own).map(([key, member]) => [key, inlineRefs(document, member)]))
  }
}

export class Contract {
  readonly #document: Json
  readonly operations: ReadonlyArray<Operation>
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #routes: ReadonlyArray<readonly [RegExp, Operation]>

  constructor(document: Json) {
    this.#document = document
    const followed = (node: Json): Json =>
      node["$ref"] === undefined ? node : locate(document, node["$ref"].slice(1)).node!
    this.operations = Object.entries(document["paths"] as Json).flatMap(([template, item]) =>
      methods.flatMap((method) => {
        const operation = item[method] as Json | undefined
        if (operation === undefined) return []
        const parameters = (operation["parameters"] as Array<Json>).map(followed)
        return [
          {
            id: operation["operationId"],
            method: method.toUpperCase(),
            template,
            operation: { ...operation, parameters, requestBody: inlineRefs(document, operation["requestBody"]) }
          }
        ]
      })
    )
    // A literal segment goes before a parameter.
    this.#routes = [...this.operations]
      .sort((a, b) => a.template.split("{").length - b.template.split("{").length)
      .map((one) => [new RegExp(`^${one.template.replace(/\{\w+\}/g, "[^/]+")}$`), one])
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
    ;(formats as unknown as (ajv: Ajv2020) => void)(this.#ajv)
    this.#ajv.addSchema({
      $id: "doc",
      components: closeObjects(document["components"]),
      paths: closeObjects(document["paths"])
    })
  }

  operationOf(method: string, path: string): Operation | undefined {
    const [plain = ""] = path.split("?")
    return this.#routes.find(([pattern, one]) => one.method === method && pattern.test(plain))?.[1]
  }

  #validator(pointer: string): ValidateFunction {
    let validator = this.#validators.get(pointer)
    if (validator === undefined) {
      validator = this.#ajv.compile({ $ref: `doc#${pointer}` })
      this.#validators.set(pointer, validator)
    }
    return validator
  }

  /** Whether an answer is a file of a media type that the document has for it, with the id of the request. */
  #isFile({ headers, method, path, status }: Exchange): boolean {
    const template = this.operationOf(method, path)?.template
    const types = this.#document["paths"][template ?? ""]?.[method.toLowerCase()]?.responses[status]?.content ?? {}
    const type = headers.get("content-type")?.replace("; charset=utf-8", "") ?? ""
    return type !== "application/json" && types[type] !== undefined && headers.get("x-request-id") !== null
  }

  /** What an answer says that the document does not, one sentence each. */
  breaches(exchange: Exchange): ReadonlyArray<string> {
    const { method, path, status, headers, json } = exchange
    if (status === 200 && this.#isFile(exchange)) return []
    const found: Array<string> = []
    const one = this.operationOf(method, path)
    const pointed = (pointer: string): void => {
      const validate = this.#validator(pointer)
      if (validate(json)) return
      for (const error of validate.errors ?? []) {
        found.push(`${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`)
      }
    }
    if (one === undefined) {
      pointed("/components/schemas/Failure")
    } else {
      const escaped = one.template.replaceAll("~", "~0").replaceAll("/", "~1")
      const { pointer, node: documented } = locate(
        this.#document,
        `/paths/${escaped}/${method.toLowerCase()}/responses/${status}`
      )
      if (documented === undefined) {
        found.push(`the status ${status} (${json?.code}) is not documented`)
      } else {
        pointed(`${encodeURI(pointer)}/content/application~1json/schema`)
        const codes = documented["content"]["application/json"]["examples"] as Json
        if (status !== 200 && codes[json?.code] === undefined) {
          found.push(`the code ${json?.code} is not documented at ${status}`)
        }
      }
    }
    if (headers.get("x-request-id") !== json?.meta?.request_id) {
      found.push("X-Request-Id is not meta.request_id")
    }
    if (headers.get("content-type") !== "application/json") found.push("the content type is not application/json")
    if (status === 429 && !(Number(headers.get("retry-after")) >= 1)) found.push("429 has no Retry-After")
    return found.map((fault) => `${method} ${path} ${status}: ${fault}`)
  }
}

const contracts = new Map<string, Contract>()

/** The contract that a server serves; each document is read once. */
export const contractOf = async (base: string, send: typeof fetch = fetch): Promise<Contract> => {
  const text = await (await send(`${base}/openapi.json`)).text()
  const known = contracts.get(text) ?? new Contract(JSON.parse(text))
  contracts.set(text, known)
  return known
}
