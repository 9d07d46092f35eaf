/** What a configuration file imports. */
export { type ConfigDefinition, type ConfigSources, defineConfig, type ServerConfig } from "./define.ts"
