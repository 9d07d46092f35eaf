import { del, Deleted, get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { DepositAddressBody } from "../../representations/wallets/deposit-address.ts"
import {
  CreateDepositAddress,
  DepositAddresses,
  DepositAddressKind,
  DisableDepositAddress,
  ListDepositAddresses
} from "../../resources/wallets/deposit-address.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const wallet = { id: Id("wal") }
const one = { ...wallet, depositAddressId: Id("da") }
const address = { id: Id("da") }

const operations = {
  merchant: section(
    {
      id: "deposit_addresses",
      title: "Deposit addresses",
      description: "On-chain addresses that fund a crypto wallet."
    },
    {
      depositAddresses: {
        create: post(
          "createDepositAddress",
          "/v1/wallets/:id/deposit-addresses",
          {
            summary: "Create a deposit address",
            description: "The deposit address is pending until the provider issues the address.",
            params: wallet,
            input: CreateDepositAddress,
            output: DepositAddressBody,
            limited: true,
            examples: { base: { network: "base", label: "payroll" } },
            refusals: ["invalid_input"]
          },
          ({ call, params, input }) => DepositAddresses.use((s) => s.create(call, params.id, input))
        ),
        list: list(
          "listDepositAddresses",
          "/v1/wallets/:id/deposit-addresses",
          {
            summary: "List a wallet's deposit addresses",
            params: wallet,
            input: ListDepositAddresses,
            output: DepositAddressBody
          },
          ({ call, params, input }) => DepositAddresses.use((s) => s.list(call, params.id, input))
        ),
        get: get(
          "getDepositAddress",
          "/v1/wallets/:id/deposit-addresses/:depositAddressId",
          { summary: "Get a deposit address", params: one, output: DepositAddressBody },
          ({ call, params }) => DepositAddresses.use((s) => s.get(call, params.id, params.depositAddressId))
        ),
        disable: del(
          "disableDepositAddress",
          "/v1/wallets/:id/deposit-addresses/:depositAddressId",
          {
            summary: "Disable a deposit address",
            description: "A disabled deposit address stays listed. Later deposits to it are recorded and held.",
            params: one,
            input: DisableDepositAddress,
            output: Deleted,
            examples: { reason: { reason: "rotated" } },
            refusals: ["invalid_status", "conflict"]
          },
          ({ call, params, input }) =>
            DepositAddresses.use((s) => s.disable(call, params.id, params.depositAddressId, input))
        )
      }
    }
  ),
  operator: section(operatorGroup, {
    depositAddresses: {
      freeze: post(
        "freezeDepositAddress",
        "/operator/v1/deposit-addresses/:id/freeze",
        {
          role: "support",
          summary: "Freeze a deposit address",
          params: address,
          input: Noted,
          output: DepositAddressBody,
          refusals: ["invalid_status"]
        },
        ({ call, params }) => DepositAddresses.use((s) => s.freeze(call, params.id))
      ),
      unfreeze: post(
        "unfreezeDepositAddress",
        "/operator/v1/deposit-addresses/:id/unfreeze",
        {
          role: "treasury",
          summary: "Unfreeze a deposit address",
          params: address,
          input: Noted,
          output: DepositAddressBody,
          refusals: ["invalid_status"]
        },
        ({ call, params }) => DepositAddresses.use((s) => s.unfreeze(call, params.id))
      )
    }
  })
} as const satisfies Sections

export const depositAddress = {
  kind: DepositAddressKind,
  layer: DepositAddresses.layer,
  operations
} satisfies Registration
