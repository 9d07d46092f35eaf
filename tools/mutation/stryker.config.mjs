/** What every run of the mutation tests has in common; `scripts/mutation.ts` says what is mutated and tested. */
const config = {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "tools/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  // Stryker would rewrite it with the compiler's JavaScript API, which TypeScript 7 has not; nothing here reads it.
  tsconfigFile: "tools/mutation/no-tsconfig.json",
  disableTypeChecks: false,
  concurrency: 2,
  tempDirName: "node_modules/.stryker",
  reporters: ["json"],
  jsonReporter: { fileName: "node_modules/.stryker-report.json" },
  ignorePatterns: ["/dist", "/bench", "/tools/openapi-types"]
}
export default config
