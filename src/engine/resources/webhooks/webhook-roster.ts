/** How many webhook endpoints a merchant has. */
import { record, type Update } from "../../../machines/kernel/record.ts"
import type { Kind } from "../../commit/kind.ts"

/** How many endpoints a merchant has, as a row, so that two creations at once cannot both be the last one allowed. */
export interface WebhookRoster {
  readonly endpoints: number
}

/** Its id is the merchant's. */
export const WebhookRosterKind: Kind<WebhookRoster, Update<WebhookRoster>> = {
  kind: "webhook_roster",
  lifecycle: record<WebhookRoster>("webhook_roster"),
  hidden: () => true
}
