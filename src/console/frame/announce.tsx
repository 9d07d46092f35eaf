/** Says changes to people who do not see them. */
import { signal } from "@preact/signals"

const announced = signal("")

/** Announces a change to screen readers, politely. A repeated text is announced once, so say what is new. */
export const announce = (text: string): void => {
  announced.value = text
}

export const Announcements = () => (
  <div class="unseen" role="status" aria-live="polite">
    {announced}
  </div>
)
