/** Accounts that are issued: each is made once for its command, and belongs to it. */
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, IssuedTarget, IssueResult } from "../../../engine/ports/Provider.ts"
import type { RowKey } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { readData } from "../chain/books.ts"
import type { OpenCompany } from "./provider.ts"
import type { NotExecuted } from "./submissions.ts"

/** An account that was issued. Absent members: a build before did not write them down. */
export interface OwnedAccount {
  readonly target: string
  /** The command that it was issued for. */
  readonly command_id?: string
  /** What was answered. */
  readonly issued?: IssuedTarget
}

/** What was asked for a command. `issued`: what was answered; absent: it is not known whether anything was made. */
export interface StoredIssue<Asked> {
  readonly asked: Asked
  readonly issued?: IssuedTarget
}

/** An account that the company has made. `accounts`: the rows of what it repeats with each payment to it. */
export interface MadeAccount {
  readonly accounts: ReadonlyArray<RowKey>
  readonly issued: IssuedTarget
  /** It was chosen among those that belong to nobody: if another command has taken it meanwhile, the next one is chosen. */
  readonly isChosen?: boolean
}

/** How a company makes accounts. `Asked`: what a request is made of. */
interface Issuing<Asked> {
  readonly company: string
  /**
   * What is asked for a command. `before`: what was asked for it, and may have been made. A sentence: why nothing is asked.
   *
   * Law: it is `before` while an account may have been made by it.
   */
  readonly ask: (command: IssueCommand, before: Asked | undefined) => Effect.Effect<Asked | string, ProviderFault>
  /** Makes what is asked, or finds what was made by it. Pending: a person must say first which it is. */
  readonly make: (
    command: IssueCommand,
    asked: Asked
  ) => Effect.Effect<MadeAccount | NotExecuted | Extract<IssueResult, { _tag: "pending" }>, ProviderFault>
  /** The lists of pay-ins that are read from then on. */
  readonly lists?: (command: IssueCommand) => ReadonlyArray<string>
}

/**
 * Issues an account. What is asked is recorded before it is asked; and whose account it is, before anybody can pay to it.
 *
 * Laws: a repeat answers what was answered first, whatever the options say then (COMPANY-22). An account that the company gives for two commands is
 * that of the first one.
 */
export const makeIssue = <Asked extends object>(
  { books, entries: { index, keys }, rounds }: Pick<OpenCompany, "books" | "entries" | "rounds">,
  { ask, company, lists = () => [], make }: Issuing<Asked>
) => {
  /** Records what is asked. Returns what another process has recorded meanwhile, if one has. */
  const record = (id: string, asked: Asked, before: Asked | undefined) =>
    books.amend([keys.issue(id)], ([row]) => {
      const stored = readData<StoredIssue<Asked>>(row)?.asked
      const isNewer = stored !== undefined && !isDeepStrictEqual(stored, before)
      const result = isNewer ? stored : asked
      const isSame = isDeepStrictEqual(stored, result)
      return {
        entries: isSame ? [] : [{ key: keys.issue(id), data: { asked: result }, index_keys: [index.unissued] }],
        result
      }
    })

  /** Records whose account it is. Returns what was recorded first, whoever did it: of two that are made for a command, only one is known. */
  const claim = Effect.fnUntraced(function* (command: IssueCommand, asked: Asked, { accounts, issued }: MadeAccount) {
    const { id: command_id } = command
    const now = yield* wallNow
    const begun = lists(command).map((list) => rounds.begin(list, now))
    const data: OwnedAccount = { target: issued.target, command_id, issued }
    return yield* books.amend<OwnedAccount, RowKey>(
      [keys.issue(command_id), ...accounts, ...begun.map(({ key }) => key)],
      ([, ...rows]) => {
        const known = rows.slice(0, accounts.length).flatMap((row) => readData<OwnedAccount>(row) ?? [])
        const kept = known.find((row) => row.command_id !== command_id) ?? known[0] ?? data
        if (kept.command_id !== command_id) return { entries: [], result: kept }
        const answer = kept.issued ?? { ...issued, target: kept.target }
        const fresh = [...accounts.map((key) => ({ key, data })), ...begun].filter((_, at) => rows[at] === undefined)
        return {
          entries: [{ key: keys.issue(command_id), data: { asked, issued: answer } }, ...fresh],
          result: { ...kept, issued: answer }
        }
      }
    )
  })

  return Effect.fnUntraced(function* (command: IssueCommand): Effect.fn.Return<IssueResult, ProviderFault> {
    const { id } = command
    const known = yield* books.read<StoredIssue<Asked>>(keys.issue(id))
    if (known?.issued !== undefined) return { _tag: "issued", issued: known.issued }
    const asked = yield* ask(command, known?.asked)
    if (typeof asked === "string") return { _tag: "rejected", reason: asked }
    const recorded = yield* record(id, asked, known?.asked)
    const made = yield* make(command, recorded)
    if ("_tag" in made && made._tag === "pending") return made
    if ("_tag" in made)
      return made._tag === "rejected"
        ? { _tag: "rejected", reason: made.reason }
        : yield* new ProviderFault({ message: `${company} has not made the account of ${id}` })
    const { command_id: owner, issued } = yield* claim(command, recorded, made)
    if (owner !== id && made.isChosen === true)
      return yield* new ProviderFault({
        message: `the account that was found for ${id} was taken for ${owner} meanwhile`
      })
    return owner === id && issued !== undefined
      ? { _tag: "issued", issued }
      : { _tag: "rejected", reason: `${company} has one account, which was issued for ${owner}` }
  })
}
