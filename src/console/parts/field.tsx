/** Fields of a form, each with its own error: what the server says of a field is shown at the field. */
import type { FieldFault } from "../../client/generated/resources.ts"
import { type ComponentChildren, createContext } from "preact"
import { useContext, useId } from "preact/hooks"
import { t } from "../frame/language.ts"
import { type Suggested, useSuggestions } from "./suggest.tsx"
import { describeDuration, words } from "./text.ts"
import { Said } from "./said.tsx"

/** What the server said of the fields of the form around. */
export const FieldFaults = createContext<ReadonlyArray<FieldFault>>([])

export interface FieldProps {
  /** The member of the request: `profile.phone` for a member of a member. */
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly required?: boolean
  /** Nothing where there is none. */
  readonly value?: string | null | undefined
  readonly onValue?: ((value: string) => void) | undefined
}

export const useField = (name: string, hasHint: boolean) => {
  const id = useId()
  const fault = useContext(FieldFaults).find(({ field }) => field === name)
  const described = [hasHint ? `${id}-hint` : "", fault === undefined ? "" : `${id}-error`].filter((one) => one !== "")
  return {
    id,
    fault,
    attributes: {
      id,
      name,
      ...(fault === undefined ? {} : { "aria-invalid": true }),
      ...(described.length === 0 ? {} : { "aria-describedby": described.join(" ") })
    }
  }
}

/** The fault of a field, below it. */
const FieldFault = ({ field: { id, fault } }: { readonly field: ReturnType<typeof useField> }) =>
  fault === undefined ? null : (
    <p class="field-error" id={`${id}-error`}>
      <Said>{fault.message}</Said>
    </p>
  )

export const Around = ({
  label,
  hint,
  required,
  field,
  children
}: Pick<FieldProps, "label" | "hint" | "required"> & {
  readonly field: ReturnType<typeof useField>
  readonly children: ComponentChildren
}) => (
  <div class="field">
    <label for={field.id}>{required === true ? label : t("{label} (optional)", { label })}</label>
    {children}
    {hint !== undefined && (
      <p class="dim" id={`${field.id}-hint`}>
        {hint}
      </p>
    )}
    <FieldFault field={field} />
  </div>
)

export const Field = ({
  name,
  label,
  hint,
  required = false,
  value,
  onValue,
  placeholder,
  inputMode,
  maxLength,
  type = "text",
  list
}: FieldProps & {
  readonly type?: "text" | "datetime-local"
  readonly placeholder?: string
  readonly inputMode?: "decimal" | "email" | "url"
  readonly maxLength?: number
  /** Values to offer, or of what they are; others can be typed. */
  readonly list?: ReadonlyArray<string> | Suggested
}) => {
  const field = useField(name, hint !== undefined)
  const suggested = useSuggestions(typeof list === "string" ? list : undefined)
  const offered = typeof list === "string" ? suggested : list
  return (
    <Around label={label} hint={hint} required={required} field={field}>
      <input
        {...(type === "text" ? { type: "text" as const } : { type: "datetime-local" as const })}
        {...field.attributes}
        required={required}
        autocomplete="off"
        defaultValue={value ?? undefined}
        placeholder={placeholder}
        inputMode={inputMode}
        maxLength={maxLength}
        list={list && `${field.id}-list`}
        onInput={({ currentTarget }) => onValue?.(currentTarget.value)}
      />
      {offered !== undefined && (
        <datalist id={`${field.id}-list`}>
          {offered.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </Around>
  )
}

/** The field of the note, which the audit log stores with an act. */
export const NoteField = ({ required }: { readonly required: boolean }) => {
  const field = useField("note", false)
  return (
    <Around label={t("Note")} required={required} field={field}>
      <textarea {...field.attributes} rows={3} maxLength={500} required={required} />
    </Around>
  )
}

export type Choice = string | readonly [value: string, label: string]

interface ChoicesProps {
  readonly choices: ReadonlyArray<Choice>
  readonly value?: string | undefined
  readonly onValue?: FieldProps["onValue"]
  /** What names it, where it stands without a label: `aria-label`. */
  readonly attributes: object
}

/** A select element without its label. `value`: the chosen one; without `onValue`, the one that is chosen at first. */
export const Choices = ({ attributes, choices, onValue, value }: ChoicesProps) => (
  <select
    {...attributes}
    {...(value === undefined || onValue === undefined ? {} : { value })}
    onChange={({ currentTarget }) => onValue?.(currentTarget.value)}
  >
    {choices.map((choice) => {
      const [one, text] = typeof choice === "string" ? [choice, words(choice)] : choice
      return (
        <option key={one} value={one} {...(onValue === undefined && { selected: one === value })}>
          {text}
        </option>
      )
    })}
  </select>
)

export const Select = ({
  name,
  label,
  hint,
  required = true,
  value,
  onValue,
  choices
}: FieldProps & { readonly choices: ReadonlyArray<Choice> }) => {
  const field = useField(name, hint !== undefined)
  return (
    <Around label={label} hint={hint} required={required} field={field}>
      <Choices attributes={field.attributes} choices={choices} value={value ?? undefined} onValue={onValue} />
    </Around>
  )
}

/** Checkboxes. The form holds the ticked ones under one name. */
export const Ticks = ({
  name,
  label,
  choices,
  ticked
}: {
  readonly name: string
  readonly label: string
  readonly choices: ReadonlyArray<string>
  readonly ticked: ReadonlyArray<string>
}) => {
  const field = useField(name, false)
  return (
    <fieldset aria-describedby={field.fault && `${field.id}-error`}>
      <legend>{label}</legend>
      {choices.map((one) => (
        <label key={one} class="tick">
          <input type="checkbox" name={`${name}.${one}`} value={one} defaultChecked={ticked.includes(one)} />
          {words(one)}
        </label>
      ))}
      <FieldFault field={field} />
    </fieldset>
  )
}

/** Lists the ticked values of {@link Ticks}. */
export const ticksOf = (filled: Readonly<Record<string, string>>, name: string): ReadonlyArray<string> =>
  Object.entries(filled).flatMap(([key, value]) => (key.startsWith(`${name}.`) ? [value] : []))

const durations = ["PT1H", "PT4H", "PT12H", "PT24H", "P3D", "P7D", "P14D", "P30D"]

/** A choice of a duration, each described in words. */
export const DurationField = (props: FieldProps) => (
  <Select {...props} choices={durations.map((one) => [one, describeDuration(one)] as const)} />
)
