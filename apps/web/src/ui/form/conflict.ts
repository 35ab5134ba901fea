import { ApiProblem } from '@custodia/client'

/** A stored record as far as an edit conflict needs it. */
interface StoredRecord {
  version: string
  updated_at: number | null
  updated_by: string | null
}

interface Newest<Values> extends StoredRecord {
  draft: Values
}

/** The record that a form edits, and how to read it again after an edit conflict. */
export interface Stored<Values> {
  version: string
  read: () => Promise<Newest<Values>>
}

/** The record of a form; undefined for a new one. */
export const storedOf = <Row extends StoredRecord, Values>(
  record: Row | undefined,
  read: (() => Promise<Row>) | undefined,
  draftOf: (record: Row) => Values,
): Stored<Values> | undefined =>
  record &&
  read && {
    version: record.version,
    read: async () => {
      const newest = await read()
      return { ...newest, draft: draftOf(newest) }
    },
  }

/** What another user changed during the edit. */
export interface Conflict<Values> {
  by: string | null
  at: number | null
  theirs: Values
  mine: Values
  /** Fields that only the other user changed: the form takes them over. */
  taken: (keyof Values & string)[]
  /** Fields that both changed. */
  both: (keyof Values & string)[]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Compares an edit with the newest record, from the values that both started with. */
export function conflictOf<Values extends object>(
  start: Values,
  mine: Values,
  { draft: theirs, updated_at, updated_by }: Newest<Values>,
): Conflict<Values> {
  const changed = (Object.keys(theirs) as (keyof Values & string)[]).filter(
    (name) => !isSame(start[name], theirs[name]) && !isSame(mine[name], theirs[name]),
  )
  return {
    by: updated_by,
    at: updated_at,
    theirs,
    mine,
    taken: changed.filter((name) => isSame(mine[name], start[name])),
    both: changed.filter((name) => !isSame(mine[name], start[name])),
  }
}

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'changed_meanwhile'
