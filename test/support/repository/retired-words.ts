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
  {
    pattern: /\b[Aa]lias(?:es)?\b/g,
    use: "lookup key",
    except: { "src/cli/commands/completions.ts": "the short name of an option, which Effect calls so" }
  }
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

const engine: ReadonlyArray<RetiredWord> = [
  {
    pattern: /\bengine\/Host\b|\bHost\.(?:ts|layer|of)\b|\bhost\.(?:apply|load|loadAll|step|write|recordRefusal)\b/g,
    use: "UnitOfWork, unitOfWork"
  },
  {
    pattern: /ReadonlyArray<Parts>|\b(?:decision|next|begun|moved|made)\.parts\b/g,
    use: "ChangeSet, changes"
  },
  { pattern: /\bdepositWord\b|\b[kK]ind\.word\b|\bprovider-words\b/g, use: "event status, provider schemas" },
  {
    pattern:
      /\b(?:inbox|verifications|outcomes|model)\.hear\b|\bheardOf\b|\b(?:Payin|Verification)Heard\b|\bresult: "(?:moved|refused|repeated)"/g,
    use: "handle; applied, ignored, duplicate"
  },
  {
    // `corridor.providers.tell` is public: an application tells what it has learned of a provider.
    pattern:
      /\b(?:const|let|function|async) (?:said|told|heard|tell)\b|(?<!providers)[#.](?:said|told|tell|heard|hear)\(/g,
    use: "a noun or a verb of its own"
  },
  {
    pattern: /\bstandingOf\w*|\brefundStanding\b|\b(?:const|let|type) [sS]tanding\b|[#.]standing\b/g,
    use: "command status, merchant status, link status"
  },
  { pattern: /import (?:type )?\{[^}]*\bAnswer\b[^}]*\} from "[^"]*ports\/Provider/g, use: "SubmissionResult" },
  { pattern: /\baccompany\b|\brememberRefusal\b/g, use: "derivedWrites, recordRefusal" },
  { pattern: /\bconversions\.carry\b|\byield\* carry\(/g, use: "startConversion" },
  { pattern: /\b\w*[pP]atience(?:Ms|_ms)?\b/g, use: "timeout, latency threshold" },
  { pattern: /["`]sighted["`]|\bsighted:/g, use: "detected_unpriced" },
  { pattern: /\bvault\(|\bhome\(d/g, use: "held account, credit account" },
  {
    pattern: /\bstranded(?:\(|: )/g,
    use: "unapplied funds",
    except: { "src/testing/program/program.ts": "the name of a fault, which its draws are made of" }
  },
  { pattern: /\bTelling\b|\b[aA]ppointments?\b/g, use: "scheduled event" },
  { pattern: /\b[dD]oors?\b/g, use: "entry point" },
  { pattern: /\bengine\/Workers\b|\bWorkers\.(?:of|layer)\b/g, use: "JobHandlers" },
  { pattern: /\b[iI]nHand\b|\bin-hand\b/g, use: "jobs in flight" },
  {
    pattern: /\bNodeClock\b|\bTakesWork\b|\bports\/Wake\b|\bWake\.(?:of|layer)\b/g,
    use: "ClockSkew, DispatcherEnabled, JobNotifier"
  },
  {
    pattern: /\b(?:Found|own|same|find|onramp)Place\b|\bPlaceName\b|\bownerOfPlace\b|\bpayin-place\b/g,
    use: "pay-in target"
  },
  { pattern: /\bBooks\.(?:use|layer)\b|\breports\/books\b/g, use: "LedgerReports" }
]

export const retiredWords: ReadonlyArray<RetiredWord> = [...engine, ...store, ...platform]
