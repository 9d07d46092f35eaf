/**
 * The banks that accept payouts (CURRENCY-10). Ids derive from country and code, so they are the same on every start.
 */
import type { Bank } from "../../../engine/ports/Provider.ts"
import { deriveId } from "./hashing.ts"

/**
 * Bank name and code by country: universal branch codes in ZA, bank codes in NG and KE, routing numbers in US, BICs
 * elsewhere.
 */
const table: Readonly<Record<string, ReadonlyArray<readonly [name: string, code: string]>>> = {
  CI: [
    ["Ecobank Côte d'Ivoire", "ECOCCIAB"],
    ["NSIA Banque", "BIAOCIAB"],
    ["Société Générale Côte d'Ivoire", "SGCICIAB"]
  ],
  DE: [
    ["Commerzbank", "COBADEFF"],
    ["Deutsche Bank", "DEUTDEFF"],
    ["N26", "NTSBDEB1"]
  ],
  FR: [
    ["BNP Paribas", "BNPAFRPP"],
    ["Crédit Agricole", "AGRIFRPP"],
    ["Société Générale", "SOGEFRPP"]
  ],
  GH: [
    ["Ecobank Ghana", "EBGHGHAC"],
    ["GCB Bank", "GHCBGHAC"],
    ["Stanbic Bank Ghana", "SBICGHAC"]
  ],
  KE: [
    ["Co-operative Bank of Kenya", "11"],
    ["Equity Bank Kenya", "68"],
    ["KCB Bank Kenya", "01"]
  ],
  NG: [
    ["Access Bank", "044"],
    ["First Bank of Nigeria", "011"],
    ["Guaranty Trust Bank", "058"],
    ["United Bank for Africa", "033"],
    ["Zenith Bank", "057"]
  ],
  NL: [
    ["ABN AMRO", "ABNANL2A"],
    ["ING", "INGBNL2A"],
    ["Rabobank", "RABONL2U"]
  ],
  SN: [
    ["CBAO Groupe Attijariwafa bank", "CBAOSNDA"],
    ["Ecobank Sénégal", "ECOCSNDA"],
    ["Société Générale Sénégal", "SGSNSNDA"]
  ],
  UG: [
    ["Centenary Bank", "CERBUGKA"],
    ["dfcu Bank", "DFCUUGKA"],
    ["Stanbic Bank Uganda", "SBICUGKX"]
  ],
  US: [
    ["Bank of America", "026009593"],
    ["JPMorgan Chase", "021000021"],
    ["Wells Fargo", "121000248"]
  ],
  ZA: [
    ["Absa", "632005"],
    ["Capitec", "470010"],
    ["Discovery Bank", "679000"],
    ["FNB", "250655"],
    ["Nedbank", "198765"],
    ["Standard Bank", "051001"]
  ]
}

const compareBanksByCode = (a: Bank, b: Bank): number =>
  a.code < b.code ? -1 : a.code > b.code ? 1 : a.country_code < b.country_code ? -1 : 1

const all: ReadonlyArray<Bank> = Object.entries(table)
  .flatMap(([country_code, banks]) =>
    banks.map(([name, code]) => ({ id: deriveId("prov", `bank ${country_code} ${code}`), name, code, country_code }))
  )
  .sort(compareBanksByCode)

/** The banks of a country, ordered by code. Null returns all banks. */
export const listBanks = (country_code: string | null): ReadonlyArray<Bank> =>
  country_code === null ? all : all.filter((bank) => bank.country_code === country_code)
