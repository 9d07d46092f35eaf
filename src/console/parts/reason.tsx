/** A reason: its name, and a sentence that explains it. */
import { words } from "./text.ts"

export const ReasonView = ({ name, sentence }: { readonly name: string; readonly sentence: string | undefined }) => (
  <span class="reason">
    <strong>{words(name)}</strong>
    {sentence !== undefined && <span class="dim">{sentence}</span>}
  </span>
)
