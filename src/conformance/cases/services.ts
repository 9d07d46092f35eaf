/** What is asked and not commanded: verification pages, screenings, banks, holders of accounts, rates. */
import { type Case, needs } from "../case.ts"
import { now } from "../clock.ts"
import * as draw from "../draw.ts"
import type { JsonMembers } from "../exchange.ts"
import { toCanonicalText } from "../journal.ts"
import type { Trial } from "../trial.ts"
import { findDuplicate, drawPayout, drawVerification } from "./fixtures.ts"

interface Bank {
  readonly code: string
  readonly name: string
  readonly country_code: string
}

interface Rate {
  readonly base: string
  readonly quote: string
  readonly rate: string
  readonly at: string
}

const readBanks = async (trial: Trial, country_code?: string): Promise<ReadonlyArray<Bank>> => {
  const { banks } = await trial.call("banks", country_code === undefined ? {} : { country_code })
  return banks as ReadonlyArray<Bank>
}

const readRates = async (trial: Trial): Promise<ReadonlyArray<Rate>> =>
  (await trial.call("rates"))["rates"] as ReadonlyArray<Rate>

const isDefinite: ReadonlySet<unknown> = new Set(["cleared", "held", "refused"])

const formatPair = ({ base, quote }: Pick<Rate, "base" | "quote">): string => `${base}/${quote}`

/** The oldest rate that Corridor takes by default, and how far clocks may differ, in milliseconds. */
const oldestMs = 60_000
const aheadMs = 60_000

/** Stablecoins, which are worth a US dollar. */
const pegged: ReadonlySet<string> = new Set(["USDC", "USDT"])

const isNear = (a: number, b: number, factor: number): boolean => Math.max(a, b) <= factor * Math.min(a, b)

/**
 * Says why a rate cannot be the market's, by itself or beside others in the same list. Null: it may be. Rates are compared, and
 * not computed with.
 */
const findRateFault = (one: Rate, all: ReadonlyArray<Rate>): string | null => {
  const value = Number(one.rate)
  if (one.base === one.quote && value !== 1) return "is not 1"
  if (value < 1e-9 || value > 1e9) return "is not between 0.000000001 and 1000000000"
  if (value < 0.001 && one.rate.replace(/^[0.]+/, "").length < 4)
    return "has fewer than four digits that count: what was rounded off is a part of each payment"
  const of = (base: string, quote: string): number | undefined => {
    const found = all.find((other) => other.base === base && other.quote === quote)
    return found === undefined ? undefined : Number(found.rate)
  }
  const dollars = (code: string): number | undefined => {
    if (code === "USD") return 1
    const direct = of(code, "USD")
    const inverse = of("USD", code)
    return direct ?? (inverse === undefined ? undefined : 1 / inverse)
  }
  const back = of(one.quote, one.base)
  if (back !== undefined && !isNear(value, 1 / back, 1.1))
    return `contradicts that of ${one.quote}/${one.base}, which is ${back}`
  const [from, to] = [dollars(one.base), dollars(one.quote)]
  if (from !== undefined && to !== undefined && !isNear(value, from / to, 1.3))
    return `is more than 30 % away from the rate through the US dollar, which is ${(from / to).toPrecision(6)}`
  for (const code of [one.base, one.quote]) {
    const worth = pegged.has(code) ? dollars(code) : undefined
    if (worth !== undefined && !isNear(worth, 1, 1.1)) return `has ${code} at ${worth.toPrecision(6)} US dollars`
  }
  return null
}

export const serviceCases: ReadonlyArray<Case> = [
  {
    id: "verifications/page",
    rule: "A verification begins with a page of http or https that is open for some time, and its lookup is then `pending` or `opened`.",
    why: "The customer is sent to that page. A page that is closed or another's ends the customer's way.",
    needs: [needs.verification],
    run: async (trial) => {
      const command = drawVerification(trial)
      const result = await trial.taken(command)
      const { hosted_url, expires_at } = result as { readonly hosted_url: string; readonly expires_at: string }
      if (!/^https?:\/\//.test(hosted_url)) trial.fail(`hosted_url is ${JSON.stringify(hosted_url)}.`)
      if (Date.parse(expires_at) <= now()) trial.fail(`The page is closed since ${expires_at}.`)
      const { status } = await trial.known(command)
      if (status !== "pending" && status !== "opened")
        trial.fail(`A verification that nobody has opened is ${JSON.stringify(status)}.`)
    }
  },
  {
    id: "screening/one-verdict",
    rule: "A screening is answered `cleared`, `held` or `refused`, and a repeat of its id has the same verdict.",
    why: "Two verdicts on one screening pay a beneficiary who was refused.",
    needs: [needs.screening],
    run: async (trial) => {
      const destination = drawDestination(trial)
      for (let i = 0; i < 3; i++) {
        const { id, members } = draw.drawScreening(trial.chance, destination)
        // The same call, with the same id, three times: it has one answer.
        const first = await trial.call("screen", members, id)
        for (let i = 0; i < 2; i++) {
          const again = await trial.call("screen", members, id)
          if (toCanonicalText(again) !== toCanonicalText(first))
            trial.fail(`screen ${id} is answered ${toCanonicalText(first)}, and then ${toCanonicalText(again)}.`)
        }
        const { status } = first
        if (!isDefinite.has(status)) trial.fail(`The verdict is ${JSON.stringify(status)}.`)
      }
    }
  },
  {
    id: "screening/at-once",
    rule: "Eight callers with one screening get one verdict, and two screenings at once get each its own.",
    why: "Two verdicts on one screening pay a beneficiary who was refused.",
    needs: [needs.screening],
    run: async (trial) => {
      const destination = drawDestination(trial)
      const screenings = Array.from({ length: 2 }, () => draw.drawScreening(trial.chance, destination))
      const verdicts = await Promise.all(
        screenings.map(({ id, members }) =>
          Promise.all(Array.from({ length: 8 }, () => trial.call("screen", members, id)))
        )
      )
      verdicts.forEach((all, i) => {
        const found = new Set(all.map((one) => one["status"]))
        if (found.size !== 1)
          trial.fail(`The screening ${screenings[i]!.id} has the verdicts ${[...found].join(", ")}.`)
      })
    }
  },
  {
    id: "directory/banks",
    rule: "The banks are the same at each reading, each code once in its country, and a country has its own only.",
    why: "Corridor makes the id of a bank from its country and code. A code that moves sends payouts to another bank.",
    needs: [needs.directory],
    run: async (trial) => {
      const key = ({ country_code, code }: Bank): string => `${country_code} ${code}`
      const text = (banks: ReadonlyArray<Bank>): string =>
        toCanonicalText([...banks].sort((a, b) => (key(a) < key(b) ? -1 : 1)))
      const all = await readBanks(trial)
      if (all.length === 0) trial.fail("A directory is offered, and it has no bank.")
      if (text(await readBanks(trial)) !== text(all)) trial.fail("Two readings of the banks differ.")
      const twice = findDuplicate(all.map(key))
      if (twice !== undefined) trial.fail(`Two banks have the code ${twice}.`)
      for (const country of new Set(all.map(({ country_code }) => country_code))) {
        const own = await readBanks(trial, country)
        if (text(own) !== text(all.filter(({ country_code }) => country_code === country)))
          trial.fail(`GET /banks?country_code=${country} does not have the banks of ${country} in the whole list.`)
      }
      const none = await readBanks(trial, "ZZ")
      if (none.length > 0) trial.fail(`The country ZZ, which does not exist, has ${none.length} banks.`)
    }
  },
  {
    id: "directory/accounts",
    rule: "The holder of an account is `resolved` with a name, `unresolved`, or `unchecked` where the bank cannot say; the same account is answered alike each time, and one at a bank that does not exist is never found.",
    why: "The name is shown to the sender, who confirms the recipient by it.",
    needs: [needs.directory],
    run: async (trial) => {
      const [bank] = await readBanks(trial)
      if (bank === undefined) return trial.unjudged("there is no bank")
      const destination = drawDestination(trial)
      const account = {
        country_code: bank.country_code,
        bank,
        account_number: String(destination["account_number"] ?? "0690000031"),
        account_name: null
      }
      const first = await trial.call("resolve_account", account, draw.drawId(trial.chance, "req"))
      const again = await trial.call("resolve_account", account, draw.drawId(trial.chance, "req"))
      if (toCanonicalText(first) !== toCanonicalText(again))
        trial.fail(`One account is answered ${toCanonicalText(first)}, and then ${toCanonicalText(again)}.`)
      const nowhere = { ...account, bank: { ...bank, code: "999999", name: "No Bank" } }
      const { status } = await trial.call("resolve_account", nowhere, draw.drawId(trial.chance, "req"))
      // Who checks no account says so of this one, too.
      if (status !== "unresolved" && !(status === "unchecked" && first["status"] === "unchecked"))
        trial.fail(`An account at a bank that does not exist is ${JSON.stringify(status)}.`)
    }
  },
  {
    id: "directory/proxies",
    rule: "A proxy has a definite answer: `resolved` only with a name, and for a proxy that nobody has not `resolved`.",
    why: "A name that belongs to another account confirms the wrong recipient.",
    needs: [needs.directory],
    run: async (trial) => {
      const { proxy } = trial.bench
      const nobody = `nobody.${draw.drawUlid(trial.chance)}@nobank`
      const { status } = await trial.call("resolve_proxy", { proxy: nobody }, draw.drawId(trial.chance, "req"))
      if (status === "resolved" && proxy !== null) trial.fail(`The proxy ${nobody}, which nobody has, is resolved.`)
      if (proxy === null) return
      const found = await trial.call("resolve_proxy", { proxy }, draw.drawId(trial.chance, "req"))
      if (found["status"] !== "resolved") trial.fail(`The proxy ${proxy} of --proxy is ${toCanonicalText(found)}.`)
    }
  },
  {
    id: "rates/times",
    rule: "There is one rate for each pair, with the time of the market, which is not ahead of now, at most a minute ago, and never goes back.",
    why: "A quote at an old rate is a loss on each conversion. Corridor refuses a rate by its time.",
    needs: [needs.rates],
    run: async (trial) => {
      const first = await readRates(trial)
      if (first.length === 0) trial.fail("Rates are offered, and there is none.")
      const twice = findDuplicate(first.map(formatPair))
      if (twice !== undefined) trial.fail(`There are two rates of ${twice}.`)
      for (const one of first) {
        const age_ms = now() - Date.parse(one.at)
        if (age_ms < -aheadMs) trial.fail(`The rate of ${formatPair(one)} is of ${one.at}, which is ahead of now.`)
        if (age_ms > oldestMs)
          trial.fail(
            `The rate of ${formatPair(one)} is of ${one.at}, ${Math.round(age_ms / 1000)} s ago. Corridor takes at most 60 s.`
          )
      }
      for (const one of await readRates(trial)) {
        const before = first.find((other) => formatPair(other) === formatPair(one))
        if (before !== undefined && Date.parse(one.at) < Date.parse(before.at))
          trial.fail(`The rate of ${formatPair(one)} was of ${before.at}, and is now of ${one.at}.`)
      }
    }
  },
  {
    id: "rates/values",
    rule: "A rate is that of a market: from 0.000000001 to 1000000000, with four digits that count if it is below 0.001, near its inverse and near the rate through the US dollar, at a dollar for a stablecoin, and within 10 % of the reading before.",
    why: "Corridor holds a rate outside of its band: nothing is quoted in its currency until it is back or an operator has accepted it.",
    needs: [needs.rates],
    run: async (trial) => {
      const first = await readRates(trial)
      for (const one of first) {
        const absurd = findRateFault(one, first)
        if (absurd !== null) trial.fail(`The rate of ${formatPair(one)}, ${one.rate}, ${absurd}.`)
      }
      for (const one of await readRates(trial)) {
        const before = first.find((other) => formatPair(other) === formatPair(one))
        if (before !== undefined && !isNear(Number(one.rate), Number(before.rate), 1.1))
          trial.fail(`The rate of ${formatPair(one)} was ${before.rate}, and is ${one.rate} a moment later.`)
      }
    }
  }
]

const drawDestination = (trial: Trial): JsonMembers => {
  const terms = trial.bench.subject.payouts()
  if (typeof terms !== "string") return drawPayout(trial).members["destination"] as JsonMembers
  const fiat = { type: "fiat", country_code: "NG", network: "bank", account_number: "0690000031" }
  return { ...fiat, account_name: null, bank_code: null, provider_id: null, rail: null }
}
