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

/**
 * What was asked for a command. `issued`: what was answered. `posts`: how many requests for it were begun; absent: a build before did not count.
 * `isVoid`: the company has refused the only one. Neither of both: it is not known whether anything was made.
 */
export interface StoredIssue<Asked> {
  readonly asked: Asked
  readonly posts?: number
  readonly isVoid?: true
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
   * What is asked for a command. `before`: what was asked for it; `isVoid`: and was refused. A sentence: why nothing is asked.
   *
   * Law: it is `before` while an account may have been made by it.
   */
  readonly ask: (
    command: IssueCommand,
    before: Asked | undefined,
    isVoid: boolean
  ) => Effect.Effect<Asked | string, ProviderFault>
  /**
   * Makes what is asked, or finds what was made by it. Pending: a person must say first which it is. Not executed: the company has refused it.
   *
   * Errors: it is not known whether it was made.
   */
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
  /** Records a request for what is asked. Returns what another process has recorded meanwhile, if one has. */
  const record = (id: string, asked: Asked, before: StoredIssue<Asked> | undefined) =>
    books.amend([keys.issue(id)], ([row]) => {
      const stored = readData<StoredIssue<Asked>>(row)
      const isNewer = stored !== undefined && !isDeepStrictEqual(stored.asked, before?.asked)
      const result = isNewer ? stored.asked : asked
      const isSame = stored !== undefined && stored.isVoid !== true && isDeepStrictEqual(stored.asked, result)
      const data: StoredIssue<Asked> = { asked: result, posts: isSame ? (stored.posts ?? 1) + 1 : 1 }
      return { entries: [{ key: keys.issue(id), data, index_keys: [index.unissued] }], result }
    })

  /** Records that the company has refused the request: if it was the only one, nothing was made. */
  const end = (id: string, asked: Asked) =>
    books.amend([keys.issue(id)], ([row]) => {
      const stored = readData<StoredIssue<Asked>>(row)
      const isOnly = stored?.posts === 1 && stored.issued === undefined && isDeepStrictEqual(stored.asked, asked)
      const data: StoredIssue<Asked> = { asked, posts: 1, isVoid: true }
      return { entries: isOnly ? [{ key: keys.issue(id), data }] : [], result: undefined }
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
    const asked = yield* ask(command, known?.asked, known?.isVoid === true)
    if (typeof asked === "string") return { _tag: "rejected", reason: asked }
    const recorded = yield* record(id, asked, known)
    const made = yield* make(command, recorded)
    if ("_tag" in made) {
      if (made._tag === "pending") return made
      yield* end(id, recorded)
      return made._tag === "rejected"
        ? { _tag: "rejected", reason: made.reason }
        : yield* new ProviderFault({ message: `${company} has refused the account of ${id}, and may make it later` })
    }
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
