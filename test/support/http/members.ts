/** The members of the OpenAPI document: of parameters, bodies, responses and events, each with its place. */
type Json = { readonly [key: string]: any }

export interface Member {
  /** The schema or operation that has it, and its name: `Transfer.amount`. */
  readonly at: string
  readonly name: string
  /** A JSON pointer to its schema. */
  readonly pointer: string
  /** Its words, and its schema with references followed. */
  readonly description: string | undefined
  readonly examples: ReadonlyArray<unknown>
  readonly schema: Json
  /** The schemas of its values, alternatives and references followed. */
  readonly values: ReadonlyArray<Json>
}

export class Document {
  readonly #document: Json
  readonly #seen = new Set<Json>()
  readonly members: Array<Member> = []

  constructor(document: Json) {
    this.#document = document
    const items = (["paths", "webhooks"] as const).flatMap((place) =>
      Object.entries<Json>(document[place]).map(
        ([path, item]) => [`/${place}/${path.replaceAll("~", "~0").replaceAll("/", "~1")}`, item] as const
      )
    )
    for (const [path, item] of items) {
      for (const [method, operation] of Object.entries<Json>(item)) {
        const pointer = `${path}/${method}`
        const id = operation["operationId"] as string
        operation["parameters"].forEach((given: Json, at: number) => {
          const parameter = this.follow(given)
          const place = (given["$ref"] as string | undefined)?.slice(1) ?? `${pointer}/parameters/${at}`
          const { description, schema } = parameter
          this.#member(`${id}?${parameter["name"]}`, parameter["name"], `${place}/schema`, { ...schema, description })
        })
        for (const [place, node] of [["requestBody", operation], ...this.#responses(operation)] as const) {
          const schema = this.follow(node[place] ?? node)?.["content"]?.["application/json"]?.schema
          if (schema !== undefined) this.#walk(id, `${pointer}/${place}/content/application~1json/schema`, schema)
        }
      }
    }
    for (const [name, schema] of Object.entries<Json>(document["components"].schemas))
      this.#walk(name, `/components/schemas/${name}`, schema)
  }

  #responses(operation: Json): ReadonlyArray<readonly [string, Json]> {
    return Object.entries<Json>(operation["responses"]).map(([status, one]) => [
      `responses/${status}`,
      this.follow(one)
    ])
  }

  follow(node: Json): Json {
    const ref = node?.["$ref"] as string | undefined
    if (ref === undefined) return node
    return this.follow(
      ref
        .split("/")
        .slice(1)
        .reduce<any>((at, key) => at[key], this.#document)
    )
  }

  valuesOf(node: Json): ReadonlyArray<Json> {
    const schema = this.follow(node)
    const among = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<Json> | undefined
    return among === undefined ? [schema] : among.flatMap((one) => this.valuesOf(one))
  }

  #member(at: string, name: string, pointer: string, node: Json): void {
    const schema = this.follow(node)
    const { description = schema["description"], examples = schema["examples"] ?? [] } = node
    this.members.push({ at, name, pointer, description, examples, schema, values: this.valuesOf(node) })
  }

  #walk(at: string, pointer: string, node: Json): void {
    if (node["$ref"] !== undefined || this.#seen.has(node)) return
    this.#seen.add(node)
    for (const [name, member] of Object.entries<Json>(node["properties"] ?? {})) {
      const place = `${pointer}/properties/${name}`
      this.#member(`${at}.${name}`, name, place, member)
      this.#walk(`${at}.${name}`, place, member)
    }
    for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"])
      (node[key] ?? []).forEach((one: Json, i: number) => this.#walk(at, `${pointer}/${key}/${i}`, one))
    for (const key of ["items", "additionalProperties"])
      if (typeof node[key] === "object") this.#walk(`${at}[]`, `${pointer}/${key}`, node[key])
  }
}
