/** A button that copies a text. */
import { useState } from "preact/hooks"
import { t } from "../frame/language.ts"
import { announce } from "../frame/announce.tsx"

/** Copies a text. False: it was not copied, as where the page is not served over HTTPS (`navigator.clipboard` is missing there). */
const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [state, setState] = useState<"" | "copied" | "failed">("")
  const copy = async (): Promise<void> => {
    const done = await copyText(text)
    setState(done ? "copied" : "failed")
    announce(
      done ? t("Copied {what}.", { what }) : t("The browser does not allow copying here. Select the text instead.")
    )
    setTimeout(() => setState(""), 2000)
  }
  return (
    <button
      type="button"
      class="copy"
      aria-label={t("Copy {what}", { what })}
      title={t("Copy {what}", { what })}
      onClick={() => void copy()}
    >
      {state === "copied" ? "✓" : state === "failed" ? "!" : <span class="copy-sign" aria-hidden="true" />}
    </button>
  )
}
