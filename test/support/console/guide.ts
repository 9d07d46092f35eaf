/** The guide of the console: its tasks, and a hand that follows their steps in a browser. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { awaitSettled } from "./pages.ts"

export const docs = join(import.meta.dirname, "../../../docs")
export const guide = readFileSync(join(docs, "console-guide.md"), "utf8")

export interface Task {
  readonly title: string
  readonly who: "operator" | "merchant" | "treasurer" | "support"
  /** Steps and pictures, in their order. */
  readonly lines: ReadonlyArray<string>
}

export const tasks: ReadonlyArray<Task> = guide
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split("\n")[0]!,
    who: (/^\*As a?\s?(merchant|treasurer|support)\b/m.exec(text)?.[1] ?? "operator") as Task["who"],
    lines: text.split("\n").flatMap((line) => /^\s*(?:\d+\. (.*)|(!\[.*))$/.exec(line)?.slice(1).find(Boolean) ?? [])
  }))

/** A task whose title asks: a question of support. */
export const isQuestion = ({ title }: Task): boolean => title.endsWith("?")

/** What a person does in a task: what is only looked at is no act. */
export const countActs = ({ lines }: Task): number => lines.filter((line) => !/^(?:See|!)/.test(line)).length

/** The open dialog, else the page. */
const within = (page: Page): Locator => page.locator("dialog[open], body:not(:has(dialog[open])) main")

/** On a phone the navigation is folded. */
const openMenu = async (page: Page): Promise<void> => {
  const menu = page.getByRole("button", { name: "Menu" })
  if (await menu.isVisible()) await menu.click()
}

/** What the guide leaves to its reader, which one of several, by its word there; and what a picture does. */
export interface Reader {
  readonly choices: Readonly<Record<string, string>>
  readonly file?: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }
  readonly takePicture?: (page: Page, path: string) => Promise<void>
}

type Act = (page: Page, reader: Reader, ...parts: ReadonlyArray<string>) => Promise<unknown>

/** Each sentence that a step can be. Another one is a step that nobody can follow. */
const sentences: ReadonlyArray<readonly [RegExp, Act]> = [
  [/^!\[.*\]\((.+)\)$/, async (page, { takePicture }, path) => takePicture?.(page, path!)],
  [
    /^Search for `(.+)`\.$/,
    async (page, _, text) => {
      await page.keyboard.press("/")
      await page.keyboard.type(text!)
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/console\/(?:search|resources|movements)/)
    }
  ],
  [
    /^Open \*\*(.+)\*\*\.$/,
    async (page, _, name) => {
      await openMenu(page)
      // What waits is counted in the link.
      const named = new RegExp(`^${name}\\s*\\d*$`)
      await page.getByRole("navigation").getByRole("link", { name: named }).first().click()
    }
  ],
  [
    /^Follow the link in \*\*(.+)\*\*\.$/,
    (page, _, title) => page.locator(`td[data-title="${title}"] a`).first().click()
  ],
  [/^Follow \*\*(.+)\*\*\.$/, (page, _, name) => within(page).getByRole("link", { name: name! }).first().click()],
  [
    /^(?:Press|Confirm with) \*\*(.+)\*\*\.$/,
    (page, _, name) => within(page).getByRole("button", { name: name!, exact: true }).first().click()
  ],
  [
    /^Fill \*\*(.+)\*\* with `(.+)`\.$/,
    async (page, _, label, text) => {
      const field = within(page)
        .getByLabel(new RegExp(`^${label}`))
        .first()
      await field.fill(text!)
      // A list is filtered when its field is left.
      if (
        await field.evaluate(
          (element) => (element as unknown as { closest: (of: string) => unknown }).closest(".filters") !== null
        )
      )
        await field.blur()
    }
  ],
  [
    /^Choose \*(.+)\* in \*\*(.+)\*\*\.$/,
    async (page, _, option, label) => {
      const named = new RegExp(`^${label}`)
      // What concerns the whole console stands beside the page.
      const isBeside = /^(?:Language|Theme|Times)$/.test(label!)
      if (isBeside) await openMenu(page)
      const found = (isBeside ? page.getByRole("navigation") : within(page)).getByLabel(named)
      await found.first().selectOption({ label: option! })
    }
  ],
  [
    /^Choose the (\w+) in \*\*(.+)\*\*\.$/,
    async (page, { choices }, what, label) => {
      expect(Object.keys(choices)).toContain(what)
      const field = within(page).getByLabel(label!, { exact: true }).first()
      if ((await field.evaluate((element) => (element as unknown as { tagName: string }).tagName)) === "SELECT")
        await field.selectOption(choices[what!]!)
      else await field.fill(choices[what!]!)
      await field.blur()
    }
  ],
  [
    /^Give \*\*(.+)\*\* the bank's file\.$/,
    (page, { file }, label) => within(page).getByLabel(label!).setInputFiles(file!)
  ],
  [
    /^See \*\*(.+)\*\*\.$/,
    async (page, _, text) => {
      // On a phone the title of a column stands beside each of its cells.
      const titled = within(page).locator(`td[data-title="${text}"]`)
      const found = within(page).getByText(text!).or(titled).filter({ visible: true }).first()
      await found.waitFor()
      await found.evaluate((element) =>
        (element as unknown as { scrollIntoView: (how: object) => void }).scrollIntoView({ block: "center" })
      )
    }
  ]
]

/** Does what a line of a task says. */
export const takeStep = async (page: Page, reader: Reader, line: string): Promise<void> => {
  const found = sentences.flatMap(([form, act]) => {
    const parts = form.exec(line)
    return parts === null ? [] : [() => act(page, reader, ...parts.slice(1))]
  })
  expect([line, found.length]).toEqual([line, 1])
  await found[0]!()
  // A confirmed act is done: its dialog closes, or shows its result.
  if (line.startsWith("Confirm")) await expect.poll(() => page.locator("dialog[open] form .does").count()).toBe(0)
  if (!line.startsWith("!")) await awaitSettled(page)
}
