/** Pages whose script is loaded when one of them is shown. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { lazy } from "preact-iso"
import { t } from "./language.ts"
import { Page } from "../parts/page.tsx"
import { Empty } from "../parts/states.tsx"

/**
 * The page that is shown if a page cannot be loaded. The files of a build are removed with the next one, and a page that was open
 * before requests one of them.
 */
const UnloadablePage = () => (
  <Page title={t("This page cannot be loaded")}>
    <Empty title={t("The server has a newer console, or cannot be reached")}>
      <button type="button" class="main" onClick={() => location.reload()}>
        {t("Reload")}
      </button>
    </Empty>
  </Page>
)

/** Makes a page from a module that is imported when the page is first shown. */
export const lazyPage = <Module,>(
  load: () => Promise<Module>,
  pageOf: (module: Module) => ComponentType
): ComponentType =>
  lazy(() =>
    load().then(
      (module) => ({ default: pageOf(module) }),
      () => ({ default: UnloadablePage })
    )
  )

/** A part of a module that is imported when the part is shown; nothing until then. */
export const partOf =
  <Module, Props extends object>(load: () => Promise<Module>, componentOf: (module: Module) => ComponentType<Props>) =>
  (props: Props) => {
    const [Part, setPart] = useState<ComponentType<Props>>()
    useEffect(() => void load().then((module) => setPart(() => componentOf(module))), [])
    return Part === undefined ? null : <Part {...props} />
  }
