/**
 * Compiles the Solidity sources and writes each artifact, ABI and bytecode, beside its source: `node scripts/contracts.ts`. A
 * test fails when an artifact is not what the compiler makes of its source.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join } from "node:path"

const root = join(import.meta.dirname, "..")

/** The artifacts by path, each with its source and the contracts that it has. */
export const artifacts: Readonly<
  Record<string, { readonly source: string; readonly contracts: ReadonlyArray<string> }>
> = {
  "src/adapters/provider/evm/contracts/artifact.ts": {
    source: "src/adapters/provider/evm/contracts/Forwarder.sol",
    contracts: ["Forwarder", "ForwarderFactory", "Balances"]
  },
  "test/support/chains/test-token.ts": { source: "test/support/chains/TestToken.sol", contracts: ["TestToken"] }
}

interface Compiled {
  readonly errors?: ReadonlyArray<{ readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<
      string,
      Record<string, { readonly abi: unknown; readonly evm: { readonly bytecode: { readonly object: string } } }>
    >
  >
}

export interface Artifact {
  readonly abi: unknown
  readonly bytecode: string
}

/**
 * Compiles the source of an artifact. The bytecode has no metadata, so it depends on the source, the compiler and its settings
 * only. The EVM version is one that every chain runs.
 */
export const compileContract = (path: string): Readonly<Record<string, Artifact>> => {
  const { contracts, source } = artifacts[path]!
  const file = basename(source)
  const solc = createRequire(import.meta.url)("solc") as { compile: (input: string) => string }
  const compiled = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { [file]: { content: readFileSync(join(root, source), "utf8") } },
        settings: {
          evmVersion: "paris",
          optimizer: { enabled: true, runs: 10_000 },
          metadata: { appendCBOR: false, bytecodeHash: "none" },
          outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } }
        }
      })
    )
  ) as Compiled
  const [error] = compiled.errors ?? []
  if (error !== undefined) throw new Error(error.formattedMessage)
  return Object.fromEntries(
    contracts.map((name) => {
      const { abi, evm } = compiled.contracts[file]![name]!
      return [`${name[0]!.toLowerCase()}${name.slice(1)}`, { abi, bytecode: `0x${evm.bytecode.object}` }]
    })
  )
}

const renderContract = (path: string): string => {
  const values = Object.entries(compileContract(path)).map(
    ([name, { abi, bytecode }]) =>
      `export const ${name} = { abi: ${JSON.stringify(abi)}, bytecode: "${bytecode}" } as const\n`
  )
  return `/** Compiled from ${basename(artifacts[path]!.source)} by scripts/contracts.ts. */\n${values.join("")}`
}

if (import.meta.main) for (const path of Object.keys(artifacts)) writeFileSync(join(root, path), renderContract(path))
