/** A file that is chosen or dropped, and what the server says of it at its place. */
import { useContext, useEffect, useState } from "preact/hooks"
import { t } from "../frame/language.ts"
import { base, queryOf, type UrlMembers } from "../frame/base.ts"
import { FieldFaults } from "./field.tsx"

/** The most of a file that is read to show a place in it. */
const readMax = 4 * 1024 * 1024

/** The line of a place such as `line 12`, with the lines around it. Nothing if the place is not a line of text. */
const Excerpt = ({ of: file, place }: { readonly of: File; readonly place: string }) => {
  const [lines, setLines] = useState<ReadonlyArray<readonly [number: number, text: string]>>([])
  const at = Number(/line (\d+)/.exec(place)?.[1] ?? 0)
  useEffect(() => {
    let isShown = true
    if (at > 0)
      void file
        .slice(0, readMax)
        .text()
        .then((text) => {
          const all = text.split(/\r?\n/)
          const around = [at - 1, at, at + 1].filter((number) => number >= 1 && number <= all.length)
          if (isShown && !text.includes("\0"))
            setLines(around.map((number) => [number, all[number - 1]!.slice(0, 200)]))
        })
    return () => void (isShown = false)
  }, [file, at])
  return lines.length === 0 ? null : (
    <pre class="excerpt" tabIndex={0} role="region" aria-label={t("The file at {place}", { place })}>
      {lines.map(([number, text]) => (
        <div key={number} class={number === at ? "at" : undefined}>
          <span class="dim">{number}</span> {text}
        </div>
      ))}
    </pre>
  )
}

/** A field for one file. If the server refuses the file, its sentence is shown below: the place, what was found, what is accepted. */
export const FileField = ({
  label,
  hint,
  accept,
  onFile
}: {
  readonly label: string
  readonly hint: string
  readonly accept?: string
  readonly onFile?: (file: File | undefined) => void
}) => {
  const [file, setFile] = useState<File | undefined>()
  const faults = useContext(FieldFaults).filter(({ field }) => field === "file" || field === "body")
  return (
    <div class="field">
      <label>
        {label}
        <input
          type="file"
          class="drop"
          name="file"
          required
          aria-describedby="file-hint"
          accept={accept}
          aria-invalid={faults.length > 0 || undefined}
          onChange={({ currentTarget }) => {
            setFile(currentTarget.files?.[0])
            onFile?.(currentTarget.files?.[0])
          }}
        />
      </label>
      <p class="dim" id="file-hint">
        {hint}
      </p>
      {faults.map(({ message, place }) => (
        <div key={message} class="field-error">
          {message}
          {file !== undefined && place !== undefined && <Excerpt of={file} place={place} />}
        </div>
      ))}
    </div>
  )
}

/** A link that saves an answer of the API as a file. The session's cookie is the credential. */
export const Download = ({
  path,
  query,
  name,
  isLink = false,
  children
}: {
  /** Whether it looks like a link, and not like a button. */
  readonly isLink?: boolean
  readonly path: string
  readonly query: UrlMembers
  readonly name: string
  readonly children: string
}) => (
  <a
    class={isLink ? "download" : "button"}
    href={`${base}/api${path}${path.includes("?") ? queryOf(query).replace("?", "&") : queryOf(query)}`}
    download={name}
    aria-label={isLink ? t("Download {name}", { name }) : undefined}
  >
    {children}
  </a>
)
