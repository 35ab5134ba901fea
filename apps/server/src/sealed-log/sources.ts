import { DEVICE_COLUMNS, PORTAL_COLUMNS } from '../http/audit-store.ts'

/** A table whose rows enter the sealed log. */
export interface SealedSource {
  table: string
  /** Columns that name a row among those of its client. */
  id: string | readonly string[]
  at: string
  /** The columns that the digest covers, in any order. A change would alter the digests of sealed entries. */
  fields: readonly string[]
  /** Whether retention removes entries; `destroyed_as` and `follows` are its action and its policy entry. */
  retention?: { destroyed_as: string; follows: string }
}

/** Columns of an entry that its digest covers: the log itself names the client. */
const withoutClient = (columns: readonly string[]) => columns.filter((name) => name !== 'client_id')

/** The tables whose rows enter the sealed log. */
export const SEALED_SOURCES: readonly SealedSource[] = [
  {
    table: 'portal_activities',
    id: 'log_id',
    at: 'activity_time',
    fields: withoutClient(PORTAL_COLUMNS),
    retention: { destroyed_as: 'retention:destroy_activities', follows: 'PortalUser' },
  },
  {
    table: 'device_activities',
    id: 'log_id',
    at: 'activity_time',
    fields: withoutClient(DEVICE_COLUMNS),
    retention: { destroyed_as: 'retention:destroy_device_activities', follows: 'Device' },
  },
  {
    table: 'payload_history',
    id: 'entry_id',
    at: 'at',
    fields: ['payload_id', 'at', 'from_state', 'to_state', 'reason', 'by'],
  },
  {
    table: 'legal_hold_events',
    id: 'event_id',
    at: 'at',
    fields: ['target_type', 'target', 'act', 'at', 'by', 'reason_id', 'matter_id', 'confirmed_by'],
  },
  {
    table: 'retention_policies',
    id: 'policy_version',
    at: 'at',
    fields: ['policy_version', 'entries', 'minimums', 'applies_to_kept', 'note', 'at', 'by', 'confirmed_by'],
  },
  {
    table: 'dual_control_versions',
    id: 'version',
    at: 'at',
    fields: ['version', 'is_required', 'at', 'by', 'confirmed_by'],
  },
  {
    table: 'destruction_review_versions',
    id: 'version',
    at: 'at',
    fields: ['version', 'is_required', 'at', 'by', 'confirmed_by'],
  },
  {
    table: 'destruction_ledger',
    id: 'payload_id',
    at: 'destroyed_at',
    fields: [
      'payload_id',
      'payload_reference',
      'run_id',
      'type',
      'payload_time',
      'announced_at',
      'processed_at',
      'deleted_at',
      'deleted_from',
      'destroyed_at',
      'destroyed_by',
      'checksum',
      'digests',
      'policy_version',
      'rule',
      'gates',
      'people_checked',
      'holds_ended',
      'keys',
      'replayed_at',
    ],
  },
  {
    table: 'destruction_ends',
    id: 'payload_id',
    at: 'ended_at',
    fields: ['payload_id', 'ended_at', 'objects', 'file'],
  },
  {
    table: 'destruction_certificates',
    id: 'certificate_reference',
    at: 'issued_at',
    fields: ['certificate_reference', 'issued_at', 'key_id', 'body', 'signature', 'replayed_at'],
  },
  {
    table: 'payload_reassignments',
    id: 'entry_id',
    at: 'at',
    fields: ['payload_id', 'at', 'from_group', 'to_group', 'from_user', 'to_user', 'by'],
  },
  { table: 'rights_versions', id: 'version_id', at: 'at', fields: ['kind', 'reference', 'at', 'document'] },
  { table: 'payload_write_offs', id: ['payload_id', 'at'], at: 'at', fields: ['payload_id', 'at', 'by'] },
  {
    table: 'transfer_audit',
    id: ['transfer_config_reference', 'payload_date', 'payload_id'],
    at: 'transferred_at',
    fields: [
      'transfer_config_reference',
      'payload_date',
      'payload_id',
      'transfer_id',
      'transferred_at',
      'encrypted_checksum',
      'decrypted_checksum',
    ],
  },
  {
    table: 'capture_statements',
    id: 'statement_reference',
    at: 'issued_at',
    fields: ['statement_reference', 'day', 'issued_at', 'key_id', 'body', 'signature'],
  },
  {
    table: 'transfer_reconciliations',
    id: 'reconciliation_reference',
    at: 'issued_at',
    fields: ['reconciliation_reference', 'key_id', 'body', 'signature'],
  },
]

/** SQL: the text that names a row of a source. */
export const getId = ({ id }: SealedSource): string =>
  [id]
    .flat()
    .map((column) => `r.${column}::text`)
    .join(` || ' ' || `)

/** SQL: an `EntryRow` of a source. */
export const entryColumns = (source: SealedSource): string => {
  const { table, at, fields } = source
  return `'${table}' as source, ${getId(source)} as source_id, r.xid::text as xid, r.${at} as at,
   json_build_array(${fields.map((name) => `r.${name}`).join(', ')}) as field_values`
}

/** An entry as it is read: the values in the order of the source's fields, because their names cost as much again. */
export type EntryRow = Omit<SourceEntry, 'fields'> & { field_values: unknown[] }

const FIELDS = new Map(SEALED_SOURCES.map(({ table, fields }) => [table, fields]))

/** The entry of a row. */
export function getEntry<Row extends EntryRow>({
  field_values,
  ...entry
}: Row): Omit<Row, 'field_values'> & SourceEntry {
  const names = FIELDS.get(entry.source) ?? []
  return { ...entry, fields: Object.fromEntries(names.map((name, index) => [name, field_values[index]])) }
}

/** Most entries of a batch, and most transactions from its first to its last: bounds of its table. */
export const [BATCH_ENTRIES, BATCH_SPAN] = [2000, 4096]

/** SQL condition: the sealed entry `e` is that of the row `r` of a source. */
export const isEntryOf = (source: SealedSource): string =>
  `e.client_id = r.client_id and e.xid = r.xid::text::bigint and e.source = '${source.table}' and e.source_id = ${getId(source)}`

/** SQL condition: the batch of the sealed entry `e` may have entries of this transaction; an index finds it. */
export const ofTransaction = (xid: string): string =>
  `e.last_xid between ${xid}::text::bigint and ${xid}::text::bigint + ${BATCH_SPAN - 1} and e.first_xid <= ${xid}::text::bigint`

/** SQL condition: the sealed entry `e` has a position from `from` and before `to`, both SQL. */
export const isWithin = (from: string, to?: string): string =>
  `e.first > ${from} - ${BATCH_ENTRIES} and e.position >= ${from}${to === undefined ? '' : ` and e.first < ${to} and e.position < ${to}`}`

/** An entry before it is sealed. */
export interface SourceEntry {
  source: string
  source_id: string
  xid: string
  at: number
  fields: Record<string, unknown>
}

/** The fields as the digest covers them: canonical JSON has whole numbers only, so fractions become text. */
export function sealedFields(fields: unknown): unknown {
  if (typeof fields === 'number') return Number.isSafeInteger(fields) ? fields : String(fields)
  if (Array.isArray(fields)) return fields.map(sealedFields)
  if (typeof fields !== 'object' || fields === null) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, sealedFields(value)]))
}

/** Names an entry of a source. */
export const getName = ({ source, source_id }: { source: string; source_id: string }): string =>
  `${source} ${source_id}`
