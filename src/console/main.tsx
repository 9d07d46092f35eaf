/** The console's script. */
import { render } from "preact"
import "./style/base.css"
import "./style/shell.css"
import "./style/parts.css"
import "./style/pages.css"
import "./style/machine.css"
import "./style/resource.css"
import { App } from "./app.tsx"
import { language, languages } from "./frame/language.ts"
import { loadSession } from "./frame/session.ts"

document.documentElement.lang = language
document.documentElement.dir = languages[language].direction
void loadSession()
render(<App />, document.getElementById("app")!)
