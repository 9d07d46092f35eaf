/** The decimals that amounts of BAI2 imply, by currency (ISO 4217). Two, where not named. */
const decimals: ReadonlyArray<readonly [number, string]> = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"]
]
const byCurrency = new Map(decimals.flatMap(([count, names]) => names.split(" ").map((name) => [name, count] as const)))

export const decimalsFor = (currency: string): number => byCurrency.get(currency) ?? 2
