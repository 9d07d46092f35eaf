/** Defects of screening and verification: each would clear or approve somebody whom nobody has cleared or approved, or lose a verdict. */
import { of, type TestedDefect } from "./defect.ts"

const watchman = (name: string) => [`test/adapters/screening/watchman/${name}.test.ts`]
const sumsub = (name: string) => [`test/adapters/verification/sumsub/${name}.test.ts`]

export const checks: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/adapters/screening/watchman/mapping.ts",
    watchman("mapping"),
    ["an answer to another search clears", "if (!isEcho)", "if (isEcho && 1 > 2)"],
    ["lists of any age clear", "if (hours > max_age_hours)", "if (hours > max_age_hours && 1 > 2)"],
    ["lists of the future clear", "if (refreshed_at > now + skewMs)", "if (refreshed_at > now + skewMs && 1 > 2)"],
    ["an empty list clears", "|| /^0+$/.test(lists[list]!)", ""],
    ["what cannot be searched for is cleared", `result === "cleared" && !isWhole`, `result === "held" && !isWhole`],
    ["a name that folds to another is cleared", `collapseSpaces(name.normalize("NFC")) !== foldName(name)`, "1 > 2"],
    ["letters that look like others are cleared", "/^[\\p{P}\\x20-\\x7e]*$/u.test(compared)", "compared.length > 0"],
    ["a match at the threshold is none", "best >= possible_match", "best > possible_match"],
    ["lists that changed are the same lists", "sorted(lists), endedAt])", "sorted(lists)])"]
  ),
  ...of(
    "src/adapters/screening/watchman/screening.ts",
    watchman("screening"),
    ["the holder of an account is not searched for", "[name, holder ?? name]", "[name]"],
    ["a name is searched for as it is written", ".flatMap(listSearchForms)", ""],
    ["lists are looked at before the search alone", "after.version === before.version", 'after.version !== ""'],
    [
      "an address is not searched for",
      `...(command.destination.type === "crypto"`,
      `...(command.destination.network === "bitcoin"`
    ]
  ),
  ...of(
    "src/adapters/screening/watchman/screening.ts",
    watchman("held"),
    [
      "a decision of the desk is searched for again",
      "entries: held === undefined ? []",
      "entries: held !== undefined ? []"
    ],
    ["a verdict keeps the name", "const kept = verdict === null ? command : null", "const kept = command"]
  ),
  ...of("src/adapters/screening/watchman/events.ts", watchman("held"), [
    "what cannot be searched for holds up the others",
    "turn = from + searchedMax",
    "turn = from"
  ]),
  ...of("src/adapters/screening/watchman/calls.ts", watchman("screening"), [
    "organizations are not searched for",
    `"person", "business", "organization"`,
    `"person", "business"`
  ]),
  ...of(
    "src/adapters/verification/sumsub/mapping.ts",
    sumsub("mapping"),
    [
      "GREEN counts while the review goes on",
      `reviewStatus === "completed" ? decideVerdict`,
      `reviewStatus !== "x" ? decideVerdict`
    ],
    [
      "GREEN at another level approves",
      `status._tag !== "opened" && levelName !== level`,
      `status._tag === "rejected" && levelName !== level`
    ],
    ["RED with RETRY ends a session", `"RED RETRY": "opened"`, `"RED RETRY": "rejected"`],
    ["another applicant's review counts", "if (externalUserId !== id)", "if (externalUserId === id && 1 > 2)"],
    ["another person's documents approve", 'status._tag !== "approved" ||', 'status._tag !== "absent" ||'],
    ["a shared surname is the customer", 'compareNames(one, name) === "full"', 'compareNames(one, name) !== "none"'],
    [
      "any country is the customer's",
      "countries.includes(country_code)",
      'countries.includes(country_code) || name !== ""'
    ],
    ["any 404 is absent", "read.value.code === String(of)", 'read.value.code !== ""']
  ),
  ...of(
    "src/adapters/verification/sumsub/events.ts",
    sumsub("events"),
    [
      "a digest of any beginning counts",
      "expected.length === given.length && timingSafeEqual(expected, given)",
      "expected.subarray(0, given.length).equals(given)"
    ],
    ["a withdrawn approval is not told", "session.approved && (isEnding", "!session.approved && (isEnding"],
    ["an approval of another person is not told", 'status._tag === "doubtful" && !session.approved', "1 > 2"],
    ["a deactivated applicant is approved", `"applicantDeactivated", "applicantDeleted"`, `"applicantDeleted"`],
    ["every review is one event", 'isKept ? `/${review}` : ""', 'isKept ? "" : ""']
  ),
  ...of("src/adapters/verification/sumsub/calls.ts", sumsub("verification"), [
    "the body is not signed",
    "seconds + method + path + body",
    "seconds + method + path"
  ]),
  ...of("src/adapters/verification/sumsub/verification.ts", sumsub("verification"), [
    "the level of today is asked for",
    "(yield* applicants.find(id))?.level ?? (yield* chooseLevel(config, command))",
    "yield* chooseLevel(config, command)"
  ]),
  ...of(
    "src/adapters/verification/sumsub/verification.ts",
    sumsub("events"),
    ["an approval is not remembered", '_tag === "approved" ? { approved: true, approved_as: seen.digest } : {}', "{}"],
    [
      "the end of an applicant is not remembered",
      "const isNew = before !== undefined && !before.ended",
      "const isNew = before === undefined"
    ],
    [
      "a new link forgets the end of an applicant",
      "...undecided, ended }\n",
      '...undecided, ended: ended && level === "" }\n'
    ]
  )
]
