/** Calls of contracts, and the addresses of the deposit contracts, which are known before they are deployed. */
import {
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  stringToHex,
  toEventSelector
} from "viem"
import { balances, forwarderFactory } from "./contracts/artifact.ts"

const erc20 = parseAbi([
  "function balanceOf(address owner) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function transfer(address to, uint256 value) returns (bool)"
])

export const transferTopic: Hex = toEventSelector("Transfer(address,address,uint256)")

export const encodeBalanceCall = (owner: Hex): Hex =>
  encodeFunctionData({ abi: erc20, functionName: "balanceOf", args: [owner] })

/** Encodes an `eth_call` without a recipient that returns one word per owner, the owner's balance. A node returns at most 500. */
export const encodeBalancesCall = (token: Hex, owners: ReadonlyArray<Hex>): Hex =>
  encodeDeployData({ ...balances, args: [token, owners] })

export const decimalsCall: Hex = encodeFunctionData({ abi: erc20, functionName: "decimals" })

export const encodeTransferCall = (to: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to, value] })

/**
 * The deployer that exists at the same address on nearly every chain. It deploys by CREATE2, with a salt and the code in its
 * call data. https://github.com/Arachnid/deterministic-deployment-proxy
 */
export const deployer: Hex = "0x4e59b44847b379578588920ca78fbf26c0b4956c"

const noSalt: Hex = `0x${"0".repeat(64)}`

const toLowerHex = (address: string): Hex => address.toLowerCase() as Hex

/**
 * Derives the contracts that forward tokens to one destination: the factory, and a forwarder for each salt. Their addresses are
 * the same on every chain.
 */
export const deriveContracts = (destination: Hex) => {
  const code = concatHex([forwarderFactory.bytecode, encodeAbiParameters([{ type: "address" }], [destination])])
  const factory = toLowerHex(getContractAddress({ opcode: "CREATE2", from: deployer, salt: noSalt, bytecode: code }))
  // The factory's constructor deploys it first: a contract's nonce begins with 1.
  const implementation = toLowerHex(getContractAddress({ opcode: "CREATE", from: factory, nonce: 1n }))
  const clone = concatHex([
    "0x3d602d80600a3d3981f3363d3d373d3d3d363d73",
    implementation,
    "0x5af43d82803e903d91602b57fd5bf3"
  ])
  return {
    factory,
    /** The call data that makes {@link deployer} deploy the factory. */
    deployment: concatHex([noSalt, code]),
    forwarder: (salt: Hex): Hex =>
      toLowerHex(getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode: clone })),
    flushCall: (salts: ReadonlyArray<Hex>, token: Hex): Hex =>
      encodeFunctionData({ abi: forwarderFactory.abi, functionName: "flush", args: [salts, token] })
  }
}

export type Contracts = ReturnType<typeof deriveContracts>

/** Derives the salt of a deposit address from the id of the command, so that a repeated command gets the same address. */
export const deriveSalt = (command_id: string): Hex => keccak256(stringToHex(command_id))
