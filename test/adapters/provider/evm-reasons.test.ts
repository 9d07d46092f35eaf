/** What an error of a node says, without what the node's URL has for a credential. */
import { describe, expect, it } from "vitest"
import { describeFailure } from "../../../src/adapters/provider/evm/quorum.ts"

describe("the reason of an error of a node", () => {
  it.each([
    ["password", "https://user:p%40ss%2Fword@node.example", ["p%40ss%2Fword", "p@ss/word"]],
    ["short password", "https://user:p%40ss@node.example", ["p%40ss", "p@ss"]],
    ["user", "https://us%40er-name@node.example", ["us%40er-name", "us@er-name"]],
    ["part of the path", "https://node.example/v2/k%40y-one", ["k%40y-one", "k@y-one"]],
    ["value of the query", "https://node.example/?token=t%40k+en", ["t%40k+en", "t@k+en", "t@k en"]],
    ["password that cannot be decoded", "https://user:p%zzword@node.example", ["p%zzword"]]
  ] as const)("shows no %s of its URL, neither encoded nor decoded", (_, url, secrets) => {
    for (const secret of secrets) {
      expect(describeFailure(new Error(`${secret} was refused by ${secret}.`), [url])).toBe("… was refused by ….")
    }
  })
})
