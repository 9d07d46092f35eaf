/** The number of webhook endpoints of a merchant. */
import { record, type Update } from "../../../machines/kernel/lifecycle.ts"
import type { Kind } from "../../commit/kind.ts"

/** The number is a row, so that two concurrent creations cannot both be the last one permitted. */
export interface WebhookRoster {
  readonly endpoints: number
}

/** The id of a roster is the merchant's. */
export const WebhookRosterKind: Kind<WebhookRoster, Update<WebhookRoster>> = {
  kind: "webhook_roster",
  lifecycle: record<WebhookRoster>("webhook_roster"),
  isHidden: () => true
}
