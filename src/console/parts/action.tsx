/** A button that changes something: it says what will happen, takes a note, and sends once. The page is then read again. */
import type { Approval } from "../../client/generated/resources.ts"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { rich, t } from "../frame/language.ts"
import { announce } from "../frame/announce.tsx"
import { type Answer, type ApiError, call, makeIdempotencyKey, type ApiRequest, toApiError } from "../frame/api.ts"
import { reloadShown } from "../frame/load.ts"
import type { Allowed } from "../frame/session.ts"
import { FieldFaults, NoteField } from "./field.tsx"
import { Id } from "./id.tsx"
import { FailureView } from "./states.tsx"

/** What the fields of a form hold, by their names. Empty fields are left out. */
export type Filled = Readonly<Record<string, string>>

export interface ActionProps<A> {
  readonly label: string
  /** The title of the dialog. Default: the label. */
  readonly title?: string
  /** What will happen, in sentences. */
  readonly does: ComponentChildren
  /** Whether it can be done now; otherwise the button is left out, or a text says which role it needs. The server decides. */
  readonly allowed: Allowed
  readonly tone?: "plain" | "main" | "danger"
  /** Whether the dialog asks for a note. */
  readonly note?: "optional" | "required" | undefined
  /** More fields: `label` elements with named inputs. */
  readonly fields?: ComponentChildren
  /** `file`: the one that was chosen in a {@link FileField}. */
  readonly request: (
    filled: Filled,
    file: File | undefined
  ) => { readonly path: string } & Pick<ApiRequest, "method" | "body" | "file">
  /** The version of what is acted on: the act is about what was shown when its dialog opened. */
  readonly version?: string | undefined
  /** The key that opens the dialog where the page takes keys. */
  readonly shortcut?: string
  /** After success. Content is shown in the dialog, such as a secret that is shown once; otherwise the dialog closes. */
  readonly done?: ((answer: Answer<A>) => ComponentChildren | void) | undefined
}

export const readForm = (form: HTMLFormElement): Filled =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : []
    )
  )

/** Lists the names of the form's fields that show their own faults (`field.tsx`), each with its parents: `operations` of `operations.payout`. */
const listFaultFields = (form: HTMLFormElement): ReadonlyArray<string> =>
  [...form.elements].flatMap((one) => {
    if (one.closest(".field, fieldset") === null) return []
    const name = one.getAttribute("name") ?? ""
    return [name, name.split(".").slice(0, -1).join(".")]
  })

const findFile = (form: HTMLFormElement): File | undefined =>
  [...new FormData(form).values()].find((value) => typeof value !== "string" && value.name !== "") as File | undefined

/**
 * Returns a function to be called when an act is done. If the act removes its button, as closing a day does, the focus moves to
 * the heading of the page.
 */
const useKeptFocus = (): (() => void) => {
  const isDone = useRef(false)
  useEffect(
    () => () => {
      // Later than what the list around does: the next row is nearer.
      if (isDone.current)
        setTimeout(() => {
          if (document.activeElement === document.body) document.querySelector<HTMLElement>("main h1")?.focus()
        })
    },
    []
  )
  return () => void (isDone.current = true)
}

/** The text in place of acts that the signed-in role may not do. */
export const Needs = ({ acts, role }: { readonly acts: ReadonlyArray<string>; readonly role: Allowed }) => (
  <span class="dim needs">{t("{name}: {text}", { name: acts.join(", "), text: String(role) })}</span>
)

/** The notice that an act waits for other people's approval. */
const ApprovalNotice = ({ of: { id, needed } }: { readonly of: Approval }) => (
  <p>
    {rich("It waits for another person to approve it: {id}|It waits for {count} other people to approve it: {id}", {
      count: needed,
      id: <Id id={id} />
    })}
  </p>
)

/** The content of a dialog after success. */
const ActResult = ({ result, close }: { readonly result: ComponentChildren; readonly close: () => void }) => {
  const button = useRef<HTMLButtonElement>(null)
  // The button that was pressed is gone, and the focus with it.
  useEffect(() => button.current?.focus(), [])
  return (
    <>
      <div class="result">{result}</div>
      <div class="buttons">
        <button ref={button} type="button" class="main" onClick={close}>
          {t("Close")}
        </button>
      </div>
    </>
  )
}

/** The content of a dialog before it sends: what will happen, the fields, a note. */
const ActForm = ({
  label,
  does,
  tone,
  note,
  fields,
  error,
  atFields,
  isSending,
  close
}: Pick<ActionProps<never>, "label" | "does" | "tone" | "note" | "fields"> & {
  readonly error: ApiError | undefined
  /** The fields that show what is wrong with them. */
  readonly atFields: ReadonlyArray<string>
  readonly isSending: boolean
  readonly close: () => void
}) => (
  <>
    <div class="does">{does}</div>
    <FieldFaults.Provider value={error?.errors ?? []}>
      {fields}
      {note !== undefined && <NoteField required={note === "required"} />}
    </FieldFaults.Provider>
    {error !== undefined && <FailureView error={error} atFields={atFields} />}
    {error?.code === "conflict" && (
      <p class="late">{t("It has become another since you opened this. Close it and look again.")}</p>
    )}
    {error?.status === 0 && <p class="dim">{t("It may have been done. Sending it again from here does it once.")}</p>}
    <div class="buttons">
      <button type="button" class="plain" onClick={close}>
        {label.startsWith(t("Cancel")) ? t("Back") : t("Cancel")}
      </button>
      <button type="submit" class={tone === "danger" ? "danger" : "main"} aria-disabled={isSending}>
        {isSending ? t("Sending…") : error?.status === 0 ? t("Send again") : label}
      </button>
    </div>
  </>
)

/**
 * A button with the dialog of one act. Every attempt from one opening of the dialog has the same idempotency key, so that a
 * repeat after a lost answer is done once. Changed fields are another act, with another key.
 */
export const Action = <A,>({
  label,
  title,
  does,
  allowed,
  tone = "plain",
  note,
  fields,
  request,
  version,
  shortcut,
  done
}: ActionProps<A>) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const keepFocus = useKeptFocus()
  const act = useRef({ key: "", content: "", isBusy: false, version })
  const [isOpen, setOpen] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<ApiError | undefined>()
  const [atFields, setAtFields] = useState<ReadonlyArray<string>>([])
  const [result, setResult] = useState<ComponentChildren>()
  useEffect(() => {
    if (error !== undefined) dialog.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [error])
  // What is done or waits may be allowed no more: the dialog that says so stays.
  const isAllowed = allowed === true
  if (!isAllowed && !isOpen) return allowed === false ? null : <Needs acts={[label]} role={allowed} />

  const open = (): void => {
    act.current = { key: makeIdempotencyKey(), content: "", isBusy: false, version }
    setError(undefined)
    setResult(undefined)
    setOpen(true)
    dialog.current?.showModal()
  }
  const close = (): void => dialog.current?.close()
  const closed = (): void => {
    setOpen(false)
    if (error?.code === "conflict") reloadShown()
  }
  const send = async (form: HTMLFormElement): Promise<void> => {
    // The button is not disabled: that would lose its focus.
    if (act.current.isBusy) return
    act.current.isBusy = true
    const filled = readForm(form)
    const { path, method = "POST", body, file } = request(filled, findFile(form))
    const { name, size, lastModified } = (file ?? {}) as Partial<File>
    const content = JSON.stringify([path, body, name, size, lastModified])
    if (act.current.content !== "" && act.current.content !== content) act.current.key = makeIdempotencyKey()
    act.current.content = content
    setSending(true)
    setError(undefined)
    setAtFields(listFaultFields(form))
    try {
      const idempotencyKey = method === "POST" ? act.current.key : undefined
      const answer = await call<A>(path, { method, body, file, idempotencyKey, version: act.current.version })
      const { approval } = answer.meta
      announce(
        approval === undefined ? t("Done: {label}.", { label }) : t("It waits for approval: {label}.", { label })
      )
      keepFocus()
      reloadShown()
      const found = done?.(answer)
      const shown = approval === undefined ? found : <ApprovalNotice of={approval} />
      if (shown === undefined || shown === null) close()
      else setResult(shown)
    } catch (failure) {
      setError(toApiError(failure))
    } finally {
      act.current.isBusy = false
      setSending(false)
    }
  }
  return (
    <>
      {isAllowed && (
        <button type="button" class={tone} aria-keyshortcuts={shortcut} onClick={open}>
          {label}
        </button>
      )}
      <dialog ref={dialog} aria-label={title ?? label} onClose={closed}>
        {isOpen && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              void send(event.currentTarget)
            }}
          >
            <h2>{title ?? label}</h2>
            {result !== undefined ? (
              <ActResult result={result} close={close} />
            ) : (
              <ActForm {...{ label, does, tone, note, fields, error, atFields, isSending, close }} />
            )}
          </form>
        )}
      </dialog>
    </>
  )
}
