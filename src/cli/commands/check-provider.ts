/** `corridor check-provider`. Its arguments are decoded by the conformance kit, whose table of options this shows. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { flags } from "../../conformance/options.ts"

const { "--json": _, ...own } = flags

const options = Object.fromEntries(
  Object.entries(own).map(([name, { help, value }]) => {
    const flag = name.slice(2)
    return [
      flag,
      value === null
        ? Flag.Boolean(flag).pipe(Flag.withoutNegation, Flag.withDescription(help), Flag.map(String), Flag.optional)
        : Flag.String(flag).pipe(
            Flag.withMetavar(value),
            Flag.withDescription(help),
            Flag.atLeast(0),
            Flag.map((values) => values.join()),
            Flag.map(Option.some)
          )
    ]
  })
)

/** For help and completions. `run.ts` passes the arguments to the kit before they are parsed here. */
export const checkProvider = Command.make("check-provider", options, () => Effect.void).pipe(
  Command.withShortDescription("Check a connector against the provider protocol"),
  Command.withDescription(
    "Checks a connector against the provider protocol. With paystack, circle or bridge as its first argument and --key-env, it asks the test environment of that company through the built-in connector; a live key is refused. Exit codes: 1 if a case failed, 2 for bad usage, 3 if the connector could not be reached."
  ),
  Command.withExamples([
    { command: "corridor check-provider --url http://127.0.0.1:4100 --secret-env BANK_SECRET" },
    { command: "corridor check-provider paystack --key-env PAYSTACK_TEST" }
  ])
)
