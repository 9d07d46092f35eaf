/** Who calls with an API key, as an admin names them (APPROVAL-6). */
import { Schema } from "effect"
import { Text } from "./schemas.ts"
import type { FaultAnnotations } from "./validation.ts"

/** What people take for the same text: without regard to case, width and outer spaces. */
export const foldText = (text: string): string => text.normalize("NFKC").trim().toLowerCase()

/** Whether a person is known by the id of an operator or of a key, and by no name of their own. */
export const isIdentity = (person: string): boolean => /^(?:key|opr)_/.test(foldText(person))

/** The name of a person. One that reads like an id would be taken for whom the id is of, where maker and approver are compared. */
export const PersonName = Text(254).check(
  Schema.makeFilter((name: string) => !isIdentity(name), {
    expected: "the name of a person, for example an email address: no text that begins with key_ or opr_, as ids do",
    code: "invalid_value"
  } satisfies FaultAnnotations)
)
