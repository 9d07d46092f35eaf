/** What a person chose about the display. It is the only thing that the console keeps in the browser's storage. */
import { effect, signal } from "@preact/signals"

export type Theme = "auto" | "light" | "dark"
export type Zone = "local" | "utc"

const stored = <A extends string>(name: string, allowed: ReadonlyArray<A>, otherwise: A): A => {
  try {
    return allowed.find((one) => one === localStorage.getItem(name)) ?? otherwise
  } catch {
    return otherwise
  }
}

const keep = (name: string, value: string, otherwise: string): void => {
  try {
    if (value === otherwise) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Storage may be switched off. The choice then lasts as long as the page.
  }
}

export const theme = signal<Theme>(stored("corridor.theme", ["auto", "light", "dark"], "auto"))
export const zone = signal<Zone>(stored("corridor.zone", ["local", "utc"], "local"))

effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme.value
  keep("corridor.theme", theme.value, "auto")
})
effect(() => keep("corridor.zone", zone.value, "local"))
