/** `corridor get RESOURCE ID` */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { printResult } from "../globals.ts"
import { asEither, openEitherApi } from "../server/api.ts"
import { fieldsFlag, chooseFields, requireOperation, makeResourceArgument } from "../server/resources.ts"

export const get = Command.make(
  "get",
  {
    resource: makeResourceArgument("get"),
    id: Argument.String("id").pipe(Argument.withDescription("The id of the resource")),
    fields: fieldsFlag,
    ...asEither
  },
  Effect.fnUntraced(function* ({ fields, id, resource, ...given }) {
    const api = yield* openEitherApi(given)
    const operation = yield* requireOperation(api.credential, "get", resource)
    const { names, rowsIn } = yield* chooseFields(operation, resource, fields, (all) => all)
    const { data } = yield* api.ask("GET", operation.path.replace(/:\w+$/, encodeURIComponent(id)))
    const lines = rowsIn(data).flatMap((cells) => cells.map((cell, at) => `${names[at]}: ${cell ?? "-"}`))
    yield* printResult(lines, data)
  })
).pipe(
  Command.withShortDescription("Read a resource"),
  Command.withDescription(
    "Reads a resource of a running server: with a merchant's API key one of /v1, with an operator's token one of /operator/v1. Prints a line for each member."
  ),
  Command.withExamples([
    { command: "corridor get offramps ofr_01j9z3k4m5n6p7q8r9s0t1v2w3 --fields status,failure_reason" }
  ])
)
