import { Context } from "effect"

/** Where this service is reached from outside, without a slash at the end: links for customers begin with it. */
export const BaseUrl = Context.Reference<string>("corridor/engine/BaseUrl", {
  defaultValue: () => "http://127.0.0.1:8080"
})
