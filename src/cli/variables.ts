/** Misspelt variables of the environment. */
import { findNearest } from "../engine/input/nearest.ts"

const prefix = "CORRIDOR_"

/** What a command reads that is no setting of the service. */
const others = ["CORRIDOR_URL", "CORRIDOR_PROFILE"]

/**
 * Finds set variables without an effect whose name is nearly that of a setting, as one line. `read`: the variables that a configuration file
 * has read. A variable that resembles none is ignored: it may be for a later version, which shares its environment during an upgrade.
 */
export const findMisspeltVariables = async (
  env: Readonly<Record<string, string | undefined>>,
  read: ReadonlySet<string> = new Set()
): Promise<string | undefined> => {
  const given = Object.keys(env).filter((name) => name.startsWith(prefix) && (env[name] ?? "") !== "")
  if (given.length === 0) return undefined
  const { listAllSettings } = await import("../http/config/settings.ts")
  const known = [...listAllSettings("test").map(({ variable }) => variable), ...others]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
  const lines = given.flatMap((name) => {
    const own = name.slice(prefix.length)
    if (known.includes(own) || read.has(name)) return []
    const near = findNearest(own, known)
    return near === undefined ? [] : [`${name} has no effect. Did you mean ${prefix}${near}?`]
  })
  return lines.length === 0 ? undefined : lines.join(" ")
}
