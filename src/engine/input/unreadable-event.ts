/**
 * Messages of a provider whose sender is certain, and whose content is no event. They are recorded for the operator with the
 * reason (PROTOCOL-10).
 */
import { Effect, Predicate } from "effect"
import { sha256 } from "../crypto/secrets.ts"
import { toCanonicalJson } from "../ports/canonical-json.ts"
import { takeLastFour, ProviderEvent, type UnreadableEvent } from "../ports/provider-events.ts"
import type { Json } from "../ports/Storage.ts"
import { eventFault, type EventSchema } from "./validation.ts"

/** The longest text that is kept, in characters, and the longest name of a member. */
const textMax = 500
const nameMax = 60
/** The longest reason, in characters. */
const faultMax = 2000
/** The most members of a map or list that are kept. */
const membersMax = 20

/** Makes a text that every store accepts. */
const toStorable = (text: string, max = textMax): string =>
  text.slice(0, max).toWellFormed().replaceAll("\u0000", "\ufffd")

type Members = { readonly [member: string]: unknown }

/** The events of the port, by their `_tag`. */
const events: { readonly [tag: string]: EventSchema } = Object.fromEntries(
  ProviderEvent.members.map((member) => [member.fields._tag.literal, member])
)

/** Wraps a value that is not an event, with the fault that says why. */
const toUnreadableEvent = (content: unknown): UnreadableEvent =>
  Predicate.isReadonlyObject(content) && content["_tag"] === "unreadable" && typeof content["fault"] === "string"
    ? { _tag: "unreadable", content: content["content"], fault: toStorable(content["fault"], faultMax) }
    : { _tag: "unreadable", content, fault: toStorable(eventFault(content, "_tag", events), faultMax) }

/** The members of events, here and in the provider protocol. */
const known: ReadonlySet<string> = new Set([
  ...["id", "type", "operation"],
  ...ProviderEvent.members.flatMap(({ fields }) => Object.keys(fields))
])

const toScalar = (value: unknown): Json | undefined => {
  if (typeof value === "string") return toStorable(value)
  return value === null || typeof value === "boolean" || Number.isFinite(value) ? (value as Json) : undefined
}

const pickScalars = (value: Members): { readonly [member: string]: Json } =>
  Object.fromEntries(
    Object.entries(value)
      .flatMap(([name, member]) => {
        const one = toScalar(member)
        return one === undefined ? [] : [[toStorable(name, nameMax), one]]
      })
      .slice(0, membersMax)
  )

/** Picks the name, the bank and the last four characters of the account number of a payer (DEPOSIT-14). */
const toSender = ({ account_number, bank, name }: Members): Json => {
  const known = pickScalars({ name, bank })
  const isStated = typeof account_number === "string" || typeof account_number === "number"
  return isStated ? { ...known, account_number: toStorable(takeLastFour(String(account_number))) } : known
}

/**
 * Picks the part of an unreadable event that may be stored: the members that events have, if they are texts, numbers and the like, and the
 * names of the others. Other content may be anything, such as a payer's account number, and is not stored.
 */
const pickStorable = (content: unknown): Json => {
  if (!Predicate.isReadonlyObject(content)) return toScalar(typeof content === "string" ? null : content) ?? null
  const recorded: Record<string, Json> = {}
  const others: Array<string> = []
  for (const [name, member] of Object.entries(content)) {
    if (!known.has(name)) others.push(toStorable(name, nameMax))
    else if (name === "sender") recorded[name] = Predicate.isReadonlyObject(member) ? toSender(member) : null
    else if (name === "details") recorded[name] = Predicate.isReadonlyObject(member) ? pickScalars(member) : null
    else {
      const one = toScalar(member)
      if (one !== undefined) recorded[name] = one
    }
  }
  return others.length === 0 ? recorded : { ...recorded, other_members: others.slice(0, membersMax) }
}

/** Makes a text that is equal for equal content, whatever the order of its members. */
const contentKey = (content: unknown): string => {
  try {
    return toCanonicalJson(content as never) ?? "nothing"
  } catch {
    // It is nested too deeply to be written.
    return `deep ${JSON.stringify(pickStorable(content))}`
  }
}

export interface KeptUnreadable extends UnreadableEvent {
  readonly content: Json
  readonly key: string
}

/** Makes the record of an unreadable event. Its key recognises a repeat. */
export const recordUnreadable = (sent: unknown): Effect.Effect<KeptUnreadable> => {
  const { content, ...unreadable } = toUnreadableEvent(sent)
  return Effect.map(sha256(contentKey(content)), (key) => ({ ...unreadable, content: pickStorable(content), key }))
}

/** Whether a value is such a record already, from a message that was stored before. */
export const isKeptUnreadable = (sent: unknown): sent is KeptUnreadable =>
  Predicate.isReadonlyObject(sent) && sent["_tag"] === "unreadable" && typeof sent["key"] === "string"

const readTextMember = (content: unknown, member: string): string | null => {
  const value = Predicate.isReadonlyObject(content) ? content[member] : undefined
  return typeof value === "string" && value !== "" ? toStorable(value) : null
}

/** The id of the event, if it can be read. */
export const eventIdOf = (content: unknown): string | null =>
  readTextMember(content, "event_id") ?? readTextMember(content, "id")

/** The id of the resource that the event names, if it can be read. */
export const resourceIdOf = (content: unknown): string | null => readTextMember(content, "resource_id")
