import { Effect } from "effect"
import { invalid, type InvalidInput } from "../ports/errors.ts"
import type { Providers } from "../ports/Provider.ts"

/**
 * The name under which the store has the books of a provider that is configured, or was.
 * Errors: `InvalidInput` for `field` when there is no such provider.
 */
export const findProviderKey = (
  { all, keyOf, keysByName, byName: named }: Providers["Service"],
  field: string,
  name: string
): Effect.Effect<string, InvalidInput> =>
  named(name) !== undefined || keysByName.has(name)
    ? Effect.succeed(keyOf(name))
    : Effect.fail(
        invalid(
          field,
          `There is no provider ${JSON.stringify(name)}. Configured: ${all.map((one) => one.name).join(", ")}.`
        )
      )
