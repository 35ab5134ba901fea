import { ApiProblem } from '@custodia/client'
import { authorName } from '../visible.ts'
import { valueAt } from './faults.ts'

/** A stored record as far as an edit conflict needs it; some do not say who changed them. */
interface StoredRecord {
  version: string
  updated_at?: number | null
  updated_by?: string | null
  updated_by_name?: string | undefined
}

interface NewestRecord<Values> extends StoredRecord {
  draft: Values
}

/** The record that a form edits, and how to read it again after an edit conflict. */
export interface EditedRecord<Values> {
  version: string
  read: () => Promise<NewestRecord<Values>>
}

/** The record of a form; undefined for a new one. */
export const getStored = <Row extends StoredRecord, Values>(
  record: Row | undefined,
  read: (() => Promise<Row>) | undefined,
  getDraft: (record: Row) => Values,
): EditedRecord<Values> | undefined =>
  record &&
  read && {
    version: record.version,
    read: async () => {
      const newest = await read()
      return { ...newest, draft: getDraft(newest) }
    },
  }

/** What another user changed during the edit. Fields are paths such as `lines.2.delete_days`. */
export interface Conflict<Values> {
  by: string | null
  at: number | null
  theirs: Values
  mine: Values
  /** Fields that only the other user changed: the form takes them over. */
  taken: string[]
  /** Fields that both changed. */
  both: string[]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Parts of a value that are compared on their own; undefined: it is compared as a whole. Lists are compared as a whole,
 * because their items move, except those with fixed items.
 */
function getParts(value: unknown, isFixed: boolean): string[] | undefined {
  if (isRecord(value) || (isFixed && Array.isArray(value))) return Object.keys(value)
  return undefined
}

/** Paths of fields that differ between two values. */
function differences(one: unknown, other: unknown, fixed: readonly string[], path = ''): string[] {
  if (isSame(one, other)) return []
  const parts = [one, other].map((value) => getParts(value, fixed.includes(path)))
  const [first, second] = parts
  if (first === undefined || second === undefined) return [path]
  return [...new Set([...first, ...second])].flatMap((part) =>
    differences(valueAt(one, part), valueAt(other, part), fixed, path === '' ? part : `${path}.${part}`),
  )
}

/** The values with those of `from` at the paths. */
export function withValuesOf<Values>(values: Values, from: Values, paths: readonly string[]): Values {
  const copy = structuredClone(values)
  for (const path of paths) {
    const holder = valueAt(copy, path.split('.').slice(0, -1).join('.'))
    if (typeof holder !== 'object' || holder === null) continue
    Object.assign(holder, { [path.split('.').at(-1) ?? '']: valueAt(from, path) })
  }
  return copy
}

/**
 * Compares an edit with the newest record, from the values that both started with.
 * @param fixed lists whose items have fixed places
 */
export function getConflict<Values extends object>(
  start: Values,
  mine: Values,
  newest: NewestRecord<Values>,
  fixed: readonly string[] = [],
): Conflict<Values> {
  const { draft: theirs, updated_at = null } = newest
  const edited = differences(start, mine, fixed)
  const changed = differences(start, theirs, fixed).filter(
    (path) => !isSame(valueAt(mine, path), valueAt(theirs, path)),
  )
  const isEdited = (path: string) =>
    edited.some((each) => `${each}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${each}.`))
  return {
    by: authorName(newest, 'updated_by') || null,
    at: updated_at,
    theirs,
    mine,
    taken: changed.filter((path) => !isEdited(path)),
    both: changed.filter(isEdited),
  }
}

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'changed_meanwhile'
