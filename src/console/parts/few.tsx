/** A long list in a cell: the first of it, and the rest on demand. */
import { t } from "../frame/language.ts"
import type { ComponentChildren } from "preact"

/** How many are shown at once: one more is not worth a click. */
const shownMax = 3

export const Few = ({ of }: { readonly of: ReadonlyArray<ComponentChildren> }) =>
  of.length <= shownMax + 1 ? (
    <>{of}</>
  ) : (
    <>
      {of.slice(0, shownMax)}
      <details>
        <summary>{t("{count} more", { count: of.length - shownMax })}</summary>
        {of.slice(shownMax)}
      </details>
    </>
  )
