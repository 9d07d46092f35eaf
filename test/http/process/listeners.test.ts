import { get } from "node:http"
import { promisify } from "node:util"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { claimPort, makeListenOptions, SharedPortServer } from "../../../src/http/listeners.ts"

// Elsewhere there is one listener, and nothing to wait for beside it.
it.runIf(process.platform === "linux")(
  "a server has not closed before the last answer, by whichever way it came",
  async () => {
    const at = {
      host: "127.0.0.1",
      port: await Effect.runPromise(Effect.scoped(claimPort({ host: "127.0.0.1", port: 0 })))
    }
    const server = new SharedPortServer()
    const own = promisify(server.getConnections.bind(server))
    const answers: Array<() => void> = []
    server.on("request", (_, response) => void answers.push(() => void response.end()))
    await new Promise<void>((resolve) => void server.listen(makeListenOptions(at), resolve))
    await Effect.runPromise(server.listenMore(at))
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) =>
        get({ ...at, agent: false }, (response) => resolve(response.resume().statusCode)).once("error", reject)
      )
    // One of these came by another listener than the server's own.
    let asked = ask()
    await expect.poll(() => answers.length).toBe(1)
    while ((await own()) > 0) {
      answers.pop()!()
      await asked
      await expect.poll(() => own()).toBe(0)
      asked = ask()
      await expect.poll(() => answers.length).toBe(1)
    }
    let isClosed = false
    const closed = new Promise<void>((resolve) => void server.close(() => resolve())).then(() => (isClosed = true))
    await expect(ask()).rejects.toMatchObject({ code: "ECONNREFUSED" })
    expect(isClosed).toBe(false)
    answers.pop()!()
    expect(await asked).toBe(200)
    await closed
  }
)
