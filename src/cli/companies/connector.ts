/**
 * A provider of the port behind the provider protocol, on loopback, so that the conformance kit can ask it. It adds nothing: where the provider
 * does not know, the answer is that of a connector that does not know (503).
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Result } from "effect"
import type { IssueCommand, PayoutCommand, Provider } from "../../engine/ports/Provider.ts"
import { makeAnswer, readRequest, type VerifiedRequest } from "../../protocol/messages.ts"
import type { Operation, ResultOf } from "../../protocol/operations.ts"

type Members = Readonly<Record<string, unknown>>

const noParticulars = {
  ...{ fee: null, fee_currency: null, amount: null, currency: null, parts: null, complete: null },
  provider_reference: null
}
const anyOffer = {
  ...{ currency: null, destination_currency: null, country_code: null, network: null },
  ...{ minimum: null, maximum: null, cost: null }
}

/** Converts a result of the port to one of the protocol: `status` for `_tag`, and every member. */
const toProtocolResult = ({ _tag, outcome, ...members }: Members): Members => ({
  status: _tag,
  ...(_tag === "accepted" || _tag === "pending" ? { awaited_person: null } : {}),
  ...members,
  ...(outcome === undefined ? {} : { outcome: { ...noParticulars, ...(outcome as Members) } })
})

export interface ServedProvider {
  readonly provider: Provider["Service"]
  readonly secret: string
  /** Whether statements are offered: then the kit looks for each payout in them. */
  readonly hasStatements: boolean
  /** Done before a statement is read. */
  readonly beforeStatements?: Effect.Effect<void>
}

/**
 * Makes the answers of a provider as a connector gives them. Look-ups name a command by its id alone, so commands are kept; each
 * submission counts as the next attempt, as the engine's does.
 */
const makeAnswers = ({ beforeStatements = Effect.void, hasStatements, provider }: ServedProvider) => {
  const commands = new Map<string, PayoutCommand>()
  const issues = new Map<string, IssueCommand>()
  const unsupported = Effect.succeed<Members>({ status: "unsupported" })
  const statements = hasStatements ? provider.statements : undefined
  const offers = [
    ...provider.manifest.offers.filter(({ operation }) => ["payout", "directory", "issue"].includes(operation)),
    ...(hasStatements ? [{ operation: "statements" }] : [])
  ]
  return ({ id, input, operation }: VerifiedRequest): Effect.Effect<Members, unknown> => {
    const members = input as Members
    const after = (members["after"] as string | null | undefined) ?? null
    switch (operation) {
      case "manifest":
        return Effect.succeed({
          ...{ protocol: "1", id: provider.name, events: { callbacks: false, readable: true } },
          offers: offers.map((offer) => ({ ...anyOffer, ...offer }))
        })
      case "payout": {
        const command = { ...members, id } as unknown as PayoutCommand
        const submission = { ...command, attempt: (commands.get(command.id)?.attempt ?? -1) + 1 }
        commands.set(command.id, { ...(commands.get(command.id) ?? command), attempt: submission.attempt })
        return Effect.map(provider.payouts!.submit(submission), (result) => toProtocolResult(result as Members))
      }
      case "payout_status": {
        const command = commands.get(id!)
        return command === undefined
          ? Effect.succeed({ status: "absent" })
          : Effect.map(provider.payouts!.lookup(command), (status) => toProtocolResult(status as Members))
      }
      case "issue":
      case "issue_status": {
        // Asked for again, it is the same.
        const command = operation === "issue" ? ({ ...members, id } as unknown as IssueCommand) : issues.get(id!)
        if (command === undefined || provider.payins === undefined) return Effect.succeed({ status: "absent" })
        issues.set(command.id, command)
        return Effect.map(provider.payins.issue(command), (result): Members => {
          if (result._tag !== "issued") return toProtocolResult(result as Members)
          const { details, ...issued } = result.issued
          if ("address" in details) return { status: "issued", ...issued, details }
          const { accountName, accountNumber, bankCode, bankName, reference } = details
          const named = {
            account_name: accountName,
            account_number: accountNumber,
            bank_name: bankName,
            bank_code: bankCode
          }
          return { status: "issued", ...issued, details: { ...named, reference } }
        })
      }
      case "banks":
        return provider.directory === undefined
          ? unsupported
          : Effect.map(provider.directory.banks((members["country_code"] as string | null) ?? null), (banks) => ({
              banks: banks.map(({ code, country_code, name }) => ({ code, country_code, name }))
            }))
      case "resolve_account":
        return provider.directory === undefined
          ? unsupported
          : Effect.map(provider.directory.resolveAccount(members as never), toProtocolResult)
      case "resolve_proxy":
        return Effect.succeed({ status: "switched_off" })
      case "events":
        return Effect.map(provider.events!.after!(after), ({ cursor, events }) => ({
          cursor,
          events: events.map((event) => {
            const { _tag, event_id, ...members } = event as unknown as Members
            return { type: _tag, operation: "event", id: event_id, command_id: null, ...noParticulars, ...members }
          })
        }))
      case "balances":
        return statements === undefined ? unsupported : Effect.map(statements.balances, (balances) => ({ balances }))
      case "statements":
        return statements === undefined
          ? unsupported
          : Effect.map(Effect.andThen(beforeStatements, statements.lines(after)), ({ cursor, lines }) => ({
              cursor,
              lines: lines.map((line) => ({ ...line, booked_at: new Date(line.booked_at).toISOString() }))
            }))
      default:
        return unsupported
    }
  }
}

/** A request with all of its body. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What is answered to it. */
interface LoopbackResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** Serves on a free loopback port until the scope closes. */
export const serveLoopback = (answer: (received: Received) => Promise<LoopbackResponse>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((incoming, response) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.on("end", () => {
          const { headers, method = "", url = "" } = incoming
          const received = { method, url, headers: headers as Record<string, string>, body: Buffer.concat(chunks) }
          void answer(received).then(({ headers: own, status, text }) =>
            response.writeHead(status, { ...own }).end(text)
          )
        })
      })
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
      const { port } = server.address() as AddressInfo
      return { server, url: `http://127.0.0.1:${port}` }
    }),
    ({ server }) =>
      Effect.promise(
        () =>
          new Promise<void>((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          })
      )
  )

/** Serves a provider as a connector on loopback, until the scope closes. `run`: runs the effects of its answers. */
export const serveProvider = (
  served: ServedProvider,
  run: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
) => {
  const secrets = [served.secret]
  const answers = makeAnswers(served)
  let made = 0
  const respond = Effect.fnUntraced(function* ({ url, ...received }: Received) {
    const read = readRequest({ ...received, path: url }, { secrets, now_ms: yield* Clock.currentTimeMillis })
    if (Result.isFailure(read)) return { status: read.failure.status, headers: {}, text: read.failure.message }
    const request = read.success
    const result = yield* Effect.result(answers(request))
    if (result._tag === "Failure") return { status: 503, headers: {}, text: "it does not know" }
    const value = result.success as ResultOf<Operation>
    const signing = { secrets, now_ms: yield* Clock.currentTimeMillis }
    const { body, headers, status } = makeAnswer(request, value, `ans_${++made}`, signing)
    return { status, headers, text: body }
  })
  return serveLoopback((received) => Effect.runPromise(run(respond(received))))
}
