/** What every act of an operator on a resource has in common. */
import type { ActingOperator } from "../../client/generated/resources.ts"
import type { ComponentChildren } from "preact"
import { allowOperator } from "../frame/session.ts"
import { Action, type ActionProps } from "../parts/action.tsx"

/** The resource that is acted on: of a list, or of its own page. */
export interface Acted {
  readonly kind: string
  readonly id: string
  /** The state of its machine, or its status where a list has no states. */
  readonly state: string
  /** Its body, as far as the acts read it. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface ActProps extends Pick<ActionProps<unknown>, "tone" | "fields" | "title" | "shortcut"> {
  readonly label: string
  readonly does: ComponentChildren
  readonly least: ActingOperator["role"]
  /** Below `/operator/v1`. */
  readonly path: string
  /** Members beside the note and the fields. */
  readonly body?: Readonly<Record<string, string>>
  readonly note?: "optional" | "required"
  readonly version?: string | undefined
}

/** A button that sends a `POST` of the operator API with a note. The fields of its form are members of the body by their names. */
export const ActButton = ({ label, does, least, path, body = {}, note = "optional", ...rest }: ActProps) => (
  <Action
    {...rest}
    label={label}
    does={does}
    allowed={allowOperator(least)}
    note={note}
    request={(filled) => ({ path: `/operator/v1${path}`, body: { ...body, ...filled } })}
  />
)
