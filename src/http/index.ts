/**
 * The server: `serve` starts one in this process. In an application written with Effect, `layer` serves `/v1` from another
 * server: it requires `Corridor.layer`, `HttpSettings` and an Effect `HttpServer`.
 */
export { type ConfigDefinition, type ConfigSources, defineConfig, type ServerConfig } from "./config/define.ts"
export { Api } from "./contract.ts"
export { openApi } from "./openapi.ts"
export { ConfigError, StartError } from "./serve/errors.ts"
export { type RunningServer, serve } from "./serve/serve.ts"
export { layer } from "./server.ts"
export { HttpSettings, type Settings } from "./settings.ts"
