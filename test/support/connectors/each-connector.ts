/** The same tests of both reference connectors: each is a process of its own, and one that cannot run here is skipped. */
import { afterAll, beforeAll, describe } from "vitest"
import { SHARE } from "../properties/tries.ts"
import { type ProtocolClient, protocolClient } from "./client.ts"
import { type Connector, type Implementation, missing, startConnector } from "./launcher.ts"

/** `npm test` needs Node alone, and `npm run test:all` has both. */
export const implementations: ReadonlyArray<Implementation> =
  process.env[SHARE] === undefined ? ["node", "python"] : ["node"]

/** Defines `tests` for each implementation. They start the connectors that they need themselves. */
export const onEachImplementation = (title: string, tests: (implementation: Implementation) => void): void => {
  for (const implementation of implementations) {
    const reason = missing(implementation)
    const why = reason === undefined ? "" : ` (${reason})`
    describe.skipIf(reason !== undefined)(`${title}: ${implementation}${why}`, () => {
      tests(implementation)
    })
  }
}

/** A connector and Corridor's side of it. The members are those of the connector that runs when they are read. */
export interface Subject {
  readonly connector: Connector
  readonly client: ProtocolClient
}

/** Runs `tests` against a connector of each kind, which is started for them. */
export const onEachConnector = (
  title: string,
  env: Readonly<Record<string, string>>,
  tests: (subject: Subject) => void
): void =>
  onEachImplementation(title, (implementation) => {
    let subject: Subject | undefined
    const started = (): Subject => {
      if (subject === undefined) throw new Error("the connector does not run yet")
      return subject
    }
    beforeAll(async () => {
      const connector = await startConnector(implementation, env)
      subject = { connector, client: protocolClient(connector.url, connector.secret) }
    })
    afterAll(async () => {
      await subject?.connector.stop()
    })
    tests({
      get connector() {
        return started().connector
      },
      get client() {
        return started().client
      }
    })
  })

/** Units of 10⁻⁶ of a decimal string, to compare and add amounts whatever their zeros. */
export const micros = (amount: string): bigint => {
  const [whole = "", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}
