/** A statement in MT940 as a bank sends it, with one credit of 10.00 NGN. */
export const mt940 = (account: string, reference: string): Uint8Array =>
  new TextEncoder().encode(
    [
      `:20:${reference}`,
      `:25:${account}`,
      ":28C:1/1",
      ":60F:C260104NGN0,",
      `:61:2601050105C10,00NTRFINV-1//${reference}`,
      ":86:Invoice 77",
      ":62F:C260105NGN10,",
      "-"
    ].join("\r\n")
  )
