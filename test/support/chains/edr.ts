/** Starts an EVM node of Hardhat (EDR) in this process. Its final block is its head. */
import { createHardhatRuntimeEnvironment } from "hardhat/hre"
import type { ChainNode } from "./anvil.ts"

/** Blocks are mined on request only. */
export const startEdr = async ({ chain_id = 8453 } = {}): Promise<ChainNode> => {
  const environment = await createHardhatRuntimeEnvironment({
    networks: {
      local: {
        type: "edr-simulated",
        chainId: chain_id,
        allowBlocksWithSameTimestamp: true,
        mining: { auto: false, interval: 0 }
      }
    }
  })
  const server = await environment.network.createServer("local", "127.0.0.1", 0)
  const { address, port } = await server.listen()
  return { url: `http://${address}:${port}`, stop: () => server.close() }
}
