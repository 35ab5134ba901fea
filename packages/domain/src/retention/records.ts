/** Retention of records other than payloads; logs follow their device. Uncertain data is kept. */
import type { EntityType } from '@custodia/contract'
import { type HoldPeriod, holdsAt } from './decide.ts'
import { entryFor, type PolicyVersion } from './versions.ts'

const DAY = 86_400

/** A record as far as its end looks at it. Times in epoch seconds. */
export interface RetainedRecord {
  /** Whose entry counts for it. */
  follows: Exclude<EntityType, 'Payload'>
  /** When it was, as the device says. */
  recorded_at: number
  /** When it came. */
  received_at: number
  /** Of a device or a person that is there: when it was deactivated, or offboarded. It is deleted before it is destroyed. */
  ended_at?: number
  /** Of what is deleted before it is destroyed, a device or a person: when it was. */
  deleted_at?: number
}

export interface RecordDecision {
  verdict: 'keep' | 'delete' | 'destroy'
  /** When it is to go, by the act that comes next; null: never. It goes not while it is held. */
  goes_at: number | null
  is_held: boolean
}

/** What can become of a record next: of a device or a person that is not in use, of one that was deleted, and of everything else. */
export type RecordStage = 'ended' | 'deleted' | 'record'

/**
 * What retention does with a record. Its days count from the later of its own time and its arrival, and the policy
 * version from the earlier one, so that no wrong clock shortens retention. A log is destroyed after both periods of
 * its entry, and never if the entry only deletes; a device or person is deleted after the days since the end of use,
 * and destroyed after further days.
 * @param now epoch seconds, by the database
 */
export function decideRecord(
  record: RetainedRecord,
  { versions, holds }: { versions: readonly PolicyVersion[]; holds: readonly HoldPeriod[] },
  now: number,
): RecordDecision {
  const is_held = holds.some((hold) => holdsAt(hold, now))
  const { follows, recorded_at, received_at, ended_at, deleted_at } = record
  const stage = getStage(record)
  const days = daysOfRecords(versions, { follows, stage }, Math.min(recorded_at, received_at))
  const since = Math.max(recorded_at, received_at, ended_at ?? recorded_at, deleted_at ?? recorded_at)
  const at = since + (days ?? Number.NaN) * DAY
  const goes_at = Number.isFinite(at) ? at : null
  const isDue = goes_at !== null && now >= goes_at && !is_held
  return { verdict: isDue ? (stage === 'ended' ? 'delete' : 'destroy') : 'keep', goes_at, is_held }
}

const getStage = ({ ended_at, deleted_at }: RetainedRecord): RecordStage =>
  deleted_at !== undefined ? 'deleted' : ended_at !== undefined ? 'ended' : 'record'

/** Whose entry counts, and for which act. */
interface FollowedAct {
  follows: RetainedRecord['follows']
  stage: RecordStage
}

/** After how many days records go that follow something and came at a time; undefined: never. */
function daysOfRecords(
  versions: readonly PolicyVersion[],
  { follows, stage }: FollowedAct,
  came_at: number,
): number | undefined {
  const entry = Number.isFinite(came_at) ? entryFor(follows, came_at, versions) : undefined
  if (!entry) return undefined
  const first = 'delete_after_days' in entry ? entry.delete_after_days : undefined
  if (stage === 'ended') return isWhole(first) ? first : undefined
  const before = stage === 'deleted' ? 0 : (first ?? 0)
  const days = before + (entry.destroy_after_days ?? Number.NaN)
  return isWhole(before) && isWhole(days) && days >= before ? days : undefined
}

const isWhole = (days: number | undefined) => Number.isSafeInteger(days) && (days ?? -1) >= 0

/** After how many days any record that follows something could go at the earliest, by any version; undefined: never. */
export function soonestOfRecords(
  versions: readonly PolicyVersion[],
  follows: RetainedRecord['follows'],
  stage: RecordStage = 'record',
): number | undefined {
  const days = versions.flatMap(
    (version) => daysOfRecords([{ ...version, applies_to_kept: true }], { follows, stage }, 0) ?? [],
  )
  return days.length > 0 ? Math.min(...days) : undefined
}

/** After how many days goes what came from a second on, before another; undefined: always, and still. */
export interface RecordSpan {
  from: number | undefined
  until: number | undefined
  days: number
}

/** The days of every record that there can be of a kind: what a count asks instead of each. What stays for good is left out. */
export function recordSpans(
  versions: readonly PolicyVersion[],
  follows: RetainedRecord['follows'],
  stage: RecordStage,
): RecordSpan[] {
  const starts = [undefined, ...new Set(versions.map(({ at }) => at + 1))]
  return starts.flatMap((from, i) => {
    const days = daysOfRecords(versions, { follows, stage }, from ?? Number.MIN_SAFE_INTEGER)
    return days === undefined ? [] : [{ from, until: starts[i + 1], days }]
  })
}
