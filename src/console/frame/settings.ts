/** What a person chose about the display. With the language, it is the only thing that the console keeps in the browser's storage. */
import { effect, signal } from "@preact/signals"
import { storeChoice, readStored } from "./stored.ts"

export type Theme = "auto" | "light" | "dark"
export type Zone = "local" | "utc"

export const theme = signal<Theme>(readStored("corridor.theme", ["auto", "light", "dark"], "auto"))
export const zone = signal<Zone>(readStored("corridor.zone", ["local", "utc"], "local"))

effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme.value
  storeChoice("corridor.theme", theme.value, "auto")
})
effect(() => storeChoice("corridor.zone", zone.value, "local"))
