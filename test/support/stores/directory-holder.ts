/** Takes the directory that it is given, says how that went, and holds it until it is killed. */
import { Effect } from "effect"
import { claimDirectory } from "../../../src/adapters/storage/pglite-files.ts"

const claim = claimDirectory(process.argv[2]!).pipe(
  Effect.tap(() => Effect.sync(() => process.stdout.write("holds\n"))),
  Effect.andThen(Effect.never),
  Effect.scoped,
  Effect.catch(({ message }) => Effect.sync(() => process.stdout.write(`refused: ${message}\n`)))
)

// A pending promise alone keeps no process alive.
setInterval(() => {}, 1000)
void Effect.runPromise(claim).then(() => process.exit(0))
