/** Commands as Corridor sends them: its ids, its members, and details that a real customer could have. */
import type { Chance } from "../testing/program/random.ts"
import { formatInstant } from "../protocol/fields.ts"
import { now } from "./clock.ts"
import type { JsonMembers } from "./exchange.ts"
import type { SentCommand } from "./journal.ts"
import { findDecimals, findSmallestUnit, formatUnits, parseSignedUnits } from "./money.ts"
import type { Pair, PayoutTerms, AmountRange } from "./subject.ts"

const crockford = [..."0123456789abcdefghjkmnpqrstvwxyz"]

/**
 * Draws a ULID in lower case. Its time is the current one, so that two runs with one seed have different ids: the connector may
 * remember those of the first.
 */
export const drawUlid = (chance: Chance): string => {
  const at = now()
  const time = Array.from({ length: 10 }, (_, i) => crockford[Math.floor(at / 32 ** (9 - i)) % 32])
  return [...time, ...Array.from({ length: 16 }, () => chance.pick(crockford))].join("")
}

export const drawId = (chance: Chance, prefix: string): string => `${prefix}_${drawUlid(chance)}`

/** Derives a statement reference as Corridor does: 16 letters and digits of a command's resource. A connector must not interpret it. */
const deriveStatementReference = (resource_id: string): string =>
  resource_id.slice(resource_id.indexOf("_") + 1, resource_id.indexOf("_") + 17).toUpperCase()

const given = ["Adaeze", "Kwame", "Wanjiru", "Thandi", "Chinedu", "Amina", "Sipho", "Yaw", "Ngozi", "Achieng", "Bola"]
const family = ["Okafor", "Mensah", "Kamau", "Dlamini", "Eze", "Bello", "Nkosi", "Boateng", "Adeyemi", "Odhiambo"]
const streets = ["Marina Road", "Broad Street", "Ngong Road", "Oxford Street", "Allen Avenue", "Independence Avenue"]
const cities: ReadonlyArray<readonly [city: string, country_code: string]> = [
  ["Lagos", "NG"],
  ["Nairobi", "KE"],
  ["Accra", "GH"],
  ["Johannesburg", "ZA"]
]
const subjects = ["Invoice", "Salary", "School fees", "Supplies", "Rent", "Consulting"]

const drawPerson = (chance: Chance): string => `${chance.pick(given)} ${chance.pick(family)}`

/** Draws an amount of the range; one in three has all decimals of the currency. */
export const drawAmount = (chance: Chance, { decimals, least, most }: AmountRange): string => {
  const step = findSmallestUnit(decimals)
  const steps = (most - least) / step
  const drawn = least + ((steps * BigInt(chance.between(0, 1_000_000))) / 1_000_000n) * step
  const whole = 10n ** 18n
  const rounded = (drawn / whole) * whole
  const value = chance.happens(2 / 3) && rounded >= least ? rounded : drawn
  return formatUnits(value, decimals)
}

const drawAddress = (chance: Chance, [city, country_code]: (typeof cities)[number]): JsonMembers | null =>
  chance.happens(0.5) ? { line1: `${chance.between(1, 240)} ${chance.pick(streets)}`, city, country_code } : null

const drawOriginator = (chance: Chance): JsonMembers => {
  const place = chance.pick(cities)
  const [, country_code] = place
  return {
    id: drawId(chance, chance.happens(0.7) ? "cust" : "snd"),
    type: "individual",
    name: drawPerson(chance),
    country_code,
    address: drawAddress(chance, place),
    date_of_birth: `${String(chance.between(1, 12)).padStart(2, "0")}/${chance.between(10, 28)}/${chance.between(1958, 2004)}`,
    id_type: null,
    id_number: null
  }
}

const drawReference = (chance: Chance): string =>
  `${chance.pick(["payout", "inv", "order", "pay"])}-${chance.between(1000, 99_999)}`

export type DrawnMembers = Readonly<Record<string, unknown>>

export const drawPayout = (chance: Chance, terms: PayoutTerms, members: DrawnMembers = {}): SentCommand => {
  const kind = chance.pick(["offramp", "transfer"] as const)
  const resource_id = drawId(chance, kind === "offramp" ? "ofr" : "tfr")
  const amount = drawAmount(chance, terms.range)
  return {
    id: `${resource_id}.payout`,
    family: "payout",
    members: {
      merchant_id: drawId(chance, "mer"),
      resource_id,
      statement_reference: deriveStatementReference(resource_id),
      reference: drawReference(chance),
      originator: drawOriginator(chance),
      attempt: 0,
      kind,
      amount,
      currency: terms.currency,
      source_amount: amount,
      source_currency: terms.currency,
      destination: chance.pick(terms.destinations),
      beneficiary: {
        id: drawId(chance, "ben"),
        name: drawPerson(chance),
        address: drawAddress(chance, chance.pick(cities))
      },
      purpose_code: chance.happens(0.2) ? chance.pick(["P1301", "0802", "SALA"]) : null,
      narration: chance.happens(0.6) ? `${chance.pick(subjects)} ${chance.between(1, 999)}` : null,
      ...members
    }
  }
}

export const drawConversion = (chance: Chance, pair: Pair): SentCommand => {
  const kind = chance.pick(["conversion", "onramp"] as const)
  const resource_id = drawId(chance, kind === "onramp" ? "onr" : "con")
  const source_amount = drawAmount(chance, pair.range)
  const decimals = findDecimals(pair.destination)
  const exact = ((parseSignedUnits(source_amount) ?? 0n) * (parseSignedUnits(pair.rate) ?? 0n)) / 10n ** 18n
  const step = findSmallestUnit(decimals)
  const least = exact < step ? step : (exact / step) * step
  return {
    id: `${resource_id}.payout`,
    family: "conversion",
    members: {
      merchant_id: drawId(chance, "mer"),
      resource_id,
      statement_reference: deriveStatementReference(resource_id),
      reference: drawReference(chance),
      originator: drawOriginator(chance),
      attempt: 0,
      kind,
      source_amount,
      source_currency: pair.source,
      destination_amount: formatUnits(least, decimals),
      destination_currency: pair.destination,
      rate: pair.rate
    }
  }
}

/** Money that was paid in. */
export interface Payin {
  readonly payin_id: string
  readonly amount: string
  readonly currency: string
}

/** Draws a refund. `payin`: the pay-in that is returned, and how much of it. */
export const drawRefund = (chance: Chance, payin: Payin): SentCommand => {
  const resource_id = drawId(chance, chance.pick(["txn", "exc"]))
  return {
    id: `${resource_id}.refund`,
    family: "refund",
    members: {
      merchant_id: drawId(chance, "mer"),
      resource_id,
      statement_reference: deriveStatementReference(resource_id),
      ...payin
    }
  }
}

export const drawIssue = (
  chance: Chance,
  {
    offer,
    currency
  }: {
    readonly offer: { readonly country_code: string | null; readonly network: string | null }
    readonly currency: string
  }
): SentCommand => {
  const isFiat = offer.network === null || offer.network === "bank"
  const kind = isFiat ? "wallet_credential" : "deposit_address"
  const resource_id = drawId(chance, isFiat ? "wcr" : "da")
  return {
    id: `${resource_id}.issue`,
    family: "issue",
    members: {
      merchant_id: drawId(chance, "mer"),
      resource_id,
      kind,
      type: isFiat ? "fiat" : "crypto",
      currency,
      country_code: isFiat ? offer.country_code : null,
      network: offer.network ?? "bank",
      holder: drawPerson(chance)
    }
  }
}

export const drawInstruction = (
  chance: Chance,
  { offer, currency }: { readonly offer: { readonly country_code: string | null }; readonly currency: string },
  amount: string
): SentCommand => {
  const resource_id = drawId(chance, "onr")
  return {
    id: `${resource_id}.instruction`,
    family: "instruction",
    members: {
      merchant_id: drawId(chance, "mer"),
      resource_id,
      amount,
      currency,
      country_code: offer.country_code,
      expires_at: formatInstant(now() + 1_800_000)
    }
  }
}

export const drawVerification = (chance: Chance): SentCommand => {
  const resource_id = drawId(chance, "kyc")
  const name = drawPerson(chance)
  const [, country_code] = chance.pick(cities)
  return {
    id: resource_id,
    family: "verification",
    members: {
      merchant_id: drawId(chance, "mer"),
      resource_id,
      tier: chance.pick(["tier_1", "tier_2"]),
      customer: {
        id: drawId(chance, "cust"),
        type: "individual",
        name,
        email: `${name.toLowerCase().replace(" ", ".")}${chance.between(1, 99)}@example.com`,
        country_code
      },
      redirect_url: chance.happens(0.5) ? "https://merchant.example/done" : null
    }
  }
}

/** Draws a screening: `POST /screen`, whose id is the screening's. */
export const drawScreening = (chance: Chance, destination: JsonMembers) => ({
  id: drawId(chance, "scr"),
  members: {
    merchant_id: drawId(chance, "mer"),
    resource_id: drawId(chance, "ben"),
    name: drawPerson(chance),
    destination
  }
})

/** Lists copies of a command with one member of its content changed, each with the name of that member. */
export const listChangedCommands = (
  chance: Chance,
  { id, family, members }: SentCommand
): ReadonlyArray<readonly [string, SentCommand]> => {
  const other = (member: string, value: unknown): readonly [string, SentCommand] => [
    member,
    { id, family, members: { ...members, [member]: value } }
  ]
  const moved = (text: unknown, steps: bigint): string => {
    const decimals = /\.(\d+)$/.exec(String(text))?.[1]?.length ?? 0
    return formatUnits((parseSignedUnits(text) ?? 0n) + steps * findSmallestUnit(decimals), decimals)
  }
  const more = (text: unknown): string => moved(text, 1n)
  // More than the pay-in would be rejected for that.
  const less = (text: unknown): string => moved(text, -1n)
  switch (family) {
    case "payout": {
      const { destination, beneficiary, amount } = members as {
        destination: JsonMembers
        beneficiary: JsonMembers
        amount: string
      }
      const { account_number } = destination as { account_number?: string }
      const twisted = `${account_number?.slice(0, -1)}${account_number?.endsWith("1") === true ? "2" : "1"}`
      return [
        other("amount", more(amount)),
        ...(account_number === undefined ? [] : [other("destination", { ...destination, account_number: twisted })]),
        other("beneficiary", { ...beneficiary, name: `${drawPerson(chance)} II` }),
        other("narration", `Invoice ${chance.between(1000, 9999)} (2)`)
      ]
    }
    case "conversion":
      return [
        other("source_amount", more(members["source_amount"])),
        other("destination_amount", more(members["destination_amount"]))
      ]
    case "refund":
      return [other("amount", less(members["amount"])), other("payin_id", `${String(members["payin_id"])}x`)]
    case "issue":
      return [other("holder", `${drawPerson(chance)} II`), other("merchant_id", drawId(chance, "mer"))]
    case "instruction":
      return [other("amount", more(members["amount"]))]
    case "verification":
      return [
        other("tier", members["tier"] === "tier_1" ? "tier_2" : "tier_1"),
        other("merchant_id", drawId(chance, "mer"))
      ]
  }
}
