/** `corridor create RESOURCE` */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { usageFailure } from "../failure.ts"
import { readFileBytes } from "../files.ts"
import { makeOptionalTextFlag } from "../globals.ts"
import { asDryRun, asEither, openEitherApi, printAct } from "../server/api.ts"
import { fieldsFlag, chooseFields, requireOperation, makeResourceArgument } from "../server/resources.ts"

type Json = { [name: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses JSON. Errors: `CommandFailure` with exit code 2 for a text that is not JSON. */
const parseJson = (text: string, where: string) =>
  Effect.try({ try: () => JSON.parse(text) as unknown, catch: () => usageFailure(`${where} is no JSON.`) })

/** Sets a member of a body by its dotted name. `false`: a parent of the name is not an object. */
const setMember = (body: Json, name: string, value: unknown): boolean => {
  const parts = name.split(".")
  let at = body
  for (const part of parts.slice(0, -1)) {
    if (!Object.hasOwn(at, part)) at[part] = {}
    const next = at[part]
    if (!isObject(next)) return false
    at = next
  }
  Object.defineProperty(at, parts.at(-1)!, { value, enumerable: true, configurable: true, writable: true })
  return true
}

export const create = Command.make(
  "create",
  {
    resource: makeResourceArgument("create"),
    set: Flag.KeyValuePair("set").pipe(
      Flag.withMetavar("NAME=TEXT"),
      Flag.withDescription(
        "A member of the body, dotted where nested: details.network=bank; NAME:=JSON for what is no text, such as retry_on_failure:=true; may be repeated"
      ),
      Flag.optional
    ),
    body: makeOptionalTextFlag("body", "FILE", "A JSON file with the body; --set adds to it"),
    idempotencyKey: makeOptionalTextFlag(
      "idempotency-key",
      "KEY",
      "Repeated with the same key and body, the command makes nothing again; default a new one"
    ),
    fields: fieldsFlag,
    ...asDryRun,
    ...asEither
  },
  Effect.fnUntraced(function* ({ body: file, dryRun, fields, idempotencyKey, resource, set, ...given }) {
    const api = yield* openEitherApi(given)
    const operation = yield* requireOperation(api.credential, "create", resource)
    const { names, rowsIn } = yield* chooseFields(operation, resource, fields, (all) => all)
    const text = Option.isSome(file) ? new TextDecoder().decode(yield* readFileBytes(file.value)) : "{}"
    const body = yield* parseJson(
      text,
      Option.getOrElse(file, () => "--body")
    )
    if (!isObject(body)) return yield* usageFailure(`${Option.getOrElse(file, () => "--body")} has no JSON object.`)
    for (const [written, value] of Object.entries(Option.getOrElse(set, () => ({})))) {
      const isJson = written.endsWith(":")
      const name = isJson ? written.slice(0, -1) : written
      if (!setMember(body, name, isJson ? yield* parseJson(value, `--set ${written}=`) : value))
        return yield* usageFailure(`--set ${name}: a part of this name is no object.`)
    }
    const response = yield* api.ask("POST", operation.path, body, dryRun, {
      key: Option.getOrUndefined(idempotencyKey)
    })
    const lines = rowsIn(response.data).flatMap((cells) => cells.map((cell, at) => `${names[at]}: ${cell ?? "-"}`))
    const replayed = response.isReplayed ? ["It was made before, with this key. Nothing is made now."] : []
    yield* printAct(response, [...replayed, ...lines])
  })
).pipe(
  Command.withShortDescription("Make a resource, or see what making it would do"),
  Command.withDescription(
    "Makes a resource of a running server: with a merchant's API key one of /v1, with an operator's token one of /operator/v1. With --dry-run the server decides it and writes nothing. A call has an idempotency key; where its outcome is unknown, the command says with which key to repeat it."
  ),
  Command.withExamples([
    { command: "corridor create wallets --set currency=USDC --set label=treasury" },
    {
      command:
        "corridor create offramps --set quote_id=quo_01j9z3k4m5n6p7q8r9s0t1v2w3 --set reference=invoice-1042 --idempotency-key invoice-1042 --dry-run"
    }
  ])
)
