/** A customer at the hosted page: opens links and sends forms as a browser does, and asks the API what came of it. */
import { Effect } from "effect"
import type { Api } from "./server.ts"
import { operatorToken } from "./server.ts"

interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A verification that was begun for a customer of its own. `link` is its path on the server of the test. */
export interface Begun {
  readonly id: string
  readonly link: string
  /** Of the customer's verifications in the API. */
  readonly path: string
  readonly session: () => Promise<any>
  readonly customer: () => Promise<any>
  /** Asks for the verification again, and gives the path of its link. */
  readonly renew: () => Promise<string>
}

export interface Hosted {
  readonly begin: (redirect_url?: string) => Promise<Begun>
  readonly at: (path: string, init?: RequestInit) => Promise<Page>
  readonly open: (link: string) => Promise<Page>
  /** The mark of the link's form. */
  readonly csrf: (link: string) => Promise<string>
  /** Sends the form, by default with the mark of the page, which is opened for it. */
  readonly send: (link: string, fields: Readonly<Record<string, string>>, csrf?: string) => Promise<Page>
  readonly advance: (seconds: number) => Promise<void>
  readonly exceptions: () => Promise<ReadonlyArray<unknown>>
  /** The session's row and its history, as text. */
  readonly rows: (id: string) => Promise<string>
}

export const hosting = (api: Api): Hosted => {
  const data = async (path: string, body?: unknown, key?: string): Promise<any> => {
    const answer = await api.ask(path, {
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key })
    })
    if (answer.status !== 200) throw new Error(answer.text)
    return answer.json.data
  }
  const at: Hosted["at"] = async (path, init = {}) => {
    const response = await fetch(api.base + path, { redirect: "manual", ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const csrf: Hosted["csrf"] = async (link) => /name="csrf" value="([^"]+)"/.exec((await at(link)).text)?.[1] ?? ""
  return {
    begin: async (redirect_url) => {
      const ada = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
      const { id: customer } = await data("/v1/customers", ada)
      const path = `/v1/customers/${customer}/verifications`
      const renew = async (): Promise<any> => data(path, redirect_url === undefined ? {} : { redirect_url })
      const made = await renew()
      const linkOf = ({ hosted_url }: any): string => new URL(hosted_url).pathname
      return {
        id: made.id,
        link: linkOf(made),
        path,
        session: () => data(`${path}/${made.id}`),
        customer: () => data(`/v1/customers/${customer}`),
        renew: async () => linkOf(await renew())
      }
    },
    at,
    open: (link) => at(link),
    csrf,
    send: async (link, fields, mark) =>
      at(link, { method: "POST", body: new URLSearchParams({ csrf: mark ?? (await csrf(link)), ...fields }) }),
    advance: async (seconds) => void (await data("/sandbox/clock/advance", { seconds })),
    exceptions: () => data("/operator/v1/exceptions", undefined, operatorToken),
    rows: async (id) => {
      const { storage, merchant_id } = api
      const kept = await Effect.runPromise(
        Effect.all([
          storage.find("verification", id),
          storage.history(merchant_id, id),
          storage.jobs({ merchant_id, queue: "simulated", offset: 0, limit: 100 })
        ])
      )
      return JSON.stringify(kept)
    }
  }
}
