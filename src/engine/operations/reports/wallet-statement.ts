import { get, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { WalletStatementQuery, WalletStatements } from "../../reports/wallet-statement.ts"
import { WalletStatementBody } from "../../representations/wallets/wallet-statement.ts"
import { type Registration, walletsGroup } from "../registration.ts"

const operations = {
  merchant: section(walletsGroup, {
    wallets: {
      statement: get(
        "getWalletStatement",
        "/v1/wallets/:id/statement",
        {
          summary: "Get a wallet's statement",
          description:
            "What changed the balance of the wallet between two days of UTC, as JSON, CSV or camt.053. The balance is what is available, reserved and held; what moves between these is no line.",
          params: { id: Id("wal") },
          input: WalletStatementQuery,
          output: WalletStatementBody,
          formats: { csv: "text/csv", camt053: "application/xml" },
          examples: { january: { from: "2026-01-01", to: "2026-01-31" } }
        },
        ({ call, params, input }) => WalletStatements.use((s) => s.get(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const walletStatement = { layer: WalletStatements.layer, operations } satisfies Registration
