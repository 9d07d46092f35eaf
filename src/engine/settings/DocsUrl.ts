import { Context } from "effect"

/** Where the documentation is served, without a slash at the end: bodies that advise a next step point there. */
export const DocsUrl = Context.Reference<string>("corridor/engine/DocsUrl", { defaultValue: () => "/docs" })
