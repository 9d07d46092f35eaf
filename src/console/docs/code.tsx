/** Code on pages that are made from Markdown. */
import { render } from "preact"
import { Copy } from "../parts/copy.tsx"

/** Adds a button to each block of code in `page` that copies it, once. */
export const addCopyButtons = (page: ParentNode): void => {
  for (const block of page.querySelectorAll("pre")) {
    const { parentElement, textContent } = block
    if (parentElement === null || parentElement.classList.contains("code")) continue
    const frame = document.createElement("div")
    frame.className = "code"
    block.replaceWith(frame)
    const slot = document.createElement("span")
    frame.append(block, slot)
    render(<Copy text={textContent ?? ""} what="this code" />, slot)
  }
}
