/** A list that is read again after an action on one of its rows. */
import { useMemo } from "preact/hooks"
import type { LoadedAnswer } from "./load.ts"

export const useListed = () =>
  useMemo(() => {
    let reload = (): void => {}
    return {
      /** The child of a `List`. */
      hold: (loaded: Pick<LoadedAnswer<unknown>, "reload">): void => {
        reload = loaded.reload
      },
      reload: (): void => reload()
    }
  }, [])
