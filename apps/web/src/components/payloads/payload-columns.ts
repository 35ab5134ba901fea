import type { PayloadSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { csvTime } from '../lists/csv.ts'
import type { CsvColumn, ListColumn } from '../lists/list-definition.ts'
import * as cells from './payload-cells.tsx'

type Column = ListColumn<PayloadSummary>

const partyTexts = (of: 'contact_name' | 'phone_number') => (row: PayloadSummary) =>
  row.parties
    ?.map((party) => party[of] ?? '')
    .join(', ')
    .replace(/^[, ]+$/, '')

/** The columns that payload lists are made of. */
const COLUMNS = {
  time: {
    id: 'time',
    label: msg`Time`,
    width: 154,
    stacked: 'end',
    Cell: cells.TimeCell,
    csv: [
      { label: msg`Time (UTC)`, value: (row) => csvTime(row.payload_time) },
      { label: msg`Local time`, value: (row) => row.local_time },
      { label: msg`Time zone`, value: (row) => row.timezone },
    ],
  },
  direction: {
    id: 'direction',
    label: msg`Direction`,
    width: 104,
    stacked: 'line',
    Cell: cells.DirectionCell,
    csv: [{ label: msg`Direction`, value: (row) => row.direction }],
  },
  type: {
    id: 'type',
    label: msg`Type`,
    width: 100,
    Cell: cells.TypeCell,
    csv: [],
  },
  parties: {
    id: 'parties',
    label: msg`Parties`,
    width: 190,
    grow: 3,
    stacked: 'lead',
    Cell: cells.PartiesCell,
    csv: [
      { label: msg`Names`, value: partyTexts('contact_name') },
      { label: msg`Numbers`, value: partyTexts('phone_number') },
      { label: msg`Number of parties`, value: (row) => row.party_count },
    ],
  },
  duration: {
    id: 'duration',
    label: msg`Duration`,
    width: 102,
    align: 'end',
    stacked: 'line',
    Cell: cells.DurationCell,
    csv: [{ label: msg`Duration (s)`, value: (row) => row.duration }],
  },
  length: {
    id: 'length',
    label: msg`Length`,
    width: 80,
    align: 'end',
    Cell: cells.LengthCell,
    csv: [{ label: msg`Characters`, value: (row) => row.length }],
  },
  user: {
    id: 'user',
    label: msg`Device user`,
    width: 110,
    grow: 1.4,
    stacked: 'line',
    Cell: cells.UserCell,
    csv: [{ label: msg`Device user`, value: (row) => row.device_user_reference }],
  },
  group: {
    id: 'group',
    label: msg`Group`,
    width: 104,
    grow: 1.4,
    Cell: cells.GroupCell,
    csv: [{ label: msg`Group`, value: (row) => row.group }],
  },
  device: {
    id: 'device',
    label: msg`Device`,
    width: 120,
    grow: 1,
    isOptional: true,
    Cell: cells.DeviceCell,
    csv: [{ label: msg`Device`, value: (row) => row.device_reference }],
  },
  state: {
    id: 'state',
    label: msg`State`,
    width: 134,
    stacked: 'line',
    Cell: cells.StateCell,
    csv: [{ label: msg`State`, value: (row) => row.payload_state }],
  },
  flags: {
    id: 'flags',
    label: msg`Flags`,
    width: 96,
    stacked: 'line',
    Cell: cells.FlagsCell,
    csv: [
      { label: msg`Late`, value: (row) => row.is_late },
      { label: msg`Legacy`, value: (row) => row.is_legacy },
    ],
  },
  processed: {
    id: 'processed',
    label: msg`Processed`,
    width: 156,
    isOptional: true,
    Cell: cells.ProcessedCell,
    csv: [{ label: msg`Processed (UTC)`, value: (row) => csvTime(row.processed_at) }],
  },
  updated: {
    id: 'updated',
    label: msg`Updated`,
    width: 156,
    isOptional: true,
    Cell: cells.UpdatedCell,
    csv: [{ label: msg`Updated (UTC)`, value: (row) => csvTime(row.updated_at) }],
  },
  reference: {
    id: 'reference',
    label: msg`Reference`,
    width: 92,
    Cell: cells.ReferenceCell,
    csv: [],
  },
} as const satisfies Record<string, Column>

/** A column by its name, or with what a list has otherwise. */
export type PayloadColumn =
  | keyof typeof COLUMNS
  | readonly [keyof typeof COLUMNS, Pick<Partial<Column>, 'width' | 'isOptional'>]

export const payloadColumns = (columns: readonly PayloadColumn[]): readonly Column[] =>
  columns.map((column) =>
    typeof column === 'string' ? COLUMNS[column] : { ...COLUMNS[column[0]], ...column[1] },
  )

/** A CSV file always says which recording a line is about. */
export const payloadCsvAlways: readonly CsvColumn<PayloadSummary>[] = [
  { label: msg`Reference`, value: (row) => row.payload_reference },
  { label: msg`Type`, value: (row) => row.payload_type },
]
