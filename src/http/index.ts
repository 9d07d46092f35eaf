/**
 * `/v1` served by an application of one's own: `layer` over `Corridor.layer`, `HttpSettings` and an Effect `HttpServer`.
 */
export { Api } from "./contract.ts"
export { openApi } from "./openapi.ts"
export { layer } from "./server.ts"
export { HttpSettings, type Settings } from "./settings.ts"
