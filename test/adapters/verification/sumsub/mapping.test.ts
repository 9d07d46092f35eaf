/** What Sumsub may say of an applicant, as a law: any status with any body is a status or a sentence, and only the table's rows decide. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { readJson } from "../../../../src/adapters/provider/company/client.ts"
import {
  answers,
  type ExpectedCustomer,
  isUnclear,
  readLevels,
  openStates,
  readLinkPage,
  reasons,
  readApplicant
} from "../../../../src/adapters/verification/sumsub/mapping.ts"
import { Chance } from "../../../../src/testing/program/random.ts"
import { covers } from "../../../support/repository/covers.ts"

const customer = { type: "individual", name: "Ada Obi", country_code: "NG" } as const
const session = { id: "kyc_1", level: "basic-kyc", customer }
const replyOf = (json: unknown, status = 200) => ({ status, json: readJson(JSON.stringify(json)) })
const refusal = { code: 404, description: "Applicant not found", correlationId: "req-1" }

const applicantOf = (review: object, over: object = {}) => ({
  id: "5b594ade0a975a36c9349e66",
  externalUserId: "kyc_1",
  info: { firstName: "Ada", lastName: "Obi", country: "NGA" },
  review: { reviewStatus: "completed", levelName: "basic-kyc", attemptId: "a1", ...review },
  ...over
})
const green = { reviewResult: { reviewAnswer: "GREEN" } }
const red = (type: string, labels?: ReadonlyArray<string>) => ({
  reviewResult: { reviewAnswer: "RED", reviewRejectType: type, rejectLabels: labels }
})

const wordOf = (json: unknown, status = 200, of: ExpectedCustomer = customer): string => {
  const seen = readApplicant(replyOf(json, status), { ...session, customer: of })
  return isUnclear(seen)
    ? "unclear"
    : seen.status._tag === "rejected"
      ? `rejected ${seen.status.reason}`
      : seen.status._tag
}

const strange = [
  null,
  0,
  1,
  true,
  "",
  "x",
  [],
  {},
  ["GREEN"],
  ["RED"],
  ["FINAL"],
  "constructor",
  "__proto__",
  "toString"
]
/** What a member may be: mostly what is usual. */
const words = {
  reviewStatus: [["completed"], [...openStates, "COMPLETED", "actionRequired", ...strange]],
  reviewAnswer: [
    ["GREEN", "RED"],
    ["YELLOW", "ERROR", "green", ...strange]
  ],
  reviewRejectType: [
    ["FINAL", "RETRY"],
    ["EXTERNAL", "final", ...strange]
  ],
  levelName: [["basic-kyc"], ["full-kyc", ...strange]],
  externalUserId: [["kyc_1"], ["kyc_2", "KYC_1", ...strange]]
} as const
const wordIn = (chance: Chance, [usual, unusual]: readonly [ReadonlyArray<unknown>, ReadonlyArray<unknown>]) =>
  chance.pick<unknown>(chance.happens(0.75) ? usual : unusual)
const statuses = [200, 200, 200, 200, 200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 404, 404, 409, 429, 500, 503]

describe("what Sumsub says of an applicant", () => {
  covers("SUMSUB-2", "SUMSUB-3")
  it("decides by the rows of the table alone, whatever the status and the body are", () => {
    const chance = new Chance("sumsub")
    const count: Record<string, number> = {}
    for (let seed = 0; seed < 8000; seed++) {
      const review = {
        reviewStatus: wordIn(chance, words.reviewStatus),
        levelName: wordIn(chance, words.levelName),
        reviewAnswer: wordIn(chance, words.reviewAnswer),
        reviewRejectType: wordIn(chance, words.reviewRejectType),
        externalUserId: wordIn(chance, words.externalUserId)
      }
      const { externalUserId, levelName, reviewAnswer, reviewRejectType, reviewStatus } = review
      const whole = applicantOf(
        { reviewStatus, levelName, reviewResult: { reviewAnswer, reviewRejectType } },
        { externalUserId }
      )
      const body = chance.happens(0.8)
        ? whole
        : chance.pick<unknown>([refusal, refusal, refusal, { ...whole, review: null }, ...strange])
      const status = chance.pick(statuses)
      const word = wordOf(body, status)
      const [tag] = word.split(" ")
      count[tag!] = (count[tag!] ?? 0) + 1
      const isOurs = status === 200 && body === whole && externalUserId === "kyc_1"
      const isEnd = isOurs && reviewStatus === "completed" && levelName === "basic-kyc"
      const what = JSON.stringify([status, body])
      assert.strictEqual(word === "approved", isEnd && reviewAnswer === "GREEN", what)
      assert.strictEqual(tag === "rejected", isEnd && reviewAnswer === "RED" && reviewRejectType === "FINAL", what)
      assert.strictEqual(word === "absent", status === 404 && body === refusal, what)
    }
    for (const word of ["approved", "rejected", "absent", "opened", "unclear"])
      assert.isAbove(count[word] ?? 0, 20, word)
  })

  covers("SUMSUB-2")
  it.each(openStates)("takes %s as open, whatever stands beside it", (reviewStatus) => {
    for (const review of [{}, green, red("FINAL"), red("RETRY")])
      assert.strictEqual(wordOf(applicantOf({ ...review, reviewStatus })), "opened")
  })

  covers("SUMSUB-2")
  it.each([
    ["GREEN at the level of the tier", applicantOf(green), 200, "approved"],
    ["GREEN at another level", applicantOf({ ...green, levelName: "full-kyc" }), 200, "unclear"],
    ["GREEN at no level", applicantOf({ ...green, levelName: undefined }), 200, "unclear"],
    ["RED and FINAL", applicantOf(red("FINAL")), 200, "rejected declined"],
    ["RED and FINAL at another level", applicantOf({ ...red("FINAL"), levelName: "full-kyc" }), 200, "unclear"],
    ["RED and RETRY", applicantOf(red("RETRY")), 200, "opened"],
    ["RED alone", applicantOf({ reviewResult: { reviewAnswer: "RED" } }), 200, "unclear"],
    ["completed without a result", applicantOf({}), 200, "unclear"],
    ["a state of tomorrow", applicantOf({ ...green, reviewStatus: "archived" }), 200, "unclear"],
    ["GREEN of another applicant", applicantOf(green, { externalUserId: "kyc_2" }), 200, "unclear"],
    ["GREEN under another status", applicantOf(green), 201, "unclear"],
    ["its own 404", refusal, 404, "absent"],
    ["a 404 of something else", { message: "no route" }, 404, "unclear"],
    ["a 404 whose body has another code", { ...refusal, code: 400 }, 404, "unclear"],
    ["its 404 under 200", refusal, 200, "unclear"]
  ])("says of %s what the table says", (_, body, status, word) => {
    assert.strictEqual(wordOf(body, status), word)
  })

  const company = { type: "business", name: "Obi Trading Limited", country_code: "GB" } as const
  const own = { firstName: "Ada", lastName: "Obi", country: "NGA" }
  covers("SUMSUB-8")
  it("approves a person who was born on the day that the merchant said, and looks at no day where it said none", () => {
    const born = (
      dob: unknown,
      date_of_birth: string | null = "01/31/1990",
      type: "individual" | "business" = "individual"
    ) =>
      wordOf(
        applicantOf(green, {
          info: {
            ...{ firstName: "Ada", lastName: "Obi", country: "NGA", dob },
            companyInfo: { companyName: "Ada Obi", country: "NGA" }
          }
        }),
        200,
        { ...customer, type, date_of_birth }
      )
    assert.strictEqual(born("1990-01-31"), "approved")
    for (const dob of ["1990-01-30", "1990-31-01", "31.01.1990", "1990", "", null, 7, undefined, ["1990-01-31"]])
      assert.strictEqual(born(dob), "doubtful", String(dob))
    assert.strictEqual(born(undefined, null), "approved")
    assert.strictEqual(born("1990-01-30", null), "approved")
    assert.strictEqual(born(undefined, "01/31/1990", "business"), "approved")
  })

  covers("SUMSUB-8")
  it.each([
    ["the customer's own", own, customer, "approved"],
    ["the customer's, in capitals", { ...own, firstName: "ADA", lastName: "OBI" }, customer, "approved"],
    ["the customer's, with a middle name", { ...own, middleName: "Chidinma" }, customer, "approved"],
    ["the customer's, with two given names", { ...own, firstName: "Chidinma Ada" }, customer, "approved"],
    [
      "the customer's, in two scripts",
      { ...own, firstName: "Ада", lastName: "Оби", firstNameEn: "Ada", lastNameEn: "Obi" },
      customer,
      "approved"
    ],
    ["the customer's, in one member", { lastName: "Ada Obi", country: "NGA" }, customer, "approved"],
    [
      "the customer's, who lives elsewhere than its passport is of",
      { ...own, country: "GHA", addresses: [{ country: "NGA" }] },
      customer,
      "approved"
    ],
    ["another person's", { ...own, firstName: "Viktor", lastName: "Black" }, customer, "doubtful"],
    ["a brother's", { ...own, firstName: "Chidi" }, customer, "doubtful"],
    ["a namesake's of another surname", { ...own, lastName: "Eze" }, customer, "doubtful"],
    ["a person's with the surname alone", { lastName: "Obi", country: "NGA" }, customer, "doubtful"],
    ["a person's with the initials alone", { ...own, firstName: "A", lastName: "O" }, customer, "doubtful"],
    ["a namesake's of another country", { ...own, country: "GHA" }, customer, "doubtful"],
    ["of a country that is none", { ...own, country: "XXX" }, customer, "doubtful"],
    ["of no country", { ...own, country: undefined }, customer, "doubtful"],
    ["of no name", { country: "NGA" }, customer, "doubtful"],
    ["none that can be read", "Ada Obi", customer, "doubtful"],
    ["none", undefined, customer, "doubtful"],
    ["the business's own", { companyInfo: { companyName: "OBI TRADING LTD", country: "GBR" } }, company, "approved"],
    ["another business's", { companyInfo: { companyName: "Eze Trading Ltd", country: "GBR" } }, company, "doubtful"],
    [
      "a namesake's of another country",
      { companyInfo: { companyName: "Obi Trading", country: "NGA" } },
      company,
      "doubtful"
    ],
    ["a person's, for a business", { firstName: "Obi", lastName: "Trading", country: "GBR" }, company, "doubtful"]
  ] as const)("approves whose documents are %s: %j", (_, info, of, word) => {
    const body = applicantOf(green, { info })
    assert.strictEqual(wordOf(body, 200, of), word)
    const seen = readApplicant(replyOf(body), { ...session, customer: of })
    if (word === "doubtful") assert.notMatch(JSON.stringify(seen), /Ada|Obi|Viktor|Black/)
    // Only an approval is doubted.
    assert.strictEqual(wordOf(applicantOf(red("FINAL"), { info }), 200, of), "rejected declined")
  })

  covers("SUMSUB-2")
  it("gives a rejection the reason of its labels, one of those that the service has", () => {
    for (const [reason, labels] of Object.entries(reasons))
      for (const label of labels)
        assert.strictEqual(wordOf(applicantOf(red("FINAL", ["SPAM", label]))), `rejected ${reason}`)
    for (const labels of [undefined, [], ["SANCTIONS"], ["constructor"]])
      assert.strictEqual(wordOf(applicantOf(red("FINAL", labels))), "rejected declined")
    assert.strictEqual(wordOf(applicantOf(red("FINAL", ["FORGERY", "SELFIE_MISMATCH"]))), "rejected identity_mismatch")
  })

  covers("SUMSUB-5")
  it("knows one review from another", () => {
    const reviewOf = (review: object) => {
      const seen = readApplicant(replyOf(applicantOf({ ...green, ...review })), session)
      return isUnclear(seen) ? "unclear" : seen.review
    }
    assert.strictEqual(reviewOf({}), "a1")
    assert.strictEqual(reviewOf({ attemptId: "a2" }), "a2")
    assert.strictEqual(
      reviewOf({ attemptId: undefined, reviewDate: "2026-11-29", createDate: "2026-11-28" }),
      "2026-11-29"
    )
    assert.strictEqual(reviewOf({ attemptId: null, createDate: "2026-11-28" }), "2026-11-28")
    assert.strictEqual(reviewOf({ attemptId: "" }), "first")
  })

  covers("SUMSUB-2")
  it.each([
    ["https://in.sumsub.com/websdk/p/x", 200, true],
    ["https://in.sumsub.com/websdk/p/x", 201, true],
    ["https://in.sumsub.com/websdk/p/x", 202, false],
    ["http://in.sumsub.com/websdk/p/x", 200, false],
    ["javascript:alert(1)", 200, false],
    ["/websdk/p/x", 200, false],
    [7, 200, false]
  ])("takes %s under %d as a page: %s", (url, status, isPage) => {
    assert.strictEqual(readLinkPage(replyOf({ url }, status)), isPage ? (url as string) : undefined)
  })

  covers("SUMSUB-7")
  it("reads the names of levels, and only of a whole list", () => {
    const items = [{ name: "basic-kyc" }, { name: "full-kyc" }]
    const names = (json: unknown, status = 200) => [...(readLevels(replyOf(json, status)) ?? ["unknown"])]
    assert.deepStrictEqual(names({ items, totalItems: 2 }), ["basic-kyc", "full-kyc"])
    assert.deepStrictEqual(names({ list: { items, totalItems: 2 } }), ["basic-kyc", "full-kyc"])
    assert.deepStrictEqual(names({ items }), ["basic-kyc", "full-kyc"])
    for (const body of [{ items, totalItems: 3 }, { items: [...items, { id: "x" }] }, {}, null, "x", { items: {} }])
      assert.deepStrictEqual(names(body), ["unknown"])
    assert.deepStrictEqual(names({ items }, 500), ["unknown"])
  })

  covers("SUMSUB-2")
  it("has each of its rows on the page", () => {
    const page = readFileSync(new URL("../../../../docs/providers/sumsub.md", import.meta.url), "utf8")
    for (const state of openStates) assert.include(page, `\`${state}\``)
    for (const [answer, outcome] of Object.entries(answers))
      assert.match(page, new RegExp(`\\| \`completed\` \\| ${answer.replace(" ", ", ")} \\| \`${outcome}\` \\|`))
    for (const labels of Object.values(reasons)) for (const label of labels) assert.include(page, `\`${label}\``)
  })
})
