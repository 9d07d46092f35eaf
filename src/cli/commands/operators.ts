/** `corridor operators` */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Operator, OperatorWithToken } from "../../client/index.ts"
import { pickOptions, makeOptionalTextFlag, printResult, makeTextFlag } from "../globals.ts"
import { type ServerApi, asDryRun, asOperator, readAllItems, openOperatorApi, printAct } from "../server/api.ts"

const roles = ["viewer", "support", "treasury", "admin"] as const

const formatOperator = ({ email, id, name, role, status }: Operator): string =>
  [id, role.padEnd(8), status.padEnd(7), name, email ?? ""].join("  ").trimEnd()

/** Changes an operator by a `POST`, and prints it. A new token is printed once; a dry run and an act that waits for approval make none. */
const changeOperator = Effect.fnUntraced(function* (api: ServerApi, path: string, body: object, dryRun: boolean) {
  const response = yield* api.ask("POST", path, body, dryRun)
  const { token, ...operator } = response.data as Operator & Partial<OperatorWithToken>
  const { isDryRun, meta } = response
  yield* token !== undefined && !isDryRun && meta["approval"] === undefined
    ? printAct(response, [formatOperator(operator), `Token, shown this once: ${token}`])
    : printAct(response, [formatOperator(operator)], operator)
})

const list = Command.make(
  "list",
  asOperator,
  Effect.fnUntraced(function* (given) {
    const items = yield* readAllItems(yield* openOperatorApi(given), "/operator/v1/operators", {}, true)
    const operators = items as ReadonlyArray<Operator>
    yield* printResult(operators.length === 0 ? ["There are no operators."] : operators.map(formatOperator), {
      operators
    })
  })
).pipe(
  Command.withDescription("Lists the operators, with their role and status."),
  Command.withExamples([{ command: "corridor operators list" }])
)

const create = Command.make(
  "create",
  {
    name: makeTextFlag("name", "NAME", "The person's name"),
    email: makeOptionalTextFlag("email", "EMAIL", "The person's email"),
    role: Flag.Literals("role", roles).pipe(
      Flag.withDescription(`${roles.join(", ")}: each may do what those before it may`)
    ),
    ...asDryRun,
    ...asOperator
  },
  Effect.fnUntraced(function* ({ dryRun, email, name, role, ...given }) {
    const api = yield* openOperatorApi(given)
    yield* changeOperator(api, "/operator/v1/operators", { name, role, ...pickOptions({ email }) }, dryRun)
  })
).pipe(
  Command.withDescription("Creates an operator, and prints the token, which is shown only here."),
  Command.withExamples([
    { command: 'corridor operators create --name "Ada Obi" --email ada@example.com --role support' }
  ])
)

const id = Argument.String("id").pipe(Argument.withDescription("The operator's id, opr_…"))

/** Makes the command for one act on an operator, with the same name in the API. */
const makeOperatorCommand = (act: "revoke" | "rotate-token") =>
  Command.make(
    act,
    { id, ...asDryRun, ...asOperator },
    Effect.fnUntraced(function* ({ dryRun, id, ...given }) {
      const api = yield* openOperatorApi(given)
      yield* changeOperator(api, `/operator/v1/operators/${encodeURIComponent(id)}/${act}`, {}, dryRun)
    })
  )

const revoke = makeOperatorCommand("revoke").pipe(
  Command.withDescription("Revokes an operator: the token is no longer accepted."),
  Command.withExamples([{ command: "corridor operators revoke opr_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

const rotateToken = makeOperatorCommand("rotate-token").pipe(
  Command.withDescription("Replaces an operator's token, and prints the new one, which is shown only here."),
  Command.withExamples([{ command: "corridor operators rotate-token opr_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

export const operators = Command.make("operators").pipe(
  Command.withDescription("The people who use the operator API. Creating and changing them takes an admin's token."),
  Command.withSubcommands([list, create, revoke, rotateToken])
)
