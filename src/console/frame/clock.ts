/** The service's clock, which is not this machine's: in tests it is moved by days. */
import { computed, signal } from "@preact/signals"

/** What the service's clock shows, less what this machine's shows, in milliseconds. */
const ahead_ms = signal(0)

/** This machine's clock. It moves once a second while somebody looks. */
const local = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === "visible") local.value = Date.now()
}, 1000)

/** Learns the service's time from the timestamp of an answer. Differences as short as a request are ignored. */
export const learnTime = (timestamp: string | undefined): void => {
  const difference = Date.parse(timestamp ?? "") - Date.now()
  if (Number.isFinite(difference) && Math.abs(difference - ahead_ms.peek()) > 2000) ahead_ms.value = difference
}

/** Epoch milliseconds of the service's clock, to the second. */
export const serviceTime = computed(() => local.value + ahead_ms.value)
