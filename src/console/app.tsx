/** The console: the sign-in page, or the pages of the session. */
import { LocationProvider, Route, Router } from "preact-iso"
import { rich, t } from "./frame/language.ts"
import { base, to } from "./frame/base.ts"
import { session } from "./frame/session.ts"
import { Shell } from "./frame/shell.tsx"
import { SignInPage } from "./pages/sign-in.tsx"
import { Page } from "./parts/page.tsx"
import { Empty, Loading } from "./parts/states.tsx"
import { merchantPages, operatorPages } from "./routes.tsx"

const UnknownPage = () => (
  <Page title={t("No such page")}>
    <Empty title={t("This address shows nothing")}>
      {rich("It may be mistyped, or belong to another kind of sign-in. Go to the <a>first page</a>.", {
        a: (inner) => <a href={to("/")}>{inner}</a>
      })}
    </Empty>
  </Page>
)

export const App = () => {
  const current = session.value
  if (current === undefined)
    return (
      <main class="sign-in" id="main">
        <Loading what={t("Asking who is signed in…")} />
      </main>
    )
  if (current === null) return <SignInPage />
  const pages = current.type === "operator" ? operatorPages : merchantPages
  return (
    // Another session shows nothing of the one before: its pages begin anew.
    <LocationProvider key={current.csrf_token} scope={base}>
      <Shell session={current} pages={pages}>
        <Router>
          {[
            ...pages.map(({ path, component }) => (
              <Route key={path} path={base + (path === "/" ? "" : path)} component={component} />
            )),
            <Route key="" default component={UnknownPage} />
          ]}
        </Router>
      </Shell>
    </LocationProvider>
  )
}
