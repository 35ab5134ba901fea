/** When goes what stands beside payloads and follows something else: logs follow their device. Whatever is not known for certain keeps it. */
import type { EntityType } from '@custodia/contract'
import { type HoldPeriod, holdsAt } from './decide.ts'
import { entryFor, type PolicyVersion } from './versions.ts'

const DAY = 86_400

/** A record as far as its end looks at it. Times in epoch seconds. */
export interface RetainedRecord {
  /** Whose entry counts for it. */
  follows: Exclude<EntityType, 'Payload'>
  /** When it was, as the phone says. */
  recorded_at: number
  /** When it came. */
  received_at: number
  /** Of what is deleted before it is destroyed, a phone or a person: when it was. */
  deleted_at?: number
}

/** What is to become of a record. */
export interface RecordDecision {
  verdict: 'keep' | 'destroy'
  /** When it is to go; null: never. It goes not while it is held. */
  destroy_at: number | null
  is_held: boolean
}

/**
 * What is to become of a record at `now` (epoch seconds, by the database). Its days count from the later of when it was and when it came, for
 * a phone's clock may stand years behind; which version counts for it is asked for the earlier of both, so that no clock that is ahead brings it
 * under a shorter one. A record is not deleted first: where its entry deletes and destroys it goes after the days of both, and where the entry
 * only deletes, never. Of what was deleted, the days of destruction count from then.
 */
export function decideRecord(
  record: RetainedRecord,
  { versions, holds }: { versions: readonly PolicyVersion[]; holds: readonly HoldPeriod[] },
  now: number,
): RecordDecision {
  const is_held = holds.some((hold) => holdsAt(hold, now))
  const { follows, recorded_at, received_at, deleted_at } = record
  const isDeleted = deleted_at !== undefined
  const days = daysOfRecords(versions, { follows, isDeleted }, Math.min(recorded_at, received_at))
  const at = Math.max(recorded_at, received_at, deleted_at ?? recorded_at) + (days ?? Number.NaN) * DAY
  const destroy_at = Number.isFinite(at) ? at : null
  const isDue = destroy_at !== null && now >= destroy_at
  return { verdict: isDue && !is_held ? 'destroy' : 'keep', destroy_at, is_held }
}

/** Whose entry counts, and whether its days of deletion are over. */
interface Followed {
  follows: RetainedRecord['follows']
  isDeleted: boolean
}

/** After how many days records go that follow something and came at a time; undefined: never. */
function daysOfRecords(
  versions: readonly PolicyVersion[],
  { follows, isDeleted }: Followed,
  came_at: number,
): number | undefined {
  const entry = Number.isFinite(came_at) ? entryFor(follows, came_at, versions) : undefined
  if (entry?.destroy_after_days === undefined) return undefined
  const first = 'delete_after_days' in entry && !isDeleted ? (entry.delete_after_days ?? 0) : 0
  const days = first + entry.destroy_after_days
  return Number.isSafeInteger(days) && first >= 0 && days >= first ? days : undefined
}

/** After how many days any record that follows something could go at the earliest, by any version; undefined: never. */
export function soonestOfRecords(
  versions: readonly PolicyVersion[],
  follows: RetainedRecord['follows'],
  isDeleted = false,
): number | undefined {
  const days = versions.flatMap(
    (version) => daysOfRecords([{ ...version, applies_to_kept: true }], { follows, isDeleted }, 0) ?? [],
  )
  return days.length > 0 ? Math.min(...days) : undefined
}
