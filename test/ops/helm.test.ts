/** The Helm chart, rendered by Helm: it is the manifests of `ops/kubernetes`, and what its values make of them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { listAllSettings } from "../../src/http/config/settings.ts"
import { programOf } from "../support/ops/helm.ts"
import { checkManifest, compileManifests } from "../support/ops/kubernetes-schemas.ts"
import { listSettings } from "../support/ops/known-settings.ts"
import { documentsIn, documentsOf, type Manifest } from "../support/ops/manifests.ts"

const chart = "ops/helm/corridor"
const helm = programOf("helm")
const none = helm === undefined ? " (skipped: install Helm)" : ""

const runHelm = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(helm!, args, { encoding: "utf8" })
  return { status, stderr, stdout }
}

/** The version of a cluster whose schemas the tests have. A chart asks for its least one. */
const cluster = ["--kube-version", "1.34.0"]

const render = (release: string, ...values: ReadonlyArray<string>): ReadonlyArray<Manifest> => {
  const { status, stderr, stdout } = runHelm("template", release, chart, ...cluster, ...values)
  if (status !== 0) throw new Error(stderr)
  return documentsIn<Manifest | null>(stdout).filter((one) => one !== null)
}

const named = (manifests: ReadonlyArray<Manifest>, kind: string, name: string): Manifest => {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}

/** What Helm adds to an object, and to what chooses one: whose release it is. */
const helms = new Set([
  "app.kubernetes.io/instance",
  "app.kubernetes.io/version",
  "app.kubernetes.io/managed-by",
  "helm.sh/chart"
])

/** A manifest without what Helm adds, and without what is as the cluster has it anyway. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, member]) =>
          !helms.has(name) &&
          !["annotations", "imagePullPolicy", "ttlSecondsAfterFinished"].includes(name) &&
          !(name === "type" && member === "ClusterIP")
      )
      .map(([name, member]) => [name, plain(member)] as const)
      .filter(([name, member]) => name !== "labels" || JSON.stringify(member) !== "{}")
  )
}

/** The objects by kind and name, without their own labels: those by which they are chosen stay. */
const byName = (manifests: ReadonlyArray<Manifest>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    manifests
      .map(({ metadata: { name }, ...rest }) => [`${rest.kind} ${name}`, plain(rest)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

const everything = [
  ...[
    "--set",
    "ingress.enabled=true,ingress.host=pay.example.com,ingress.className=nginx,ingress.tlsSecretName=pay-tls"
  ],
  ...["--set", "ingress.annotations.example=yes,imagePullSecrets={registry},nodeSelector.disk=ssd,image.tag=1.2.3"],
  ...["--set", "tolerations[0].key=payments,tolerations[0].operator=Exists,service.type=LoadBalancer,service.port=8080"]
]

describe.skipIf(helm === undefined)(`ops/helm/corridor${none}`, () => {
  it("has nothing that Helm warns of, and the version of the package", () => {
    const { status, stdout, stderr } = runHelm("lint", "--strict", chart)
    expect([status, `${stdout}${stderr}`.match(/\[(?:WARNING|ERROR)\].*/g)]).toEqual([0, null])
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
    const [about] = documentsOf<Readonly<Record<string, string>>>(`${chart}/Chart.yaml`)
    expect([about!["version"], about!["appVersion"]]).toEqual([version, version])
  })

  it("makes the manifests of ops/kubernetes, where nothing is chosen", () => {
    const files = readdirSync("ops/kubernetes").filter((name) => !/kustomization|secret/.test(name))
    const manifests = files.flatMap((name) => documentsOf(`ops/kubernetes/${name}`))
    const expected = byName(manifests)
    const rendered = byName(render("corridor"))
    // A chart has one migration at a time, which comes before the settings that it needs.
    const [job] = Object.keys(expected).filter((name) => name.startsWith("Job "))
    const { [job!]: migrate, ...others } = expected
    const { "Job corridor-migrate": hook, ...objects } = rendered
    expect(objects).toEqual(others)
    const text = (value: unknown): string => JSON.stringify(value)
    const env = [{ name: "CORRIDOR_PUBLIC_URL", value: "https://pay.example.com" }]
    expect(JSON.parse(text(hook).replace(`"env":${text(env)},`, ""))).toEqual(
      JSON.parse(text(migrate).replace(`{"configMapRef":{"name":"corridor"}},`, ""))
    )
  })

  it("makes what the schemas of Kubernetes allow, with all that can be chosen", async () => {
    const manifests = render("payments", ...everything)
    expect(manifests.map(({ kind }) => kind)).toContain("Ingress")
    for (const manifest of manifests) await expect(checkManifest(manifest)).resolves.toBeUndefined()
    expect(compileManifests(manifests)).toBe("")
    const text = JSON.stringify(manifests)
    expect(text.match(/"image":"[^"]+"/g)).toEqual(Array(3).fill(`"image":"registry.example.com/corridor:1.2.3"`))
    expect(text.match(/"imagePullSecrets":\[\{"name":"registry"\}\]/g)).toHaveLength(3)
    expect(text.match(/"nodeSelector":\{"disk":"ssd"\}/g)).toHaveLength(3)
    expect(text.match(/"tolerations":\[\{"key":"payments","operator":"Exists"\}\]/g)).toHaveLength(3)
    expect(named(manifests, "Ingress", "payments")).toMatchObject({
      metadata: { annotations: { example: "yes" } },
      spec: {
        ingressClassName: "nginx",
        tls: [{ hosts: ["pay.example.com"], secretName: "pay-tls" }],
        rules: [{ host: "pay.example.com", http: { paths: [{ backend: { service: { name: "payments" } } }] } }]
      }
    })
    expect(named(manifests, "Service", "payments")).toMatchObject({
      spec: { type: "LoadBalancer", ports: [{ port: 8080 }] }
    })
  })

  it("takes the command and the values that the guide shows", async () => {
    const guide = readFileSync("docs/guides/deploy.md", "utf8")
    const [, values = ""] = /```yaml\n(.*?)```/s.exec(guide) ?? []
    const [, words = ""] = /^helm upgrade --install (.*)$/m.exec(guide) ?? []
    const folder = mkdtempSync(join(tmpdir(), "corridor-helm-"))
    writeFileSync(join(folder, "corridor.yaml"), values)
    // Without a cluster, what would be installed is shown. The package has the chart of this repository.
    const args = words
      .split(" ")
      .map((word) => (word === "corridor.yaml" ? join(folder, word) : word.replace(/^node_modules\/corridor\//, "")))
    const { status, stderr, stdout } = runHelm("template", ...args, ...cluster)
    rmSync(folder, { recursive: true })
    expect([status, stderr]).toEqual([0, ""])
    const manifests = documentsIn<Manifest | null>(stdout).filter((one) => one !== null)
    for (const manifest of manifests) await expect(checkManifest(manifest)).resolves.toBeUndefined()
    expect(named(manifests, "Ingress", "corridor")).toMatchObject({ spec: { rules: [{ host: "pay.example.com" }] } })
    const known = listSettings()
    const { data } = named(manifests, "ConfigMap", "corridor") as Manifest & {
      readonly data: Readonly<Record<string, string>>
    }
    expect(Object.keys(data).filter((name) => !known.has(name))).toEqual([])
    expect(data["CORRIDOR_ENVIRONMENT"]).toBe("live")
  })

  it("leaves out what is switched off", () => {
    const kinds = render("corridor", "--set", "migrate.enabled=false,networkPolicy.enabled=false").map(
      ({ kind }) => kind
    )
    expect(kinds.filter((kind) => kind === "Job" || kind === "NetworkPolicy")).toEqual([])
  })

  it("migrates before the pods of a release start, with the settings and secrets that they will have", () => {
    const set = ["--set", "settings.CORRIDOR_TEST=1,secretName=other", "--set-string", "settings.CORRIDOR_TEST=1"]
    const job = named(render("corridor", ...set), "Job", "corridor-migrate") as Manifest & {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> }
    }
    expect(job.metadata.annotations["helm.sh/hook"]).toBe("pre-install,pre-upgrade")
    expect(job).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                args: ["migrate"],
                env: expect.arrayContaining([{ name: "CORRIDOR_TEST", value: "1" }]),
                envFrom: [{ secretRef: { name: "other" } }]
              }
            ]
          }
        }
      }
    })
  })

  it("makes other pods of other settings, and the same of the same", () => {
    const sums = (...values: ReadonlyArray<string>) =>
      JSON.stringify(render("corridor", ...values)).match(/"checksum\/settings":"\w{64}"/g)
    expect(sums()).toHaveLength(2)
    expect(sums()).toEqual(sums("--set", "api.replicas=5"))
    expect(new Set([...sums()!, ...sums("--set", "settings.CORRIDOR_DOCS_URL=https://docs.example.com")!]).size).toBe(2)
  })

  it("keeps two releases in one namespace apart", () => {
    const chosen = (release: string): ReadonlyArray<string> =>
      JSON.stringify(render(release)).match(/"app\.kubernetes\.io\/instance":"[^"]+"/g) ?? []
    expect(new Set([...chosen("one"), ...chosen("two")]).size).toBe(2)
    const names = (release: string) => render(release).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names("one").filter((name) => names("two").includes(name))).toEqual([])
  })

  it.each([
    ["a value that it does not have", "apis.replicas=3", "apis"],
    ["a member that it does not have", "api.replica=3", "replica"],
    ["a number that is none", "api.replicas=three", "replicas"],
    ["one pod, which a drained node would stop", "api.replicas=1", "replicas"],
    ["a budget by which no node could be drained", "dispatcher.minAvailable=2", "no node could be drained"],
    ["a secret among the settings", "settings.DATABASE_URL=postgres://there", "DATABASE_URL"],
    ["a setting that decides which pods run jobs", "settings.CORRIDOR_DISPATCHER=off", "CORRIDOR_DISPATCHER"],
    ["an ingress without a host", "ingress.enabled=true", "host"]
  ])("refuses %s", (_, value, said) => {
    const { status, stderr } = runHelm("template", "corridor", chart, ...cluster, "--set", value)
    expect(status).not.toBe(0)
    expect(stderr).toContain(said)
  })

  it("refuses every secret of Corridor among the settings", () => {
    const schema = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"))
    const refused: ReadonlyArray<string> = schema.properties.settings.propertyNames.not.enum
    const secrets = listAllSettings("live").flatMap(({ secret, variable }) => (secret ? [variable] : []))
    expect(refused.toSorted()).toEqual(["CORRIDOR_DISPATCHER", ...secrets].toSorted())
  })

  it("refuses a cluster whose kinds it does not know", () => {
    const { status, stderr } = runHelm("template", "corridor", chart, "--kube-version", "1.20.0")
    expect([status === 0, stderr.includes("kubeVersion")]).toEqual([false, true])
  })
})
