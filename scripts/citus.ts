/**
 * `npm run citus`: a coordinator and two workers on loopback, until it is interrupted. The Postgres of `CITUS_PG_CONFIG`, or of the
 * path, must have the extension. Their data go when it ends.
 */
import { once } from "node:events"
import { citusBin, citusDatabase, noCitus, startCitus } from "../test/support/stores/citus.ts"

const bin = citusBin()
if (bin === undefined) {
  console.error(noCitus)
  process.exit(1)
}
const citus = await startCitus(bin)
try {
  const servers = [citus.coordinator, ...citus.workers].map(({ url }) => url)
  const url = await citusDatabase(servers, "corridor")
  console.log(`DATABASE_URL='${url}?cells=8' npm start`)
  // A listener of signals alone does not keep the process alive.
  const waiting = setInterval(() => {}, 60_000)
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
  clearInterval(waiting)
} finally {
  await citus.stop()
}
