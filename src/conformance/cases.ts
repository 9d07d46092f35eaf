/** All cases, by area. */
import type { Case } from "./case.ts"
import { amountCases } from "./cases/amounts.ts"
import { bookCases } from "./cases/books.ts"
import { callbackCases } from "./cases/callbacks.ts"
import { contentCases } from "./cases/contents.ts"
import { eventCases } from "./cases/events.ts"
import { idempotencyCases } from "./cases/idempotency.ts"
import { manifestCases } from "./cases/manifest.ts"
import { payinCases } from "./cases/payins.ts"
import { payoutCases } from "./cases/payouts.ts"
import { serviceCases } from "./cases/services.ts"
import { signatureCases } from "./cases/signatures.ts"
import { transportCases } from "./cases/transport.ts"

export const cases: ReadonlyArray<Case> = [
  ...manifestCases,
  ...signatureCases,
  ...transportCases,
  ...payoutCases,
  ...idempotencyCases,
  ...amountCases,
  ...contentCases,
  ...payinCases,
  ...serviceCases,
  ...eventCases,
  ...callbackCases,
  ...bookCases
]
