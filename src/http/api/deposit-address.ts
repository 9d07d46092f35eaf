import { DepositAddressBody } from "../../engine/representations/wallets/deposit-address.ts"
import {
  CreateDepositAddress,
  DisableDepositAddress,
  ListDepositAddresses
} from "../../engine/resources/wallets/deposit-address.ts"
import { Id } from "../../engine/input/schemas.ts"
import { del, Deleted, get, group, list, post } from "./contract.ts"

const wallet = { id: Id("wal") }
const one = { ...wallet, depositAddressId: Id("da") }

export const DepositAddressesApi = group(
  "deposit_addresses",
  "Deposit addresses",
  "On-chain addresses that fund a crypto wallet."
).add(
  post("createDepositAddress", "/v1/wallets/:id/deposit-addresses", CreateDepositAddress, DepositAddressBody, {
    summary: "Create a deposit address",
    description: "It is pending until the provider has issued the address.",
    params: wallet,
    limited: true,
    errors: ["invalid_input"],
    examples: { base: { network: "base", label: "payroll" } }
  }),
  list("listDepositAddresses", "/v1/wallets/:id/deposit-addresses", DepositAddressBody, {
    summary: "List a wallet's deposit addresses",
    params: wallet,
    query: ListDepositAddresses
  }),
  get("getDepositAddress", "/v1/wallets/:id/deposit-addresses/:depositAddressId", DepositAddressBody, {
    summary: "Get a deposit address",
    params: one
  }),
  del("disableDepositAddress", "/v1/wallets/:id/deposit-addresses/:depositAddressId", DisableDepositAddress, Deleted, {
    summary: "Disable a deposit address",
    description: "It stays listed; what arrives later is recorded and held.",
    params: one,
    errors: ["invalid_status", "conflict"],
    examples: { reason: { reason: "rotated" } }
  })
)
