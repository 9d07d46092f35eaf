/** Optional peers, and the only sources that may import each. A caller who does not use them does not install them. */
export const peers: Readonly<Record<string, RegExp>> = {
  viem: /^src\/adapters\/(?:provider\/evm(?:\.ts|\/)|signer\/keys\.ts$)/,
  "@solana/kit": /^src\/adapters\/provider\/solana(?:\.ts|\/)/,
  "@solana-program/token": /^src\/adapters\/provider\/solana(?:\.ts|\/)/
}

/** Packages that only one store needs. They are installed unless optional dependencies are left out. */
export const optional: Readonly<Record<string, RegExp>> = {
  "@electric-sql/pglite": /^src\/adapters\/storage\/pglite(?:-files)?\.ts$/
}

/** Packages of the console's script. They are bundled into it, and not installed with the package. */
export const bundledPackages: ReadonlySet<string> = new Set(["preact", "@preact/signals", "preact-iso"])

/** The name of the package that an import loads from. */
export const packageOf = (imported: string): string =>
  imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/")

/** Whether a source imports a package that the build bundles into it: of the console's script, or of the server on Node. */
export const isBundled = (path: string, imported: string): boolean =>
  (path.startsWith("src/console/") && bundledPackages.has(packageOf(imported))) ||
  (path === "src/http/node/index.ts" && packageOf(imported) === "@effect/platform-node")
