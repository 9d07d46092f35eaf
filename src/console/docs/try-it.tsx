/** Sends a request of the reader's own. The token stays in memory, and is gone with the page. */
import { useState } from "preact/hooks"
import { signal } from "@preact/signals"
import {
  readExampleBody,
  isOperator,
  type Json,
  type DocumentedOperation,
  type Parameter,
  listParameters,
  root
} from "./document.ts"

const token = signal("")

const makeRequest = (
  operation: DocumentedOperation,
  parameters: ReadonlyArray<Parameter>,
  form: FormData
): readonly [URL, RequestInit] => {
  const query = new URLSearchParams()
  const headers = new Headers()
  let { path } = operation
  for (const { name, place } of parameters) {
    const value = String(form.get(`${place}.${name}`) ?? "")
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== "" && place === "query") query.set(name, value)
    else if (value !== "") headers.set(name, value)
  }
  if (token.value !== "") headers.set("authorization", `Bearer ${token.value}`)
  const body = form.get("body")
  if (typeof body === "string") headers.set("content-type", "application/json")
  const url = new URL(`${path.slice(1)}${query.size > 0 ? `?${query}` : ""}`, root)
  return [url, { method: operation.method, headers, ...(typeof body === "string" ? { body } : {}) }]
}

const indentJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export const TryIt = ({ spec, operation }: { readonly spec: Json; readonly operation: DocumentedOperation }) => {
  const [answer, setAnswer] = useState("")
  const parameters = listParameters(spec, operation)
  const body = readExampleBody(operation)
  const send = async (form: HTMLFormElement): Promise<void> => {
    setAnswer("Waiting for the response…")
    try {
      const response = await fetch(...makeRequest(operation, parameters, new FormData(form)))
      setAnswer(`${response.status} ${response.statusText}\n${indentJson(await response.text())}`)
    } catch (error) {
      setAnswer(`The server did not answer: ${String(error)}`)
    }
  }
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      <label>
        {isOperator(operation) ? "Operator token" : "API key"}
        <input
          type="password"
          autocomplete="off"
          value={token.value}
          onInput={({ currentTarget }) => (token.value = currentTarget.value)}
        />
      </label>
      {parameters.map(({ isRequired, name, place }) => (
        <label key={`${place} ${name}`}>
          {`${name} (${place}${isRequired ? ", required" : ""})`}
          <input name={`${place}.${name}`} required={isRequired} autocomplete="off" />
        </label>
      ))}
      {body !== undefined && (
        <label>
          Body
          <textarea name="body" rows={10} spellcheck={false}>
            {JSON.stringify(body, null, 2)}
          </textarea>
        </label>
      )}
      <button type="submit" class="main">
        Send
      </button>
      {answer !== "" && (
        <pre tabIndex={0} aria-live="polite" aria-label="Response">
          <code>{answer}</code>
        </pre>
      )}
    </form>
  )
}
