/** A secret that the server shows once: selectable, with a button that copies it. */
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
      <strong>Copy the {what} now.</strong> It is not shown again, and nobody can read it later. {use}
    </p>
    <p class="secret">
      <code>{text}</code> <Copy text={text} what={what} />
    </p>
  </>
)
