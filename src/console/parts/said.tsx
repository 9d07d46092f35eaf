/** What the server says: in English, whatever the language of the console. */
import type { ComponentChildren } from "preact"
import type { ApiError } from "../frame/api.ts"
import { language } from "../frame/language.ts"

export const Said = ({ children }: { readonly children: ComponentChildren }) =>
  language === "en" ? <>{children}</> : <span lang="en">{children}</span>

/** The message of an error: the server's, or the console's own if the server did not answer as it should. */
export const Fault = ({ of: { isOwn, message } }: { readonly of: ApiError }) =>
  isOwn ? <>{message}</> : <Said>{message}</Said>
