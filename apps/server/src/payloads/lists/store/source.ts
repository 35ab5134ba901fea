import type { PayloadQuery } from '@custodia/contract'
import type { Bind } from '../../../ports/database/binder.ts'
import type { ListFilter } from './filter.ts'
import type { Runs } from './search.ts'

/** A column and its required value; `hash`: the hash of this text; `bigint[]`: any of these. */
interface Equal {
  column: string
  value: unknown
  cast?: 'hash' | 'text' | 'bigint[]'
}

/** SQL of the condition. */
export function equalSql({ column, value, cast }: Equal, bind: Bind): string {
  if (cast === 'bigint[]') return `${column} = any(${bind(value, cast)})`
  return `${column} = ${cast === 'hash' ? `hashtextextended(${bind(value, 'text')}, 0)` : bind(value, cast ?? 'int')}`
}

/** An index in list order, from which a list reads its keys. */
export interface Source {
  /** Table, with alias where it needs one. */
  table: string
  /** The column that the list sorts by. */
  time: string
  /** Index columns before the time, and their required values. */
  equals: readonly Equal[]
  /** The keys of all these runs together, each in its own index; the table is not read. */
  runs?: Runs
  /** A condition that is always true and permits a partial index. */
  always?: string
  /**
   * Whether the table also has an index that begins with the group, so that a few groups need no long scan.
   */
  has_group_index: boolean
}

/** The column of `payloads` that a list sorts by. */
const TIME_OF = {
  payload_time: 'payload_time',
  processed_at: 'processed_at',
  updated_at: 'updated_at',
} as const satisfies Record<PayloadQuery['date_filter'], string>

/** The most selective index with the requested order; the rows are checked for the remaining conditions. */
export function sourceOf(filter: ListFilter): Source {
  const time = TIME_OF[filter.date_filter]
  const payloads = { table: 'payloads', time, equals: [], has_group_index: false }
  if (filter.payload_ids) {
    const ids = { column: 'payload_id', value: filter.payload_ids, cast: 'bigint[]' } as const
    return { ...payloads, equals: [ids], always: `${time} is not null` }
  }
  if (filter.date_filter === 'updated_at') return { ...payloads, table: 'payload_changes' }
  if (filter.date_filter === 'processed_at') return { ...payloads, always: 'processed_at is not null' }
  if (filter.number !== undefined) {
    const hash = { column: 'number_hash', value: filter.number, cast: 'hash' } as const
    return { ...payloads, table: 'payload_numbers', equals: [hash] }
  }
  if (filter.search?.runs) return { ...payloads, runs: filter.search.runs }
  // It excludes deleted payloads and duplicates.
  if (filter.mark !== undefined && filter.mark !== 'none' && !filter.has_states && filter.is_copy === false) {
    const equals = [
      { column: 'person', value: filter.marked_by, cast: 'text' },
      { column: 'mark', value: filter.mark, cast: 'text' },
    ] as const
    return { ...payloads, table: 'payload_marked', equals }
  }
  // It excludes deleted payloads and duplicates.
  if (
    filter.device_id !== undefined &&
    filter.thread_id !== undefined &&
    !filter.has_states &&
    filter.is_copy === false
  ) {
    const thread = { column: 'thread_id', value: filter.thread_id, cast: 'text' } as const
    return {
      ...payloads,
      table: 'payload_threads',
      equals: [{ column: 'device_id', value: filter.device_id }, thread],
    }
  }
  if (filter.device_id !== undefined)
    return { ...payloads, equals: [{ column: 'device_id', value: filter.device_id }] }
  if (filter.device_user_id !== undefined)
    return { ...payloads, equals: [{ column: 'device_user_id', value: filter.device_user_id }] }
  // Few rows with an index of their own.
  if (filter.is_copy === true) return { ...payloads, always: 'is_copy' }
  return { ...payloads, has_group_index: filter.search === undefined }
}
