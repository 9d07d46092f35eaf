/**
 * A provider of the port behind the provider protocol, so that the conformance kit can ask it. It adds nothing: a provider that does not
 * know is answered as a connector that does not know (503).
 */
import { Effect } from "effect"
import type { PayoutCommand, Provider, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { minutes, type PaystackWorld } from "./paystack-world.ts"
import { type Exchange, makeScriptedConnector } from "../protocol/scripted-connector.ts"

type Members = Readonly<Record<string, unknown>>

const nothing = {
  fee: null,
  fee_currency: null,
  amount: null,
  currency: null,
  parts: null,
  complete: null,
  provider_reference: null
}

/** A result as the protocol has it: `status` for `_tag`, and every member of an outcome. */
const toWire = (result: Members): Members => {
  const { _tag, outcome, ...members } = result
  return {
    status: _tag,
    ...members,
    ...(outcome === undefined ? {} : { outcome: { ...nothing, ...(outcome as Members) } })
  }
}

const eventOf = (event: ProviderEvent): Members => {
  const { _tag, event_id, ...members } = event as unknown as Members
  return { type: _tag, operation: "event", id: event_id, command_id: null, ...nothing, ...members }
}

/** Before a statement is read, so much time passes that it has all rows. Look-ups name a command by its id alone; it is kept here. */
export const connectorOf = (
  provider: Provider["Service"],
  secret: string,
  { inWorld, pass }: Pick<PaystackWorld, "inWorld" | "pass">
) => {
  const commands = new Map<string, PayoutCommand>()
  const asked = ({ request }: Exchange): Effect.Effect<unknown, unknown> => {
    const { id } = request
    const input = request.input as unknown as Members
    const any = {
      currency: null,
      destination_currency: null,
      country_code: null,
      network: null,
      minimum: null,
      maximum: null,
      cost: null
    }
    switch (request.operation) {
      case "manifest":
        return Effect.succeed({
          protocol: "1",
          id: "paystack",
          offers: [...provider.manifest.offers, { operation: "statements" }].map((offer) => ({ ...any, ...offer })),
          events: { callbacks: false, readable: true }
        })
      case "payout": {
        const command = { ...input, id } as unknown as PayoutCommand
        if (!commands.has(command.id)) commands.set(command.id, command)
        return Effect.map(provider.payouts!.submit(command), (result) => toWire(result))
      }
      case "payout_status": {
        const command = commands.get(id!)
        return command === undefined
          ? Effect.succeed({ status: "absent" })
          : Effect.map(provider.payouts!.lookup(command), (status) => toWire(status as Members))
      }
      case "banks":
        return Effect.map(provider.directory!.banks((input["country_code"] as string | null) ?? null), (banks) => ({
          banks: banks.map(({ code, country_code, name }) => ({ code, country_code, name }))
        }))
      case "resolve_account":
        return Effect.map(provider.directory!.resolveAccount(input as never), (result) => toWire(result))
      case "resolve_proxy":
        return Effect.succeed({ status: "switched_off" })
      case "events":
        return Effect.map(provider.events!.after!((input["after"] as string | null) ?? null), ({ cursor, events }) => ({
          events: events.map((event) => eventOf(event as ProviderEvent)),
          cursor
        }))
      case "balances":
        return Effect.map(provider.statements!.balances, (balances) => ({ balances }))
      case "statements":
        pass(minutes(2))
        return Effect.map(
          provider.statements!.lines((input["after"] as string | null) ?? null),
          ({ cursor, lines }) => ({
            lines: lines.map((line) => ({ ...line, booked_at: new Date(line.booked_at).toISOString() })),
            cursor
          })
        )
      default:
        return Effect.succeed({ status: "unsupported" })
    }
  }
  return makeScriptedConnector(
    (exchange) =>
      void Effect.runPromise(inWorld(Effect.result(asked(exchange)))).then((result) => {
        if (result._tag === "Success") exchange.answer(result.success)
        else exchange.response.writeHead(503).end("it does not know")
      }),
    [secret]
  )
}
