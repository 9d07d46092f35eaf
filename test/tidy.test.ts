/**
 * The rules of the code that a test can hold. CONTRIBUTING.md states them. An exception has its reason beside it here.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rules, subjects } from "./support/repository/covers.ts"
import { edges } from "./support/repository/edges.ts"
import { retiredWords } from "./support/repository/retired-words.ts"
import { secondsOf } from "./support/repository/seconds.ts"
import { seedOf } from "./support/properties/seed.ts"
import { exhaustiveOf, storeOf, turnHere } from "./support/repository/turns.ts"
import { breaches, circles, exists, filesIn, read, type SourceFile, sources } from "./support/repository/source.ts"

const src = sources("src")
const machines = src.filter(({ path }) => path.startsWith("src/machines/"))
const engine = src.filter(({ path }) => path.startsWith("src/engine/"))
const adapters = src.filter(({ path }) => path.startsWith("src/adapters/"))
const protocol = src.filter(({ path }) => path.startsWith("src/protocol/"))
const http = src.filter(({ path }) => path.startsWith("src/http/"))
const testing = src.filter(({ path }) => path.startsWith("src/testing/"))
const conformance = src.filter(({ path }) => path.startsWith("src/conformance/"))
const served = src.filter(({ path }) => !path.startsWith("src/console/"))
const receiver = src.filter(({ path }) => path.startsWith("src/receiver/"))
// What is written from the OpenAPI document is as long as that, and its examples are no citations.
const everything = [...src, ...["test", "bench", "scripts", "examples"].flatMap(sources)].filter(
  ({ path }) => !path.startsWith("src/client/generated/")
)

const found = (files: ReadonlyArray<SourceFile>, pattern: RegExp, except: ReadonlyArray<string> = []) =>
  files
    .filter(({ path }) => !except.includes(path))
    .flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([text]) => `${path}: ${text.trim()}`))

const isFile = (imported: string): boolean => imported.startsWith("src/")
const isNode = (imported: string): boolean => imported.startsWith("node:")

/** Packages that compute and do nothing else; the engine may lean on them, each in the files named. */
const pure: Readonly<Record<string, ReadonlyArray<string>>> = {
  "big.js": ["src/engine/ports/Rates.ts"],
  ulid: ["src/engine/ports/Ids.ts"],
  "@scure/base": ["src/engine/input/addresses.ts"],
  "@noble/hashes/sha3.js": ["src/engine/input/addresses.ts"],
  "@noble/hashes/utils.js": ["src/engine/input/addresses.ts"],
  "node:crypto": ["src/engine/crypto/signing.ts", "src/engine/crypto/secrets.ts"]
}

/** What adapters may know of the engine beside its ports: rules that both sides must compute alike. */
const shared: ReadonlySet<string> = new Set(
  [
    "crypto/signing",
    "input/addresses",
    "input/bank-accounts",
    "input/name-match",
    "input/nearest",
    "input/options",
    "input/schemas",
    "input/validation",
    "reference/countries",
    "reference/currencies"
  ].map((name) => `src/engine/${name}.ts`)
)

/** The files of a folder that are in none of its rooms. */
const beside = "."

/**
 * The rooms of the engine, from the ground up: a file imports from its own room and from those named before it. What is
 * assembled from all of them stands beside the rooms.
 */
const rooms = [
  "reference",
  "ports",
  "settings",
  "crypto",
  "input",
  "representations",
  "commit",
  "calls",
  "resources",
  "reports",
  "work",
  "sandbox",
  "operations"
]
const roomIn =
  (folder: string, order: ReadonlyArray<string>) =>
  (path: string): number => {
    const [room = "", ...inside] = path.slice(folder.length + 1).split("/")
    return order.indexOf(inside.length === 0 ? beside : room)
  }
const roomOf = roomIn("src/engine", [...rooms, beside])

/** Other folders whose rooms have an order, from the ground up. */
const ordered: Readonly<Record<string, ReadonlyArray<string>>> = {
  "src/engine/work": [beside, "providers", "reconciliation", "upkeep", "queue"],
  "src/testing": ["program", "world", "model", "audit", beside]
}

const isPort = (imported: string): boolean => /^src\/engine\/(?:ports|settings)\//.test(imported)
const kindOf = (path: string): string => path.split("/").slice(0, 3).join("/")
/** Adapters of these kinds serve a part of the provider port, over what its adapters share. */
const ofProviderPort = new Set(["src/adapters/screening", "src/adapters/verification"])

describe("who may import whom", () => {
  it("machines know machines and XState, nothing of the engine or the world", () => {
    expect(
      breaches(
        machines,
        (_, imported) => imported.startsWith("src/machines/") || /^xstate(?:\/guards)?$/.test(imported)
      )
    ).toEqual([])
  })

  it("only the lifecycle steps a machine: the others declare", () => {
    const stepping =
      /\b(?:initialTransition|transition|createActor|resolveState|getNextSnapshot|fromPromise|evaluateGuard)\b(?=\s*[(<,])/g
    expect(found(machines, stepping, ["src/machines/kernel/lifecycle.ts"])).toEqual([])
  })

  it("the engine knows machines, itself and Effect's stable modules", () => {
    const isAllowed = ({ path }: SourceFile, imported: string): boolean =>
      imported.startsWith("src/machines/") ||
      imported.startsWith("src/engine/") ||
      imported.startsWith("src/statements/") ||
      imported === "effect" ||
      (pure[imported] ?? []).includes(path)
    expect(breaches(engine, isAllowed)).toEqual([])
  })

  it("a room of the engine knows those below it", () => {
    expect(
      breaches(engine, ({ path }, imported) => !imported.startsWith("src/engine/") || roomOf(imported) <= roomOf(path))
    ).toEqual([])
    expect(engine.filter(({ path }) => roomOf(path) < 0).map(({ path }) => path)).toEqual([])
    expect(engine.filter(({ path }) => roomOf(path) === rooms.length).map(({ path }) => path)).toEqual([
      "src/engine/Engine.ts",
      "src/engine/operations.ts",
      "src/engine/registry.ts"
    ])
  })

  it.each(Object.entries(ordered))("a room of %s knows those below it", (folder, order) => {
    const room = roomIn(folder, order)
    const inside = src.filter(({ path }) => path.startsWith(`${folder}/`))
    const isBelow = ({ path }: SourceFile, imported: string): boolean =>
      !imported.startsWith(`${folder}/`) || room(imported) <= room(path)
    expect(breaches(inside, isBelow)).toEqual([])
    expect(inside.filter(({ path }) => room(path) < 0).map(({ path }) => path)).toEqual([])
    for (const [n] of order.entries()) expect(inside.some(({ path }) => room(path) === n)).toBe(true)
  })

  it("no file of the sources imports itself by way of another, not even for a type", () => {
    expect(circles(src)).toEqual([])
  })

  it("adapters know the engine's ports and settings and the kernel, and no adapter of another kind", () => {
    const isAllowed = ({ path }: SourceFile, imported: string): boolean =>
      !isFile(imported) ||
      isPort(imported) ||
      shared.has(imported) ||
      imported.startsWith("src/protocol/") ||
      imported.startsWith("src/machines/kernel/") ||
      kindOf(imported) === kindOf(path) ||
      (ofProviderPort.has(kindOf(path)) && kindOf(imported) === "src/adapters/provider")
    expect(breaches(adapters, isAllowed)).toEqual([])
  })

  it("the provider protocol stands alone: of the engine it knows how to sign, and the shapes of the provider port", () => {
    const known = new Set([
      "src/engine/crypto/signing.ts",
      "src/engine/ports/provider-commands.ts",
      "src/engine/ports/provider-fields.ts",
      "src/engine/ports/provider-fields.ts",
      "src/engine/ports/provider-results.ts",
      "src/machines/kernel/money.ts",
      "effect",
      "undici"
    ])
    expect(breaches(protocol, (_, imported) => imported.startsWith("src/protocol/") || known.has(imported))).toEqual([])
    expect(protocol.length).toBeGreaterThan(5)
  })

  it("the conformance kit knows the protocol, currencies and amounts: nothing that a connector is judged by is the engine's", () => {
    const known = new Set([
      "src/engine/reference/currencies.ts",
      "src/machines/kernel/money.ts",
      "src/testing/program/random.ts",
      "effect",
      "undici"
    ])
    const isAllowed = (_: SourceFile, imported: string): boolean =>
      imported.startsWith("src/conformance/") ||
      imported.startsWith("src/protocol/") ||
      isNode(imported) ||
      known.has(imported)
    expect(breaches(conformance, isAllowed)).toEqual([])
    expect(conformance.length).toBeGreaterThan(20)
  })

  it("the readers of statements stand alone: they know exact money, their parsers and nothing of the engine", () => {
    const known = new Set(["saxes", "csv-parse/sync", "csv-stringify/sync"])
    const isAllowed = (_: SourceFile, imported: string): boolean =>
      imported.startsWith("src/statements/") || imported === "src/machines/kernel/money.ts" || known.has(imported)
    const statements = src.filter(({ path }) => path.startsWith("src/statements/"))
    expect(breaches(statements, isAllowed)).toEqual([])
    expect(statements.length).toBeGreaterThan(0)
  })

  it("http knows the engine and never a machine, a store or a provider; its composition puts adapters in", () => {
    const isAllowed = ({ path }: SourceFile, imported: string): boolean =>
      isFile(imported)
        ? imported.startsWith("src/engine/") ||
          imported.startsWith("src/http/") ||
          imported === "src/index.ts" ||
          // A mounted API runs in the engine of a running Corridor. The exporters of telemetry call out as other clients do.
          /^src\/(?:embedded\/inside|protocol\/bounded-fetch)\.ts$/.test(imported) ||
          imported === "src/version.ts" ||
          /^src\/machines\/kernel\/(?:bound|money)\.ts$/.test(imported) ||
          (path === "src/http/serve/composition.ts" && imported.startsWith("src/adapters/"))
        : isNode(imported) || /^(?:effect(?:\/|$)|@effect\/platform-node(?:\/|$))/.test(imported)
    expect(breaches(http, isAllowed)).toEqual([])
  })

  it("the command line stands above http and the checks, and nothing imports it", () => {
    const below =
      /^src\/(?:cli\/|client\/|statements\/|http\/|engine\/|adapters\/|conformance\/|protocol\/|testing\/|receiver\/|machines\/|version\.ts|node-version\.ts)/
    const cli = src.filter(({ path }) => path.startsWith("src/cli/"))
    expect(breaches(cli, (_, imported) => !isFile(imported) || below.test(imported))).toEqual([])
    expect(
      breaches(src, ({ path }, imported) => cli.some((one) => one.path === path) || !imported.startsWith("src/cli/"))
    ).toEqual([])
    expect(cli.length).toBeGreaterThan(10)
  })

  it("what embeds the engine knows it, and neither an adapter nor http", () => {
    const isAllowed = (_: SourceFile, imported: string): boolean =>
      imported.startsWith("src/engine/") ||
      imported.startsWith("src/embedded/") ||
      imported === "src/version.ts" ||
      imported === "effect"
    expect(
      breaches(
        src.filter(({ path }) => path.startsWith("src/embedded/")),
        isAllowed
      )
    ).toEqual([])
  })

  /** How options are checked: what needs no other module. */
  const checks = /^src\/engine\/input\/(?:options|nearest)\.ts$/

  it("the receiver needs nothing but Node: of the engine it knows how to sign, and how options are checked", () => {
    const signing = new Set(["src/engine/crypto/signing.ts", "src/engine/ports/bounded-map.ts"])
    const isKnown = (path: string): boolean => signing.has(path) || checks.test(path)
    const isAllowed = (_: SourceFile, imported: string): boolean =>
      imported.startsWith("src/receiver/") || isKnown(imported) || isNode(imported)
    expect(breaches([...receiver, ...src.filter(({ path }) => isKnown(path))], isAllowed)).toEqual([])
    expect(receiver.length).toBeGreaterThan(3)
  })

  it("the client needs nothing: no package, not Node, of the receiver what reads a delivery, how options are checked and how lists are walked", () => {
    const reader = /^src\/receiver\/(?:event|headers|statuses)\.ts$/
    const isKnown = (path: string): boolean =>
      path.startsWith("src/client/") ||
      reader.test(path) ||
      checks.test(path) ||
      path === "src/engine/input/list-pages.ts"
    const client = src.filter(({ path }) => isKnown(path))
    expect(breaches(client, (_, imported) => isKnown(imported))).toEqual([])
    expect(client.length).toBeGreaterThan(8)
  })

  it("the simulation puts the engine together from its own entry points, over the store and the provider that move no money", () => {
    // What takes part unless a team brings its own.
    const parts = new Set(["src/adapters/storage/memory.ts", "src/adapters/provider/simulated.ts"])
    const isAllowed = (_: SourceFile, imported: string): boolean =>
      imported.startsWith("src/testing/") ||
      imported.startsWith("src/engine/") ||
      imported.startsWith("src/embedded/") ||
      parts.has(imported) ||
      imported === "effect" ||
      imported === "node:crypto"
    expect(breaches(testing, isAllowed)).toEqual([])
    expect(testing.length).toBeGreaterThan(10)
  })

  it("what the simulation expects is written apart from what it watches: of the engine it knows the words on its ports", () => {
    const apart = [
      "audit/uniques",
      "model/deposits",
      "model/events",
      "model/ledger",
      "model/model",
      "model/payin-facts",
      "program/amounts",
      "world/stated-amounts"
    ].map((name) => `src/testing/${name}.ts`)
    const known = new Set([
      ...apart,
      "src/testing/program/program.ts",
      "src/engine/ports/Provider.ts",
      "src/engine/ports/Storage.ts",
      "effect"
    ])
    const judging = testing.filter(({ path }) => apart.includes(path))
    expect(breaches(judging, (_, imported) => known.has(imported))).toEqual([])
    expect(judging.length).toBe(apart.length)
  })

  it("nobody imports a file without its ending, or a folder", () => {
    const relative = everything.flatMap(({ path, imports }) =>
      imports.filter((one) => /^(?:src|test|bench|scripts|examples)\//.test(one)).map((one) => ({ path, one }))
    )
    expect(relative.filter(({ one }) => !exists(one) || !/\.(?:tsx?|json|css)$/.test(one))).toEqual([])
    expect(relative.length).toBeGreaterThan(50)
  })
})

describe("what runs", () => {
  it("takes time from the clock, chance and ids from their ports, settings from its caller, and spans from tracing.ts", () => {
    const ambient =
      /\b(?:Date\.now|new Date\(\s*\)|Math\.random|performance\.now|process\.env|process\.hrtime|randomUUID|randomBytes|randomInt|getRandomValues|crypto\.subtle|set(?:Timeout|Interval|Immediate)|queueMicrotask|nextTick|AbortSignal\.timeout|Effect\.(?:fn(?=\()|withSpan|useSpan|makeSpan))(?![\w])/g
    // A browser is an edge by itself.
    const asked = found(served, ambient).filter((line) => {
      const [path = "", word = ""] = line.split(": ")
      return edges[path]?.test(word) !== true
    })
    expect(asked).toEqual([])
    expect(Object.keys(edges).filter((path) => !exists(path))).toEqual([])
  })

  it("keeps JavaScript numbers off money", () => {
    const floating =
      /\bNumber\(|\bparseFloat\b|\bparseInt\b|\.toNumber\(|\.toFixed\(|\bMath\.(?:round|floor|ceil|trunc)\b/g
    expect(
      found([...machines, ...engine.filter(({ path }) => /\/(?:Pricing|reference)/.test(path))], floating)
    ).toEqual([])
    expect(
      found(
        engine.filter(({ path }) => path.endsWith("/Rates.ts")),
        floating
      )
    ).toEqual(["src/engine/ports/Rates.ts: .toFixed("])
  })

  it("is flat and declared where it is a machine: nothing invoked, spawned, sent or run by the library's timers", () => {
    const live =
      /\b(?:invoke|after|history|parallel)\s*:|\b(?:spawn|spawnChild|sendTo|sendParent|raise|enqueueActions)\b/g
    expect(found(machines, live)).toEqual([])
  })
})

describe("how it is written", () => {
  it("gives an exported name of a type one meaning", () => {
    const exported = /^export (?:declare )?(?:abstract )?(?:const|class|interface|type) ([A-Z]\w*)/gm
    // The protocol and the client say the engine's words to others, the console has components,
    // and texts and amounts of providers are others than those of requests.
    const own = src.filter(
      ({ path }) => !/^src\/(?:client|console|protocol|receiver|engine\/ports\/provider-fields)\b/.test(path)
    )
    const files = new Map<string, Set<string>>()
    for (const { code, path } of own)
      for (const [, name = ""] of code.matchAll(exported)) files.set(name, (files.get(name) ?? new Set()).add(path))
    const twice = [...files].filter(([, paths]) => paths.size > 1)
    expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`)).toEqual([])
  })

  it("uses types that can be erased, named exports, and no file that only passes on", () => {
    expect(found(everything, /^\s*(?:export\s+)?(?:const\s+)?enum\s+\w+|^\s*(?:export\s+)?namespace\s+\w+/gm)).toEqual(
      []
    )
    // A configuration file is the default export of its file.
    const code = everything.filter(({ path }) => !path.endsWith("corridor.config.ts"))
    expect(found(code, /^export default\b/gm)).toEqual([])
    const barrels = src.filter(
      ({ path, code }) =>
        !/(?:^|\/)index\.ts$/.test(path) &&
        code.replace(/export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from\s+"[^"]+"/g, "").trim() === ""
    )
    expect(barrels.map(({ path }) => path)).toEqual([])
  })

  it("declares the tables, choices and dialogs of the console once", () => {
    // A page says what it shows: columns, filters, fields and acts. The first rows of a stranger's file, and several acts in one dialog, are their own.
    const pages = src.filter(({ path }) => /^src\/console\/(?:pages|acts)\//.test(path))
    expect(pages.length).toBeGreaterThan(60)
    expect(found(pages, /<(?:table|select|option|datalist|dialog)\b/g)).toEqual([
      "src/console/pages/controls/approvals.tsx: <dialog",
      "src/console/pages/treasury/map-csv.tsx: <table"
    ])
  })

  it("silences types and lint nowhere but where it says why", () => {
    // `Kind<any, any>` is variance: a list of kinds holds every data and event type there is. A value is never any, except the
    // nodes of an OpenAPI document.
    expect(
      found(src, /\bas any\b|:\s*any\b(?!\s*\()/g, [
        "src/http/openapi.ts",
        "src/http/docs/example.ts",
        "src/console/docs/document.ts"
      ])
    ).toEqual([])
    const silenced = everything.flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint|biome)-(?:disable|ignore)/.test(line))
        .filter((line) => !line.includes(" -- ") && path !== "test/tidy.test.ts")
        .map((line) => `${path}: ${line.trim()}`)
    )
    expect(silenced).toEqual([])
  })

  it("leaves no unfinished words behind, and no test switched off", () => {
    const unfinished = everything
      .filter(({ path }) => path !== "test/tidy.test.ts")
      .flatMap(({ path, text }) => [...text.matchAll(/\b(?:TODO|FIXME|HACK)\b/g)].map(([word]) => `${path}: ${word}`))
    expect(unfinished).toEqual([])
    expect(found(sources("test"), /\b(?:it|test|describe)(?:\.effect)?\.(?:skip|only|todo|fails)\b/g)).toEqual([])
  })
})

describe("the words", () => {
  const pages = [
    ...["src", "bench"].flatMap((folder) => filesIn(folder, ".sql")),
    ...["bench", "docs"].flatMap((folder) => filesIn(folder, ".md")),
    ...["README.md", "CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md"].filter(exists)
  ].map((path) => ({ path, text: read(path) }))
  const texts = [...everything, ...pages].filter(({ path }) => !path.endsWith("/retired-words.ts"))

  it.each(retiredWords)("that were replaced stay so: $use", ({ pattern, use, except = {} }) => {
    const left = texts
      .filter(({ path }) => except[path] === undefined)
      .flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([word]) => `${path}: ${word}, now ${use}`))
    expect(left).toEqual([])
    expect(Object.keys(except).filter((path) => !exists(path))).toEqual([])
  })
})

describe("a resource", () => {
  /** Files of `src/machines` that are parts of resources and not one. */
  const parts = new Set(["parties/summaries"])
  const resources = filesIn("src/machines", ".ts")
    .map((path) => path.slice("src/machines/".length, -3))
    .filter((name) => !name.startsWith("kernel/") && !parts.has(name))

  /** A layer's folder, and the resources that have no file there, with the reason. */
  const layers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "src/engine/resources": {
      "access/access-grant": "moved with its requests, by access-request.ts",
      "parties/deposit-total": "counted by tiers.ts"
    },
    "src/engine/representations": {
      "access/access-grant": "shown as access_granted of its currency",
      "access/api-key": "shown with its merchant",
      "parties/deposit-total": "never shown",
      "reconciliation/matching": "never shown",
      "deposits/exception": "shown to operators only, beside its operations"
    },
    "src/engine/operations": {
      "access/access-grant": "made and revoked through its requests",
      "parties/deposit-total": "never shown",
      "reconciliation/matching": "runs with each statement and by the clock"
    }
  }

  it("has its file in every layer, under one subject and name", () => {
    const missing = Object.entries(layers).flatMap(([folder, without]) =>
      exists(folder)
        ? resources
            .filter((name) => !(name in without) && !exists(`${folder}/${name}.ts`))
            .map((name) => `${folder}/${name}.ts`)
        : []
    )
    expect(missing).toEqual([])
    expect(resources.length).toBeGreaterThan(3)
  })

  it("is excused from a layer only while it exists and has no file there", () => {
    const stale = Object.entries(layers).flatMap(([folder, without]) =>
      Object.keys(without).filter((name) => !resources.includes(name) || exists(`${folder}/${name}.ts`))
    )
    expect(stale).toEqual([])
  })
})

describe("the turns that a commit draws", () => {
  const commits = Array.from({ length: 160 }, (_, n) => String(n))

  it("come to each scenario on each store within some commits, and leave out most of them each time", () => {
    const scenarios = filesIn("test/scenarios", ".test.ts")
    const drawn = scenarios.map((path) => new Set(commits.map((commit) => storeOf(path, commit))))
    expect(drawn.filter((stores) => stores.size !== 4)).toEqual([])
    expect(new Set(scenarios.map((path) => storeOf(path, "all")))).toEqual(new Set([undefined]))
  })

  it("come to each exhaustive test by some commits, to no more seconds than the longest takes", () => {
    const all = exhaustiveOf("all")
    const turns = commits.map(exhaustiveOf)
    expect(new Set(turns.flat())).toEqual(new Set(all))
    const secondsIn = (paths: ReadonlyArray<string>) => paths.reduce((sum, path) => sum + (secondsOf[path] ?? 0), 0)
    const each = turns.map(secondsIn)
    expect(Math.max(...each)).toBeLessThanOrEqual(Math.max(...all.map((path) => secondsIn([path]))))
    expect(Math.max(...each) * 4).toBeLessThan(secondsIn(all))
    expect(all.filter((path) => !(path in secondsOf))).toEqual([])
  })

  it("are what properties draw: equal at one commit, and others at each", () => {
    expect(fc.readConfigureGlobal().seed).toBe(seedOf(turnHere()))
    expect(new Set(commits.map(seedOf)).size).toBe(commits.length)
    expect(seedOf("all")).toBeUndefined()
  })
})

describe("the documents", () => {
  const papers = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md"]

  it("list what the tests share, a line for each file", () => {
    const listed = [...read("test/support/README.md").matchAll(/^\| `([^`]+)` \| \S/gm)].map(([, path]) => path)
    const files = filesIn("test/support", ".ts").map((path) => path.slice("test/support/".length))
    expect(listed.sort()).toEqual(files.sort())
  })

  it("link to what is there", () => {
    const broken = [
      "README.md",
      "CONTRIBUTING.md",
      "AGENTS.md",
      "test/support/README.md",
      ...filesIn("docs", ".md")
    ].flatMap((path) => {
      const folder = path.includes("/") ? `${path.slice(0, path.lastIndexOf("/"))}/` : ""
      return [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, target = ""]) => folder + target)
        .filter((target) => !exists(target))
        .map((target) => `${path} links to ${target}`)
    })
    expect(broken).toEqual([])
  })

  it("cite rules that exist, in comments alone, and no document from elsewhere", () => {
    const standards = new Set(["AES-256", "EIP-55", "EIP-1167", "ERC-20", "SHA-256", "UTF-8", "UTF-16"])
    const citation = /\b[A-Z]{2,}-\d+\b/g
    const unknown = (path: string, text: string) =>
      [...text.matchAll(citation)]
        .filter(([id]) => !rules.has(id) && !standards.has(id))
        .map(([id]) => `${path} cites ${id}`)
    const commentsOf = ({ code, text }: SourceFile): string =>
      text.replace(/[^\n]/g, (character, at: number) => (code[at] === character ? " " : character))
    const pages = papers.map((path) => ({ path, text: read(path) }))
    expect(everything.flatMap((file) => unknown(file.path, commentsOf(file)))).toEqual([])
    expect(pages.flatMap(({ path, text }) => unknown(path, text))).toEqual([])

    const cited = new RegExp(`\\b(?:${subjects.map(({ subject }) => subject).join("|")})-\\d+\\b`, "g")
    expect(found(src, cited)).toEqual([])
    const elsewhere = /\b[Dd]ecisions? \d|\b[Ii]nterface, [A-Z]/
    const foreign = [...everything, ...pages].filter(
      ({ path, text }) => path !== "test/tidy.test.ts" && elsewhere.test(text)
    )
    expect(foreign.map(({ path }) => path)).toEqual([])
  })

  it("draw the rooms of the engine in their order, and name files that exist", () => {
    const page = read("ARCHITECTURE.md")
    const drawn = [...page.matchAll(/^ {4}(\w+)\["\1<br\/>/gm)].map(([, room = ""]) => room)
    expect(drawn).toEqual(rooms.toReversed())
    const named = [...page.matchAll(/`([\w./-]+\.(?:ts|md|sql))`/g)].map(([, path = ""]) => path)
    expect(named.filter((path) => !exists(path))).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })
})
