/**
 * Words that this project has replaced by the field's, and what stands for each. `test/tidy.test.ts` looks for them in
 * every source, statement, script and page. A pattern matches the old identifier or phrase, never ordinary English.
 */
export interface RetiredWord {
  readonly pattern: RegExp
  readonly use: string
  /** Paths where it may stand, each with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

const store: ReadonlyArray<RetiredWord> = [
  { pattern: /\b\w*[Ff]acets?\w*\b/g, use: "index key" },
  { pattern: /\b(?:un)?filing(?:_\w+)?\b|\bcorridor_files\b/g, use: "index entry" },
  { pattern: /\b(?:deposit[-_]|Deposit)[Tt]ally\w*\b/g, use: "deposit total" },
  { pattern: /\b[Tt]all(?:y|ies)(?:_\w+)?\b/g, use: "list counter" },
  { pattern: /\b(?:\w*_|\w+(?=L))?[Ll]anes?\b/g, use: "partition of jobs, or connection of the writer" },
  {
    pattern: /\bonce_ms\b|\bonceOf\b|\b(?:change|source|given)\??\.once\b|`?\bonce`? keys?\b/g,
    use: "idempotency record, deduplication key"
  },
  { pattern: /\btoApplied\b|\bstorage\.applied\b|\b(?:from|table|update) applied\b/g, use: "idempotency record" },
  {
    pattern: /\bstorage\.claimed\b|\b(?:from|into|table) claim\b|\bchange\.claims\b/g,
    use: "unique key (a claim is of a job)"
  },
  { pattern: /\b[Aa]lias(?:es)?\b/g, use: "lookup key" }
]

const platform: ReadonlyArray<RetiredWord> = [
  { pattern: /\bHOUSE\b|\bmer_house\b|\b(?:the|The) house\b/g, use: "platform, PLATFORM_MERCHANT" },
  { pattern: /\bsimulated worlds?\b|\b(?:new )?World(?:Options)?\b(?=[,;>({ ])/g, use: "simulation, simulated engine" },
  { pattern: /(?<=["`])external(?=["`:/])/g, use: "world (the account)" },
  { pattern: /\bCAREFUL_\w+|\b(?:if|not|and|or) careful\b|\b(?:careful|swift)\(/g, use: "checked, optimistic" },
  {
    pattern: /\bcorridor_settle\b|\bsettl(?:e|es|ed|ing) (?:the|a|its|each|no|another merchant's) (?:job|lease)s?\b/g,
    use: "complete a job"
  }
]

export const retiredWords: ReadonlyArray<RetiredWord> = [...store, ...platform]
