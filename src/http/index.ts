/**
 * Serves `/v1` from another application: `layer` requires `Corridor.layer`, `HttpSettings` and an Effect `HttpServer`.
 */
export { Api } from "./contract.ts"
export { openApi } from "./openapi.ts"
export { layer } from "./server.ts"
export { HttpSettings, type Settings } from "./settings.ts"
