/**
 * A Sumsub on loopback, written from its public documents and apart from the adapter: levels, links, applicants with their reviews, signed
 * requests, signed callbacks, and a network that lies on the way.
 */
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export const appToken = "sbx:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
export const secretKey = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
export const hookSecret = "cccccccccccccccccccccccc"

export interface FakeReview {
  status: string
  answer?: string
  rejectType?: string
  labels?: ReadonlyArray<string>
  attempt: number
}

export interface FakeApplicant {
  readonly id: string
  readonly externalUserId: string
  email: string
  level: string
  /** What its documents say. */
  info: object | undefined
  review: FakeReview
}

/** What happens on the way. `lost`: it is done, and the connection breaks. `other`: the answer is about another applicant. */
export type SumsubMishap =
  | "html"
  | "html_404"
  | "truncated"
  | "redirect"
  | "error_500"
  | "limited"
  | "silent"
  | "lost"
  | "other"
  | "http_link"

export class FakeSumsub {
  readonly levels = ["basic-kyc", "full-kyc", "basic-kyb", "full kyb & more"]
  readonly applicants = new Map<string, FakeApplicant>()
  readonly links: Array<{ readonly url: string; readonly user: string; readonly ttl: number; readonly body: unknown }> =
    []
  readonly requests: Array<string> = []
  mishaps: Array<{ readonly on: RegExp; readonly kind: SumsubMishap; left: number }> = []
  /** What documents say of who opens a link. */
  info: object | undefined = { firstName: "ADA CHIDINMA", lastName: "OBI", dob: "1990-01-31", country: "NGA" }
  now: () => number = Date.now
  secret = secretKey
  /** What the list of levels says in the place of its own. */
  levelsBody: unknown = undefined
  url = ""
  #next = 1
  readonly #server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => this.#answer(request, Buffer.concat(chunks).toString("utf8"), response))
  })

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }

  goWrong(kind: SumsubMishap, on = /./, count = 1): void {
    this.mishaps.push({ on, kind, left: count })
  }

  /** The customer opens the page: the applicant is made. */
  open(user: string): FakeApplicant {
    const link = this.links.findLast((one) => one.user === user)
    if (link === undefined) throw new Error(`${user} has no link`)
    const known = this.applicants.get(user)
    if (known !== undefined) return known
    const { applicantIdentifiers, levelName } = link.body as {
      readonly levelName: string
      readonly applicantIdentifiers?: { readonly email?: string }
    }
    const applicant: FakeApplicant = {
      id: String(this.#next++).padStart(24, "a"),
      externalUserId: user,
      email: applicantIdentifiers?.email ?? "",
      level: levelName,
      info: this.info,
      review: { status: "init", attempt: 0 }
    }
    this.applicants.set(user, applicant)
    return applicant
  }

  /** A review ends, or goes on. */
  review(user: string, review: Partial<FakeReview>): void {
    const { review: before } = this.open(user)
    Object.assign(this.applicants.get(user)!, { review: { attempt: before.attempt, status: "completed", ...review } })
  }

  /** A callback, signed as the webhook is set. */
  callback(
    type: string,
    user: string | null,
    { alg = "sha256", members = {}, secret = hookSecret }: { alg?: string; secret?: string; members?: object } = {}
  ): { readonly headers: { readonly [name: string]: string }; readonly body: string } {
    const applicant = user === null ? undefined : this.applicants.get(user)
    const body = JSON.stringify({
      applicantId: applicant?.id ?? "deadbeefdeadbeefdeadbeef",
      inspectionId: "5e5cccccccccccccccccccc",
      correlationId: "req-1",
      ...(user === null ? {} : { externalUserId: user }),
      type,
      sandboxMode: true,
      reviewStatus: applicant?.review.status ?? "init",
      ...members
    })
    const header = alg === "sha1" ? "HMAC_SHA1_HEX" : alg === "sha512" ? "HMAC_SHA512_HEX" : "HMAC_SHA256_HEX"
    return {
      headers: {
        "x-payload-digest": createHmac(alg, secret).update(body).digest("hex"),
        "x-payload-digest-alg": header
      },
      body
    }
  }

  #refusal(code: number, description: string): readonly [number, object] {
    return [code, { code, correlationId: "req-2", errorCode: 4000, errorName: "error", description }]
  }

  #one(applicant: FakeApplicant): object {
    const { answer, attempt, labels, rejectType, status } = applicant.review
    return {
      id: applicant.id,
      createdAt: "2026-11-29 10:00:00",
      clientId: "example",
      externalUserId: applicant.externalUserId,
      email: applicant.email,
      ...(applicant.info !== undefined && { info: applicant.info }),
      review: {
        reviewId: `rev${applicant.id}`,
        attemptId: `att${attempt}`,
        attemptCnt: attempt,
        levelName: applicant.level,
        createDate: "2026-11-29 10:00:00+0000",
        reviewStatus: status,
        ...(answer === undefined
          ? {}
          : {
              reviewResult: {
                reviewAnswer: answer,
                ...(rejectType === undefined ? {} : { reviewRejectType: rejectType, clientComment: "private comment" }),
                ...(labels === undefined ? {} : { rejectLabels: labels })
              }
            })
      }
    }
  }

  #route(method: string, path: string, text: string): readonly [number, object] {
    if (method === "GET" && path === "/resources/applicants/-/levels") {
      const items = this.levels.map((name, at) => ({ id: `lev${at}`, name }))
      return [200, (this.levelsBody as object) ?? { items, totalItems: items.length }]
    }
    if (method === "POST" && path === "/resources/sdkIntegrations/levels/-/websdkLink") {
      const body = JSON.parse(text) as {
        readonly levelName: string
        readonly userId: string
        readonly ttlInSecs: number
      }
      if (!this.levels.includes(body.levelName)) return this.#refusal(404, `Level '${body.levelName}' not found`)
      const url = `https://in.sumsub.example/websdk/p/${this.#next++}`
      this.links.push({ url, user: body.userId, ttl: body.ttlInSecs, body })
      return [200, { url }]
    }
    const one = /^\/resources\/applicants\/-;externalUserId=([^/]+)\/one$/.exec(path)
    if (method === "GET" && one !== null) {
      const applicant = this.applicants.get(decodeURIComponent(one[1]!))
      return applicant === undefined ? this.#refusal(404, "Applicant not found") : [200, this.#one(applicant)]
    }
    return this.#refusal(404, "Not found")
  }

  #answer(request: IncomingMessage, text: string, response: ServerResponse): void {
    const path = request.url!
    const method = request.method!
    this.requests.push(`${method} ${path}`)
    const found = this.mishaps.find((one) => one.left > 0 && one.on.test(path))
    if (found !== undefined) found.left--
    const send = (status: number, body: string, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
    }
    switch (found?.kind) {
      case "html":
        return send(200, "<html>blocked</html>", { "content-type": "text/html" })
      case "html_404":
        return send(404, "<html>no such page</html>", { "content-type": "text/html" })
      case "redirect":
        return send(307, "", { location: `${this.url}/elsewhere` })
      case "error_500":
        return send(500, JSON.stringify({ code: 500, description: "Internal error", correlationId: "req-3" }))
      case "limited":
        return send(429, JSON.stringify({ code: 429, description: "Too many requests" }), { "retry-after": "5" })
      case "silent":
        return
      default:
    }
    const ts = String(request.headers["x-app-access-ts"])
    const signature = createHmac("sha256", this.secret).update(`${ts}${method}${path}${text}`).digest("hex")
    const isFresh = Math.abs(Number(ts) - this.now() / 1000) <= 300
    const isKnown = request.headers["x-app-token"] === appToken && request.headers["x-app-access-sig"] === signature
    const [status, body] =
      isKnown && isFresh ? this.#route(method, path, text) : this.#refusal(401, "Request signature mismatch")
    if (found?.kind === "lost") {
      request.socket.destroy()
      return
    }
    const json = JSON.stringify(
      found?.kind === "other"
        ? { ...body, externalUserId: "kyc_somebody" }
        : found?.kind === "http_link"
          ? { url: "http://in.sumsub.example/p/1" }
          : body
    )
    send(status, found?.kind === "truncated" ? json.slice(0, json.length - 4) : json)
  }
}
