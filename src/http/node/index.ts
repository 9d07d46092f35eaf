/**
 * Effect's services on Node: the HTTP server, and what the command needs. The build bundles them: the package that they come
 * from would install clients of other services.
 */
export * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
export * as NodeServices from "@effect/platform-node/NodeServices"
