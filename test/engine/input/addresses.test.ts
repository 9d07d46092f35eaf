import { assert, describe, it } from "@effect/vitest"
import { addressFault, explainLoss, memoFault } from "../../../src/engine/input/addresses.ts"
import { covers } from "../../support/repository/covers.ts"

// The test vectors of EIP-55 itself.
const checksummed = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

const solana = [
  "11111111111111111111111111111111", // the system program: 32 zero bytes
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", // USDC
  "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB" // USDT
]

covers("BENEFICIARY-4")
describe("an EVM address", () => {
  for (const network of ["base", "ethereum"])
    for (const address of checksummed)
      it(`takes ${address} on ${network}`, () => assert.isNull(addressFault(network, address)))

  it("takes one case throughout, which carries no checksum", () => {
    for (const address of checksummed) {
      assert.isNull(addressFault("base", address.toLowerCase()))
      assert.isNull(addressFault("base", `0x${address.slice(2).toUpperCase()}`))
    }
  })

  it("refuses a letter that lost its case", () => {
    assert.match(addressFault("base", "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed") ?? "", /EIP-55/)
    assert.match(addressFault("ethereum", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD") ?? "", /EIP-55/)
  })

  it("refuses a digit that was changed", () =>
    assert.match(addressFault("base", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee") ?? "", /EIP-55/))

  for (const [what, address] of [
    ["no 0x", "52908400098527886E0F7030069857D2E4169EE7"],
    ["a capital X", "0X52908400098527886E0F7030069857D2E4169EE7"],
    ["39 digits", "0x52908400098527886E0F7030069857D2E4169EE"],
    ["41 digits", "0x52908400098527886E0F7030069857D2E4169EE70"],
    ["a letter past f", "0x52908400098527886E0F7030069857D2E4169EEg"],
    ["a line end", "0x52908400098527886E0F7030069857D2E4169EE7\n"],
    ["nothing", ""],
    ["a Solana address", solana[2]!]
  ] as const)
    it(`refuses one with ${what}`, () => assert.match(addressFault("base", address) ?? "", /40 hexadecimal digits/))
})

covers("BENEFICIARY-4")
describe("a Solana address", () => {
  for (const address of solana) it(`takes ${address}`, () => assert.isNull(addressFault("solana", address)))

  for (const [what, address] of [
    ["31 bytes", "1111111111111111111111111111111"],
    ["33 zero bytes", "111111111111111111111111111111111"],
    ["a value past 32 bytes in 44 characters", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"],
    ["a character base58 leaves out", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt10"],
    ["a space", " EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
    ["a whole novel", "2".repeat(100_000)],
    ["nothing", ""],
    ["an EVM address", checksummed[0]!]
  ] as const)
    it(`refuses one with ${what}`, () => assert.match(addressFault("solana", address) ?? "", /32 bytes/))
})

it("takes no address on a network that has none", () => {
  assert.isString(addressFault("bank", checksummed[0]!))
  assert.isString(addressFault("tron", solana[0]!))
})

covers("BENEFICIARY-11")
describe("an address at which money would be lost", () => {
  const lost: ReadonlyArray<readonly [network: string, address: string, why: RegExp]> = [
    ["base", `0x${"0".repeat(40)}`, /zero address/],
    ["ethereum", `0x${"0".repeat(40)}`, /zero address/],
    ["solana", "1".repeat(32), /system program/],
    ["base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", /contract of USDC/],
    ["base", "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", /contract of USDT/],
    ["ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", /contract of USDC/],
    ["ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7", /contract of USDT/],
    ["solana", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", /contract of USDC/],
    ["solana", "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", /contract of USDT/]
  ]
  for (const [network, address, why] of lost)
    it(`is ${address} on ${network}, in any case that is valid`, () => {
      assert.isNull(addressFault(network, address))
      assert.match(explainLoss(network, address) ?? "", why)
      if (network !== "solana")
        for (const same of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
          assert.match(explainLoss(network, same) ?? "", why)
    })

  it("is none of another network's contracts, and no other address", () => {
    assert.isNull(explainLoss("ethereum", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))
    for (const address of checksummed) assert.isNull(explainLoss("base", address))
    assert.isNull(explainLoss("base", `0x${"0".repeat(39)}1`))
    assert.isNull(explainLoss("solana", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"))
  })
})

covers("BENEFICIARY-15")
it("takes a memo where a transfer has one, and counts its bytes, not its characters", () => {
  for (const network of ["base", "ethereum"]) assert.match(memoFault(network, "1") ?? "", /takes no memo/)
  for (const memo of ["1", "x".repeat(724), "é".repeat(362), "😀".repeat(181)]) assert.isNull(memoFault("solana", memo))
  for (const memo of ["x".repeat(725), "é".repeat(363), "😀".repeat(182)])
    assert.match(memoFault("solana", memo) ?? "", /has 72[5-8] bytes in UTF-8/)
})
