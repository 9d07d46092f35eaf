/** The Kubernetes manifests, against the schemas of Kubernetes itself, and what they promise. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { graceMs } from "../../src/http/envelope-server.ts"
import { programOf } from "../support/ops/helm.ts"
import { listSettings } from "../support/ops/known-settings.ts"
import { checkManifest, compileManifests } from "../support/ops/kubernetes-schemas.ts"
import { documentsOf, type Manifest } from "../support/ops/manifests.ts"

const folder = "ops/kubernetes"
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml")
const manifests = files.flatMap((name) => documentsOf(`${folder}/${name}`).map((manifest) => ({ name, manifest })))

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Container {
  readonly image: string
  readonly args: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly envFrom: ReadonlyArray<Readonly<Record<string, { readonly name: string }>>>
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: ReadonlyArray<string> } } }
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: object
}
interface Workload extends Manifest {
  readonly spec: {
    readonly strategy?: { readonly rollingUpdate: object }
    readonly replicas?: number
    readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> }
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly containers: ReadonlyArray<Container>
        readonly terminationGracePeriodSeconds?: number
        readonly securityContext: object
      }
    }
  }
}
const ofKind = <A extends Manifest = Manifest>(kind: string): ReadonlyArray<A> =>
  manifests.flatMap(({ manifest }) => (manifest.kind === kind ? [manifest as A] : []))
const named = <A extends Manifest>(kind: string, name: string): A => {
  const found = ofKind<A>(kind).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}
const workloads = [...ofKind<Workload>("Deployment"), ...ofKind<Workload>("Job")]
const deployment = (name: string): Workload => named("Deployment", `corridor-${name}`)
const containerOf = ({ spec }: Workload): Container => spec.template.spec.containers[0]!

/** The labels that choose pods, of a selector of any kind of object. */
const chosenBy = ({ kind, spec }: Manifest): Readonly<Record<string, string>> => {
  const { podSelector, selector } = spec as {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> }
  }
  if (podSelector !== undefined) return podSelector.matchLabels
  return kind === "Service" ? (selector as unknown as Readonly<Record<string, string>>) : (selector?.matchLabels ?? {})
}

describe("ops/kubernetes", () => {
  it("has manifests that the schemas of Kubernetes allow", async () => {
    expect(manifests.length).toBeGreaterThan(8)
    for (const { manifest } of manifests) await expect(checkManifest(manifest)).resolves.toBeUndefined()
    const api = structuredClone(deployment("api"))
    const broken = { ...api, spec: { ...api.spec, replicas: "3" } } as unknown as Manifest
    await expect(checkManifest(broken)).rejects.toThrow("replicas")
  })

  it("has no member that Kubernetes does not know", () => {
    expect(compileManifests(manifests.map(({ manifest }) => manifest))).toBe("")
    const api = deployment("api")
    const misspelt = { ...api, spec: { ...api.spec, strategie: {} } } as unknown as Manifest
    expect(compileManifests([misspelt])).toContain("strategie")
  })

  it("are all named by the kustomization, but the secret and the job", () => {
    const [{ resources } = { resources: [] }] = documentsOf<{ readonly resources: ReadonlyArray<string> }>(
      `${folder}/kustomization.yaml`
    )
    expect([...resources, "migrate.yaml", "secret.example.yaml"].toSorted()).toEqual(files.toSorted())
    const kubectl = programOf("kubectl")
    if (kubectl === undefined) return
    const { status, stderr, stdout } = spawnSync(kubectl, ["kustomize", folder], { encoding: "utf8" })
    expect([stderr, status]).toEqual(["", 0])
    const built = stdout.split(/^---$/m).length
    expect(built).toBe(resources.flatMap((name) => documentsOf(`${folder}/${name}`)).length)
  })

  it("replaces pods without a moment without one, and lets each finish what it does", () => {
    for (const name of ["api", "dispatcher"]) {
      const { spec } = deployment(name)
      expect(spec.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
      const pod = spec.template.spec
      const command = pod.containers[0]!.lifecycle?.preStop.exec.command.join(" ") ?? ""
      const waits = Number(/([\d_]+)\)$/.exec(command)?.[1]?.replaceAll("_", "") ?? 0)
      expect(pod.terminationGracePeriodSeconds! * 1000).toBeGreaterThan(waits + graceMs)
      const budget = named<Manifest>("PodDisruptionBudget", `corridor-${name}`).spec as {
        readonly minAvailable: number
      }
      expect(budget.minAvailable).toBeGreaterThan(0)
      expect(budget.minAvailable).toBeLessThan(spec.replicas!)
    }
  })

  it("asks for the routes and the port that the server has", () => {
    const routes = readFileSync("src/http/system.ts", "utf8")
    for (const name of ["api", "dispatcher"]) {
      const { livenessProbe, ports, readinessProbe } = containerOf(deployment(name))
      expect(livenessProbe!.httpGet).toEqual({ path: "/health/live", port: "http" })
      expect(readinessProbe!.httpGet).toEqual({ path: "/health/ready", port: "http" })
      for (const probe of [livenessProbe!, readinessProbe!]) expect(routes).toContain(`"${probe.httpGet.path}"`)
      expect(ports).toEqual([{ name: "http", containerPort: 8080 }])
    }
  })

  it("runs jobs in the dispatchers, and routes requests to the API", () => {
    const dispatches = (name: string): string | undefined =>
      containerOf(deployment(name)).env?.find((one) => one.name === "CORRIDOR_DISPATCHER")?.value
    expect([dispatches("api"), dispatches("dispatcher")]).toEqual(["off", "on"])
    expect(chosenBy(named("Service", "corridor"))).toEqual(deployment("api").spec.template.metadata.labels)
  })

  it("chooses pods that exist, and each pod has its network policy", () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels)
    const isChosen = (chosen: Readonly<Record<string, string>>) => (pod: Readonly<Record<string, string>>) =>
      Object.entries(chosen).every(([key, value]) => pod[key] === value)
    for (const kind of ["Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"])
      for (const manifest of ofKind(kind)) {
        const chosen = chosenBy(manifest)
        expect([manifest.metadata.name, Object.keys(chosen).length]).toEqual([manifest.metadata.name, 2])
        expect([manifest.metadata.name, labels.filter(isChosen(chosen)).length]).toEqual([manifest.metadata.name, 1])
      }
    expect(ofKind("NetworkPolicy")).toHaveLength(workloads.length)
  })

  it("runs without root and privileges, on a read-only file system, with its resources requested", () => {
    expect(workloads).toHaveLength(3)
    for (const one of workloads) {
      expect(one.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
      const { resources, securityContext } = containerOf(one)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] }
      })
      expect(Object.keys(resources.requests)).toEqual(["cpu", "memory"])
      expect(Object.keys(resources.limits)).toEqual(["memory"])
    }
  })

  it("runs one image, of this release, and commands that exist", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
    const images = new Set(workloads.map((one) => containerOf(one).image))
    expect([...images]).toEqual([`registry.example.com/corridor:${version}`])
    const commands = new Set(workloads.flatMap((one) => containerOf(one).args))
    expect([...commands].toSorted()).toEqual(["migrate", "serve"])
    expect(ofKind("Job").map(({ metadata }) => metadata.name)).toEqual([
      `corridor-migrate-${version.replaceAll(".", "-")}`
    ])
  })

  it("sets only settings that exist, and the same in every pod", () => {
    const maps = [named<Manifest>("ConfigMap", "corridor"), named<Manifest>("Secret", "corridor")]
    const names = maps.flatMap(({ data, stringData }) => Object.keys((data ?? stringData) as object))
    const set = [...names, ...workloads.flatMap((one) => (containerOf(one).env ?? []).map(({ name }) => name))]
    const known = listSettings()
    expect(set.filter((name) => !known.has(name))).toEqual([])
    for (const one of workloads)
      expect(containerOf(one).envFrom).toEqual([
        { configMapRef: { name: "corridor" } },
        { secretRef: { name: "corridor" } }
      ])
  })
})
