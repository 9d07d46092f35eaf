import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { simulatedMidRates, computeCustomerRate } from "../../src/engine/ports/Rates.ts"
import { currencies } from "../../src/engine/reference/currencies.ts"
import {
  type Figures,
  priceSource,
  priceTarget,
  readFigures,
  priceActual,
  toStoredFigures,
  type Terms
} from "../../src/machines/kernel/pricing.ts"
import { minus, over, type Ratio, ratio, roundDown, roundUp, times } from "../support/properties/fractions.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

const plus = (a: Ratio, b: Ratio): Ratio => minus(a, { above: -b.above, below: b.below })

/** The gateway fee by FEE-3: what share and fixed part say, held by the bounds, and only then rounded. */
const feeOf = ({ gateway, schedule, source: { decimals } }: Terms, source: Ratio): Ratio => {
  let fee = plus(times(source, ratio(gateway)), ratio(schedule?.fixed ?? "0"))
  const [most, least] = [schedule?.maximum ?? null, schedule?.minimum ?? null]
  if (most !== null && isLess(ratio(most), fee)) fee = ratio(most)
  if (least !== null && isLess(fee, ratio(least))) fee = ratio(least)
  return roundUp(fee, decimals)
}

/** The price of a source amount by PRICE-5, in fractions of whole currency units. */
const expected = (terms: Terms, source: Ratio): { gateway: Ratio; destination: Ratio; received: Ratio } => {
  const gateway = feeOf(terms, source)
  const left = minus(source, gateway)
  const destination =
    left.above <= 0n ? ratio("0") : roundDown(times(left, ratio(terms.rate)), terms.destination.decimals)
  return { gateway, destination, received: minus(destination, network(terms)) }
}

const scaled = (minor: bigint, scale: number): Ratio => over(minor, 10n ** BigInt(scale))
const network = (terms: Terms): Ratio => scaled(BigInt(terms.network), terms.destination.ledger_scale)
const unitOf = ({ decimals, ledger_scale }: Terms["source"]): bigint => 10n ** BigInt(ledger_scale - decimals)
const isLess = (a: Ratio, b: Ratio): boolean => minus(a, b).above < 0n
const isSame = (a: Ratio, b: Ratio): boolean => minus(a, b).above === 0n

const nowhere = { minimum: null, maximum: null }

/** Terms of the real pairs with the default fees, as they are quoted. */
const marketTerms: fc.Arbitrary<Terms> = fc
  .record({
    source: fc.constantFrom(...currencies),
    destination: fc.constantFrom(...currencies),
    gateway: fc.constantFrom("0.005", "0.0025", "0"),
    cents: fc.integer({ min: 0, max: 200_000 })
  })
  .filter(({ source, destination }) => source.code !== destination.code)
  .map(({ source, destination, gateway, cents }) => ({
    source: { decimals: source.decimals, ledger_scale: source.ledger_scale },
    destination: { decimals: destination.decimals, ledger_scale: destination.ledger_scale },
    rate: computeCustomerRate(
      { type: source.type, per_usd: simulatedMidRates[source.code] ?? "" },
      { type: destination.type, per_usd: simulatedMidRates[destination.code] ?? "" },
      "0.005"
    ),
    gateway,
    network: (BigInt(cents) * unitOf(destination)).toString(),
    ...nowhere
  }))

/** Terms nobody would quote, over every scale a token may have. */
const wildTerms: fc.Arbitrary<Terms> = fc
  .record({
    source: fc.record({ decimals: fc.nat(18), finer: fc.nat(18) }),
    destination: fc.record({ decimals: fc.nat(18), finer: fc.nat(18) }),
    digits: fc.bigInt({ min: 1n, max: 999_999_999_999n }),
    places: fc.nat(18),
    gateway: fc.constantFrom("0", "0.005", "0.0025", "0.3333", "0.999999", "0.5", "0.000000000001"),
    fee: fc.bigInt({ min: 0n, max: 10n ** 24n })
  })
  .map(({ source, destination, digits, places, gateway, fee }) => {
    const text = digits.toString().padStart(places + 1, "0")
    return {
      source: { decimals: source.decimals, ledger_scale: source.decimals + source.finer },
      destination: { decimals: destination.decimals, ledger_scale: destination.decimals + destination.finer },
      rate: places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`,
      gateway,
      network: fee.toString(),
      ...nowhere
    }
  })

const unscheduled = fc.oneof({ weight: 3, arbitrary: marketTerms }, { weight: 2, arbitrary: wildTerms })

/** A decimal of every magnitude, with up to four decimals, which may be more than the currency has. */
const decimal = fc
  .tuple(fc.nat(10), fc.nat(4))
  .chain(([digits, decimals]) => fc.tuple(fc.bigInt({ min: 0n, max: 10n ** BigInt(digits) }), fc.constant(decimals)))
  .map(([whole, decimals]) => {
    const text = whole.toString().padStart(decimals + 1, "0")
    return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
  })

/** Terms of a fee schedule: a fixed part and bounds, each of which may be absent. */
const scheduledTerms: fc.Arbitrary<Terms> = fc
  .record({
    terms: unscheduled,
    fixed: fc.oneof(fc.constant("0"), decimal),
    bounds: fc.tuple(decimal, decimal).map(([a, b]) => (isLess(ratio(b), ratio(a)) ? [b, a] : [a, b])),
    bounded: fc.constantFrom("both", "minimum", "maximum", "neither")
  })
  .map(({ terms, fixed, bounded, bounds: [least = "0", most = "0"] }) => ({
    ...terms,
    schedule: {
      fee_schedule_id: "fee_1",
      fixed,
      minimum: bounded === "both" || bounded === "minimum" ? least : null,
      maximum: bounded === "both" || bounded === "maximum" ? most : null
    }
  }))

const someTerms = fc.oneof(unscheduled, scheduledTerms)
/** Every magnitude as likely as another: a power of ten, then a number below it. */
const magnitude = fc.nat(30).chain((digits) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) }))

/** `expect` takes half of the time of as many cases as there are here. */
const holds = (fact: boolean, what: string): void => {
  if (!fact) throw new Error(`Not so: ${what}.`)
}

const holdsItsLaws = (terms: Terms, figures: Figures): void => {
  for (const amount of Object.values(toStoredFigures(figures)))
    holds(/^\d+$/.test(amount), `${amount} is a number of units`)
  holds(figures.received_amount > 0n, "something is received")
  holds(figures.destination_amount === figures.received_amount + figures.network_fee, "the network has its fee")
  const worth = times(scaled(figures.source_amount - figures.gateway_fee, terms.source.ledger_scale), ratio(terms.rate))
  const given = scaled(figures.destination_amount + figures.residue, terms.destination.ledger_scale)
  holds(!isLess(worth, given), "no more is given than it is worth")
  holds(isLess(minus(worth, given), scaled(1n, terms.destination.decimals)), "less than a unit is lost")
}

covers("FEE-3")
describe("a quote for a source amount", () => {
  it("is what exact fractions say, over all pairs, scales and magnitudes", () => {
    let [priced, nothing] = [0, 0]
    fc.assert(
      fc.property(someTerms, magnitude, (terms, source) => {
        const want = expected(terms, scaled(source, terms.source.ledger_scale))
        const got = priceSource(terms, source)
        if (want.received.above <= 0n) {
          nothing++
          expect(got).toEqual({ _tag: "nothing" })
          return
        }
        if (got._tag !== "priced") throw new Error(`priced as ${got._tag}`)
        priced++
        holds(got.source_amount === source, "the source is the one that was asked about")
        holds(isSame(scaled(got.gateway_fee, terms.source.ledger_scale), want.gateway), "gateway")
        holds(isSame(scaled(got.destination_amount, terms.destination.ledger_scale), want.destination), "destination")
        holds(isSame(scaled(got.received_amount, terms.destination.ledger_scale), want.received), "received")
        holds(got.residue === 0n, "nothing is left")
        holdsItsLaws(terms, got)
      }),
      { numRuns: triesOf(60_000) }
    )
    expect(priced * 2).toBeGreaterThan(nothing)
  })

  it("never buys less with more", () => {
    fc.assert(
      fc.property(someTerms, magnitude, magnitude, (terms, source, more) => {
        const less = priceSource(terms, source)
        const greater = priceSource(terms, source + more * unitOf(terms.source))
        if (less._tag !== "priced") return
        if (greater._tag !== "priced") throw new Error(`more money was ${greater._tag}`)
        holds(greater.received_amount >= less.received_amount, "more buys as much")
      }),
      { numRuns: triesOf(10_000) }
    )
  })
})

covers("PRICE-5", "FEE-3")
describe("a quote for a target", () => {
  it("takes the smallest source that buys it, gives the recipient exactly the target, and loses no unit", () => {
    fc.assert(
      fc.property(someTerms, magnitude, (terms, target) => {
        const got = priceTarget(terms, target)
        if (got._tag !== "priced") throw new Error(`priced as ${got._tag}`)
        holdsItsLaws(terms, got)
        holds(got.received_amount === target, "the recipient has the target")
        holds(got.source_amount % unitOf(terms.source) === 0n, "the source can be paid")

        const wanted = scaled(target, terms.destination.ledger_scale)
        const buys = (source: bigint) => expected(terms, scaled(source, terms.source.ledger_scale))
        const enough = buys(got.source_amount)
        holds(!isLess(enough.received, wanted), "it is enough")
        holds(isLess(buys(got.source_amount - unitOf(terms.source)).received, wanted), "a unit less is not")
        holds(isSame(scaled(got.gateway_fee, terms.source.ledger_scale), enough.gateway), "gateway")
        holds(isSame(scaled(got.residue, terms.destination.ledger_scale), minus(enough.received, wanted)), "residue")
      }),
      { numRuns: triesOf(60_000) }
    )
  })

  it("costs at least what its target would buy back at the opposite rate, so no round trip gains", () => {
    const pairs = fc.record({
      crypto: fc.constantFrom(...currencies.filter((one) => one.type === "crypto")),
      fiat: fc.constantFrom(...currencies.filter((one) => one.type === "fiat")),
      amount: fc.bigInt({ min: 1n, max: 10n ** 14n })
    })
    const leg = (source: (typeof currencies)[number], destination: (typeof currencies)[number]): Terms => ({
      source,
      destination,
      rate: computeCustomerRate(
        { type: source.type, per_usd: simulatedMidRates[source.code] ?? "" },
        { type: destination.type, per_usd: simulatedMidRates[destination.code] ?? "" },
        "0.005"
      ),
      gateway: "0",
      network: "0",
      ...nowhere
    })
    fc.assert(
      fc.property(pairs, ({ crypto, fiat, amount }) => {
        const start = amount * unitOf(crypto)
        const out = priceSource(leg(crypto, fiat), start)
        if (out._tag !== "priced") return
        const back = priceSource(leg(fiat, crypto), out.destination_amount)
        expect(back._tag !== "priced" || back.destination_amount < start).toBe(true)
        const exact = priceTarget(leg(crypto, fiat), out.received_amount)
        expect(exact._tag === "priced" && exact.source_amount <= start).toBe(true)
      }),
      { numRuns: triesOf(10_000) }
    )
  })
})

describe("settling what actually arrived", () => {
  it("keeps the quoted figures for the quoted amount and prices any other at the locked rate", () => {
    fc.assert(
      fc.property(someTerms, magnitude, magnitude, (terms, target, actual) => {
        const quoted = priceTarget(terms, target)
        if (quoted._tag !== "priced") throw new Error(`priced as ${quoted._tag}`)
        const { _tag: _, ...figures } = quoted
        expect(readFigures(toStoredFigures(figures))).toEqual(figures)
        expect(priceActual(terms, figures, figures.source_amount)).toEqual(quoted)
        if (actual === figures.source_amount) return
        expect(priceActual(terms, figures, actual)).toEqual(priceSource(terms, actual))
      }),
      { numRuns: triesOf(10_000) }
    )
  })
})
