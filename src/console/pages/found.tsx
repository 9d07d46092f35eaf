/** What a page of a resource shows until it has it: that it loads, that nothing has the id, or why it failed. */
import { isOperator } from "../frame/session.ts"
import type { ApiError } from "../frame/api.ts"
import { rich, t } from "../frame/language.ts"
import { to } from "../frame/base.ts"
import { Page } from "../parts/page.tsx"
import { Empty, FailureView, Loading } from "../parts/states.tsx"

export const NotLoaded = ({
  what,
  id,
  error,
  reload
}: {
  readonly what: string
  readonly id: string
  readonly error: ApiError | undefined
  readonly reload: () => void
}) => {
  const isMissing = error?.status === 404 && isOperator()
  return (
    <Page title={isMissing ? t("No such {what}", { what: what.toLowerCase() }) : what}>
      {error === undefined ? (
        <Loading rows={8} />
      ) : isMissing ? (
        <Empty title={t("Nothing has the id {id}", { id })}>
          {rich("Check the id, or <a>search for it</a>.", {
            a: (inner) => <a href={to("/search", { q: id })}>{inner}</a>
          })}
        </Empty>
      ) : (
        <FailureView error={error} retry={reload} />
      )}
    </Page>
  )
}
