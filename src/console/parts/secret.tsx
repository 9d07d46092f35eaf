/** A secret that the server shows once: selectable, with a button that copies it. */
import { t } from "../frame/language.ts"
import { Copy } from "./copy.tsx"

export const SecretView = ({
  text,
  what,
  use
}: {
  readonly text: string
  readonly what: string
  readonly use: string
}) => (
  <>
    <p>
      <strong>{t("Copy the {what} now.", { what })}</strong> {t("It is not shown again, and nobody can read it later.")}{" "}
      {use}
    </p>
    <p class="secret">
      <code>{text}</code> <Copy text={text} what={what} />
    </p>
  </>
)
