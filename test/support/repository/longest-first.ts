/** The order of the test files: those that take longest begin first, so that no core idles while one of them ends the run alone. */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { secondsOf } from "./seconds.ts"

const weight = ({ moduleId, project }: TestSpecification): number =>
  secondsOf[relative(project.config.root, moduleId)] ?? 0

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((a, b) => weight(b) - weight(a))
  }
}
