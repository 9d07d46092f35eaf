/** A choice among what exists: the options are read from the API. */
import { useLayoutEffect } from "preact/hooks"
import { useLoad } from "../../frame/load.ts"
import { Field, Select } from "../../parts/field.tsx"
import { Failure } from "../../parts/states.tsx"

export interface ChooseProps<Row> {
  readonly name: string
  readonly label: string
  /** The list of the API. */
  readonly path: string
  readonly valueOf: (row: Row) => string
  readonly textOf: (row: Row) => string
  /** What to do when there is none. */
  readonly none: string
  readonly onValue?: (value: string) => void
}

/** Up to 200 options. With more, an id can be typed. */
const most = 200

export const Choose = <Row,>({ name, label, path, valueOf, textOf, none, onValue }: ChooseProps<Row>) => {
  const loaded = useLoad<ReadonlyArray<Row>>(`${path}${path.includes("?") ? "&" : "?"}per_page=${most}`)
  const answer = loaded.answer.value
  const first = answer?.data[0]
  const initial = first === undefined ? "" : valueOf(first)
  // Before anyone can choose: later, it would undo the choice.
  useLayoutEffect(() => onValue?.(initial), [initial])
  if (loaded.error.value !== undefined) return <Failure error={loaded.error.value} retry={loaded.reload} />
  if (answer === undefined) return <p class="dim">Loading…</p>
  if (answer.data.length === 0) return <p class="late">{none}</p>
  if (answer.meta.has_more === true)
    return (
      <Field
        name={name}
        label={label}
        required
        {...(onValue === undefined ? {} : { onValue })}
        hint={`There are ${answer.meta.total} of them: type the id.`}
        list={answer.data.map(valueOf)}
      />
    )
  return (
    <Select
      name={name}
      label={label}
      {...(onValue === undefined ? {} : { onValue })}
      choices={answer.data.map((row) => [valueOf(row), textOf(row)] as const)}
    />
  )
}
