/** The environment variables that the settings read, as the decoder itself asks for them. */
import { decodeConfig } from "../../../src/http/config/decode.ts"

export const listSettings = (): ReadonlySet<string> => {
  const asked = new Set<string>()
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        asked.add(String(name))
        return undefined
      }
    }
  )
  decodeConfig(env)
  return asked
}
