/** The sign-in page: one field. It stands at the URL that was asked for, so that signing in leads there. */
import { useEffect, useRef, useState } from "preact/hooks"
import { rich, t } from "../frame/language.ts"
import { LanguageChoice } from "../frame/layout.tsx"
import { signIn, signInReason } from "../frame/session.ts"

export const SignInPage = () => {
  const field = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  useEffect(() => {
    document.title = t("Sign in · Corridor")
    field.current?.focus()
  }, [])
  const send = async (): Promise<void> => {
    const token = field.current?.value.trim() ?? ""
    if (token === "") setError(t("Enter an operator token or an API key."))
    else {
      setSending(true)
      setError(await signIn(token))
      setSending(false)
    }
    field.current?.focus()
  }
  return (
    <main class="sign-in" id="main">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p class="brand">
          <span class="brand-mark" aria-hidden="true" /> Corridor
        </p>
        <h1>{t("Sign in")}</h1>
        {signInReason.value !== null && <p class="late">{signInReason.value}</p>}
        <label for="token">{t("Operator token or API key")}</label>
        <input
          ref={field}
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={error !== null}
          aria-describedby={error === null ? "token-hint" : "token-error"}
        />
        {error !== null && (
          <p class="field-error" id="token-error" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="main" disabled={isSending}>
          {isSending ? t("Signing in…") : t("Sign in")}
        </button>
        <p class="dim" id="token-hint">
          {rich(
            "An operator token begins with {op}, an API key with {sk}. {start} prints one of each when it first runs. Neither is kept in the browser.",
            { op: <code>op_</code>, sk: <code>sk_</code>, start: <code>npm start</code> }
          )}
        </p>
      </form>
      <div class="display">
        <LanguageChoice />
      </div>
    </main>
  )
}
