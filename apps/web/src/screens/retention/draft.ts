import {
  DELETABLE_ENTITIES,
  DESTROYABLE_ENTITIES,
  type EntityType,
  type LegalMinimum,
  PAYLOAD_TYPES,
  type PayloadRetention,
  type PayloadType,
  type RetentionEntry,
  type RetentionInput,
  type RetentionSettings,
} from '@custodia/contract'

/** Days as typed: an empty field is undefined; an invalid one is a fault. */
export type DaysText = number | string

/** A line of the table: record type and days, with or without a policy entry. */
export interface Line {
  entity_type: EntityType
  payload_type?: PayloadType
  delete_days: DaysText
  destroy_days: DaysText
  retention_timestamp: PayloadRetention['retention_timestamp']
  required_receipts: string[]
  required_transfers: string[]
  minimum_days: DaysText
  legal_basis: string
}

/** Form state of a policy. */
export interface Draft {
  lines: Line[]
}

const SUBJECTS: readonly Pick<Line, 'entity_type' | 'payload_type'>[] = [
  ...PAYLOAD_TYPES.map((payload_type) => ({ entity_type: 'Payload' as const, payload_type })),
  ...[...DELETABLE_ENTITIES, ...DESTROYABLE_ENTITIES].map((entity_type) => ({ entity_type })),
]

/** Whether deletion precedes destruction for a line. */
export const isDeletable = ({ entity_type }: Pick<Line, 'entity_type'>): boolean =>
  entity_type === 'Payload' || (DELETABLE_ENTITIES as readonly EntityType[]).includes(entity_type)

/** Lines for all record types, with the policy's values. */
export function getDraft({ entries, minimums }: RetentionSettings): Draft {
  const lines = SUBJECTS.map((subject): Line => {
    const entry = entries.find(
      (each) =>
        each.entity_type === subject.entity_type &&
        (each.entity_type !== 'Payload' || each.payload_type === subject.payload_type),
    )
    const payload = entry?.entity_type === 'Payload' ? entry : undefined
    const minimum = minimums.find(({ payload_type }) => payload_type === subject.payload_type)
    return {
      ...subject,
      delete_days: (entry && 'delete_after_days' in entry ? entry.delete_after_days : undefined) ?? '',
      destroy_days: entry?.destroy_after_days ?? '',
      retention_timestamp: payload?.retention_timestamp ?? 'payload_time',
      required_receipts: payload?.required_receipts ?? [],
      required_transfers: payload?.required_transfers ?? [],
      minimum_days: minimum?.days ?? '',
      legal_basis: minimum?.legal_basis ?? '',
    }
  })
  return { lines }
}

const hasEntry = ({ delete_days, destroy_days }: Line) => delete_days !== '' || destroy_days !== ''
const hasMinimum = ({ minimum_days, legal_basis }: Line) => minimum_days !== '' || legal_basis !== ''

function getEntry(line: Line): RetentionEntry {
  const days = {
    ...(line.delete_days === '' ? {} : { delete_after_days: line.delete_days as number }),
    ...(line.destroy_days === '' ? {} : { destroy_after_days: line.destroy_days as number }),
  }
  if (line.entity_type !== 'Payload') return { entity_type: line.entity_type, ...days } as RetentionEntry
  const { payload_type, retention_timestamp, required_receipts, required_transfers } = line
  return {
    entity_type: 'Payload',
    payload_type: payload_type as PayloadType,
    ...days,
    retention_timestamp,
    required_receipts,
    required_transfers,
  }
}

/** The policy of a draft; scope and reason are asked on save. */
export function getInput({ lines }: Draft): RetentionInput {
  return {
    entries: lines.filter(hasEntry).map(getEntry),
    minimums: lines.filter(hasMinimum).map(
      ({ payload_type, minimum_days, legal_basis }) =>
        ({
          payload_type,
          days: minimum_days === '' ? undefined : minimum_days,
          legal_basis: legal_basis.trim(),
        }) as LegalMinimum,
    ),
    applies_to_kept: false,
    note: null,
  }
}

/** Draft field of a policy path: entries and minimums are in lines. */
export function fieldAt({ lines }: Draft, path: string): string {
  const [list, number, ...rest] = path.split('.')
  const shown =
    list === 'entries' ? lines.filter(hasEntry) : list === 'minimums' ? lines.filter(hasMinimum) : []
  const line = shown[Number(number)]
  if (number === undefined || line === undefined) return path
  const name = rest[0] ?? ''
  return ['lines', lines.indexOf(line), FIELDS[name] ?? name].filter((part) => part !== '').join('.')
}

const FIELDS: Readonly<Record<string, string>> = {
  delete_after_days: 'delete_days',
  destroy_after_days: 'destroy_days',
  days: 'minimum_days',
}
