/**
 * Loads an optional package: `optionalPeer("viem", "corridor/adapters/provider/evm", () => import("viem"))`.
 *
 * Errors: rejects with a `TypeError` that names the package to install when it is missing.
 */
export const loadOptionalPeer = <A>(name: string, adapter: string, load: () => Promise<A>): Promise<A> =>
  load().catch((cause: unknown) => {
    if (!(cause instanceof Error && (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND")) throw cause
    throw new TypeError(`${adapter} requires the package ${name}, which is not installed: npm install ${name}`, {
      cause
    })
  })
