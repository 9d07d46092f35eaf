/** The edges: what starts the process, and adapters whose business is the world's own time. Each with what it may ask. */
export const edges: Readonly<Record<string, RegExp>> = {
  "src/cli/main.ts": /^setTimeout$/,
  // A new signing secret for each run.
  "src/cli/commands/listen.ts": /^randomBytes$/,
  "src/cli/simulation/report.ts": /^performance\.now$/,
  // How long a request took is real time, whatever the service's clock says.
  "src/http/observability/requests.ts": /^performance\.now$/,
  // How long a round of the event loop takes, and how long a peer reads, is real time too.
  "src/http/envelope-server.ts": /^(?:performance\.now|setImmediate|setTimeout)$/,
  "src/http/system.ts": /^setImmediate$/,
  // What the ids of an engine are made of, unless its caller brings another port.
  "src/engine/ports/Ids.ts": /^getRandomValues$/,
  "src/adapters/cipher/aes-gcm.ts": /^randomBytes$/,
  // Where the cells of Citus are, and how long a server may take to answer, is asked in real time.
  "src/adapters/storage/cells/citus-servers.ts": /^set(?:Immediate|Interval|Timeout)$/,
  "src/adapters/storage/postgres.ts": /^(?:randomUUID|setTimeout)$/,
  "src/adapters/storage/sql/connections.ts": /^setTimeout$/,
  "src/adapters/storage/sql/queue.ts": /^(?:queueMicrotask|setTimeout)$/,
  // How long a statement takes is real time, whatever the service's clock says.
  "src/adapters/storage/sql.ts": /^performance\.now$/,
  "src/adapters/storage/pglite.ts": /^setImmediate$/,
  // How long a database is silent is real time, whatever the service's clock says.
  "src/adapters/storage/cells/due.ts": /^setTimeout$/,
  "src/adapters/storage/cells/commits.ts": /^queueMicrotask$/,
  "src/adapters/storage/cells/cells.ts": /^randomUUID$/,
  // How long a connector takes is real time, whatever the service's clock says.
  "src/protocol/transport.ts": /^setTimeout$/,
  // The kit judges another process: time is real, and a seed is drawn where none is given.
  "src/conformance/clock.ts": /^(?:Date\.now|setTimeout)$/,
  "src/conformance/exchange.ts": /^AbortSignal\.timeout$/,
  "src/conformance/command.ts": /^randomBytes$/,
  "src/adapters/webhook/http.ts": /^(?:Date\.now|performance\.now|setTimeout)$/,
  "src/adapters/webhook/connector.ts": /^performance\.now$/,
  // What a client has unless its caller brings another environment.
  "src/client/transport.ts": /^(?:Date\.now|Math\.random|getRandomValues|setTimeout)$/,
  // Verification of a signature is pure.
  "src/client/webhooks.ts": /^(?:Date\.now|crypto\.subtle)$/,
  // A receiver's own clock, unless it says otherwise.
  "src/receiver/verify.ts": /^Date\.now$/,
  "src/receiver/feed.ts": /^AbortSignal\.timeout$/
}
