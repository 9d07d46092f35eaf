/** The merchant's own API keys. */
import { t } from "../../frame/language.ts"
import { allowMerchant, session } from "../../frame/session.ts"
import { Page } from "../../parts/page.tsx"
import { Keys } from "../merchants/keys.tsx"

export const KeysPage = () => (
  <Page
    title={t("API keys")}
    lead={t(
      "A key calls the API and signs in here. To rotate one: create its successor, put it in use, then revoke the old one."
    )}
  >
    <Keys
      path="/v1/api-keys"
      allowed={allowMerchant("developer", "admin")}
      most={session.value?.role ?? "viewer"}
      revoke={(id) => ({ path: `/v1/api-keys/${id}`, method: "DELETE" })}
      noted={false}
    />
  </Page>
)
