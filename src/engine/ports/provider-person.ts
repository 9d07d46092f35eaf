/** The person for whom a command waits at a provider. */
import { Schema } from "effect"
import { Text } from "./provider-fields.ts"

export const personParties = ["operator", "provider", "customer"] as const
/**
 * A person without whom a command does not go on. `operator`: one of the platform's, who acts at the provider. `provider`: one of the
 * provider's, who reviews it. `customer`: the payer or the recipient. `action`: what the person does, in the imperative, without a full stop.
 */
export type AwaitedPerson = typeof AwaitedPerson.Type
export const AwaitedPerson = Schema.Struct({ party: Schema.Literals(personParties), action: Text })
