import { Context } from "effect"

/** The URL of the documentation, without a trailing slash. Next steps in responses link to it. */
export const DocsUrl = Context.Reference<string>("corridor/engine/DocsUrl", { defaultValue: () => "/docs" })
