import { Context } from "effect"

/** The public URL of this service, without a trailing slash. Links for customers begin with it. */
export const BaseUrl = Context.Reference<string>("corridor/engine/BaseUrl", {
  defaultValue: () => "http://127.0.0.1:8080"
})
