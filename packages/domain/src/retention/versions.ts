/** Which of an account's policies counts for what: longer ones for everything, shorter ones for what came after them. */
import { PAYLOAD_TYPES, type RetentionEntry, getSubject } from '@custodia/contract'
import type { LegalMinimum, RetentionItem, RetentionRule } from './decide.ts'

/** A policy as an account saved it, at a time in epoch seconds. */
export interface PolicyVersion {
  at: number
  entries: readonly RetentionEntry[]
  /** The administrator chose that it applies to kept records, too. */
  applies_to_kept: boolean
}

type Days = Pick<RetentionRule, 'delete_after_days' | 'destroy_after_days'>

/**
 * Whether days `to` never expire earlier than days `from`, also for deleted records. Destruction counts from the
 * deletion, so a change between one and two steps is comparable only if the record is never destroyed.
 */
function daysNoShorter(from: Days, to: Days): boolean {
  const first = from.delete_after_days ?? from.destroy_after_days
  const [deletes, destroys] = [to.delete_after_days, to.destroy_after_days]
  if (deletes === undefined && destroys === undefined) return true
  if (first === undefined) return false
  if (destroys === undefined) return deletes !== undefined && deletes >= first
  const isSameWay = (deletes === undefined) === (from.delete_after_days === undefined)
  return (
    isSameWay &&
    (deletes === undefined || deletes >= first) &&
    from.destroy_after_days !== undefined &&
    destroys >= from.destroy_after_days
  )
}

const hasAll = (wanted: readonly string[], among: readonly string[]) =>
  wanted.every((each) => among.includes(each))

/**
 * Whether entry `to` never expires what `from` would still keep; both have the same subject. Undefined: kept
 * permanently. Another basis or fewer conditions count as shorter.
 */
export function isNoShorter(from: RetentionEntry | undefined, to: RetentionEntry | undefined): boolean {
  if (to === undefined) return true
  if (from === undefined) return false
  if (from.entity_type !== 'Payload' || to.entity_type !== 'Payload') return daysNoShorter(from, to)
  return (
    from.retention_timestamp === to.retention_timestamp &&
    hasAll(from.required_receipts, to.required_receipts) &&
    hasAll(from.required_transfers, to.required_transfers) &&
    daysNoShorter(from, to)
  )
}

const getEntry = (version: Pick<PolicyVersion, 'entries'> | undefined, subject: string) =>
  version?.entries.find((entry) => getSubject(entry) === subject)

/**
 * The policy entry of a record that came at a time, from all versions in order: the last version before it came, then
 * each later one that is no shorter, or that applies to kept records. A record of the same second came before the
 * version. Undefined: kept permanently.
 * @param subject as `getSubject` names it
 */
export function entryFor(
  subject: string,
  came_at: number,
  versions: readonly PolicyVersion[],
): RetentionEntry | undefined {
  let entry: RetentionEntry | undefined
  for (const version of versions) {
    const next = getEntry(version, subject)
    if (version.at < came_at || version.applies_to_kept || isNoShorter(entry, next)) entry = next
  }
  return entry
}

/** What counts for a payload: `entryFor` of its type and of when it was announced. */
export function ruleFor(
  { payload_type, announced_at }: Pick<RetentionItem, 'payload_type' | 'announced_at'>,
  versions: readonly PolicyVersion[],
): RetentionRule | undefined {
  const entry = entryFor(`Payload ${payload_type}`, announced_at, versions)
  return entry?.entity_type === 'Payload' ? entry : undefined
}

/** A rule for payloads of its type that were announced from a second on, before another; undefined: always, and still. */
export interface RuleSpan {
  from: number | undefined
  until: number | undefined
  rule: RetentionRule
}

/** `ruleFor` of every payload there can be: what an aggregate asks instead of each payload. What stays for good is left out. */
export function ruleSpans(versions: readonly PolicyVersion[]): RuleSpan[] {
  const starts = [undefined, ...new Set(versions.map(({ at }) => at + 1))]
  return PAYLOAD_TYPES.flatMap((payload_type) =>
    starts.flatMap((from, i) => {
      const rule = ruleFor({ payload_type, announced_at: from ?? -Infinity }, versions)
      return rule ? [{ from, until: starts[i + 1], rule }] : []
    }),
  )
}

/** What a policy says otherwise than the one before, by what its entries and minimums are about. */
export function changedSubjects(
  before: { entries: readonly RetentionEntry[]; minimums: readonly LegalMinimum[] } | undefined,
  after: { entries: readonly RetentionEntry[]; minimums: readonly LegalMinimum[] },
): string[] {
  const toResponse = (policy: typeof before) =>
    new Map<string, string>([
      ...(policy?.entries ?? []).map((entry) => [getSubject(entry), plain(entry)] as const),
      ...(policy?.minimums ?? []).map((each) => [`Minimum ${each.payload_type}`, plain(each)] as const),
    ])
  const [old, now] = [toResponse(before), toResponse(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (subject) => old.get(subject) !== now.get(subject),
  )
}

/** The same for the same content, whatever the order of its fields and lists. */
const plain = (record: object): string =>
  JSON.stringify(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, Array.isArray(value) ? value.toSorted() : value])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )

/**
 * The subjects that would expire sooner once a version is saved: of future records, and of records from the time of
 * any version before, because a version that applies to kept records may shorten those.
 */
export function shortenedSubjects(versions: readonly PolicyVersion[], next: PolicyVersion): string[] {
  const moments = [-Infinity, ...[...versions, next].map(({ at }) => at + 1)]
  return next.entries
    .map((entry) => getSubject(entry))
    .filter((subject) =>
      moments.some(
        (came_at) =>
          !isNoShorter(entryFor(subject, came_at, versions), entryFor(subject, came_at, [...versions, next])),
      ),
    )
}
