/** The script of the documentation. */
import { render } from "preact"
import "../style/base.css"
import "../style/shell.css"
import "../style/parts.css"
import "../style/machine.css"
import "./docs.css"
import { Docs } from "./docs.tsx"

render(<Docs />, document.getElementById("app")!)
