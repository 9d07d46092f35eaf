/** Data as it was sent or received: JSON with indentation, other text as it is. */
import { Copy } from "./copy.tsx"

const indentJson = (value: unknown): string => {
  if (typeof value !== "string") return JSON.stringify(value, null, 2)
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

export interface DataProps {
  readonly value: unknown
  /** What it is, for people who do not see it and for the button that copies it. */
  readonly what: string
}

export const DataView = ({ value, what }: DataProps) => {
  const text = indentJson(value)
  return (
    <div class="data">
      <pre tabIndex={0} role="region" aria-label={what}>
        {text}
      </pre>
      <Copy text={typeof value === "string" ? value : text} what={what} />
    </div>
  )
}

/** Data that is folded until somebody opens it. */
export const Folded = ({ value, what }: DataProps) => (
  <details>
    <summary>{what}</summary>
    <DataView value={value} what={what} />
  </details>
)
