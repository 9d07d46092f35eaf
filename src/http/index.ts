/**
 * The server: `serve` starts one in this process, and `mount` puts the API of a running Corridor into another server. In an
 * application written with Effect, `layer` does so: it requires `Corridor.layer`, `HttpSettings` and an Effect `HttpServer`.
 */
export { type ConfigDefinition, type ConfigSources, defineConfig, type ServerConfig } from "./config/define.ts"
export { Api } from "./contract.ts"
export { mount, type Mounted, type MountOptions } from "./mount.ts"
export { openApi } from "./openapi.ts"
export { ConfigError, StartError } from "./serve/failures.ts"
export { type MountedServer, mountServer, type RunningServer, serve } from "./serve/serve.ts"
export { layer } from "./server.ts"
export { metricsText } from "./observability/requests.ts"
export { HttpSettings, type HttpSettingsShape as Settings } from "./settings.ts"
