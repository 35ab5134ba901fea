import type { PayloadSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { getColumns } from '../../components/lists/columns.tsx'
import { csvTime } from '../../components/lists/csv.ts'
import type { CsvColumn, ListColumn } from '../../components/lists/list-definition.ts'
import * as cells from './payload-cells.tsx'

type Column = ListColumn<PayloadSummary>
const column = getColumns<PayloadSummary>()

const partyTexts = (of: 'contact_name' | 'phone_number') => (row: PayloadSummary) =>
  row.parties
    ?.map((party) => party[of] ?? '')
    .join(', ')
    .replace(/^[, ]+$/, '')

/** Device user by name; the CSV file also has the reference. */
export function userColumn<
  Row extends Pick<PayloadSummary, 'device_user_reference' | 'person_name'>,
>(): ListColumn<Row> {
  const name = (row: Row) => row.person_name ?? row.device_user_reference
  return {
    ...getColumns<Row>().drawn('user', msg`Device user`, cells.UserCell, name, { width: 114, grow: 1.4 }),
    csv: [
      { label: msg`Device user`, value: name },
      { label: msg`Device user reference`, value: (row) => row.device_user_reference },
    ],
  }
}

/** Columns of payload lists. */
const COLUMNS = {
  time: column.drawn('time', msg`Time`, cells.TimeCell, (row) => row.payload_time, {
    width: 158,
    stacked: 'end',
    time: 'payload_time',
    csv: [
      { label: msg`Time`, unit: 'UTC', value: (row) => csvTime(row.payload_time) },
      { label: msg`Local time`, value: (row) => row.local_time },
      { label: msg`Time zone`, value: (row) => row.timezone },
    ],
  }),
  // Its code loads with the lists that have pictures.
  picture: column.drawn('picture', msg`Picture`, cells.PictureCell, () => undefined, { width: 58, csv: [] }),
  direction: column.drawn('direction', msg`Direction`, cells.DirectionCell, {
    width: 104,
    stacked: 'line',
    hasValue: (row) => row.direction !== undefined,
  }),
  type: column.drawn('type', msg`Type`, cells.TypeCell, (row) => row.payload_type, { width: 100, csv: [] }),
  parties: column.drawn('parties', msg`Parties`, cells.PartiesCell, partyTexts('contact_name'), {
    // A name with a full number next to it or below it, and how many more parties there are.
    width: 184,
    grow: 3,
    stacked: 'lead',
    csv: [
      { label: msg`Names`, value: partyTexts('contact_name') },
      { label: msg`Numbers`, value: partyTexts('phone_number') },
      { label: msg`Number of parties`, value: (row) => row.party_count },
    ],
  }),
  duration: column.drawn('duration', msg`Duration`, cells.DurationCell, {
    width: 96,
    align: 'end',
    stacked: 'line',
    csv: [{ label: msg`Duration`, unit: 's', value: (row) => row.duration }],
  }),
  length: column.count('length', msg`Length`, {
    width: 80,
    csv: [{ label: msg`Characters`, value: (row) => row.length }],
  }),
  user: { ...userColumn<PayloadSummary>(), stacked: 'line' },
  group: column.group('group', msg`Group`, { width: 104, grow: 1.4 }),
  device: column.drawn('device', msg`Device`, cells.DeviceCell, (row) => row.device_model, {
    width: 120,
    grow: 1,
    isOptional: true,
    csv: [
      { label: msg`Device`, value: (row) => row.device_model },
      { label: msg`Device reference`, value: (row) => row.device_reference },
    ],
  }),
  state: column.drawn('state', msg`State`, cells.StateCell, (row) => row.payload_state, {
    width: 132,
    stacked: 'line',
  }),
  flags: column.drawn('flags', msg`Indicators`, cells.FlagsCell, (row) => row.is_late, {
    width: 92,
    stacked: 'line',
    hasValue: cells.hasFlags,
    csv: [
      { label: msg`Late`, value: (row) => row.is_late },
      { label: msg`Legacy`, value: (row) => row.is_legacy },
      { label: msg`On legal hold`, value: (row) => row.is_held },
    ],
  }),
  processed: column.moment('processed', msg`Processed`, (row) => row.processed_at, {
    width: 156,
    isOptional: true,
    time: 'processed_at',
  }),
  updated: column.moment('updated', msg`Updated`, (row) => row.updated_at, {
    width: 156,
    isOptional: true,
    time: 'updated_at',
  }),
  review: column.drawn('review', msg`Review`, cells.ReviewCell, (row) => row.mark, {
    width: 110,
    stacked: 'line',
    hasValue: (row) => row.mark !== undefined || row.heard !== undefined,
    csv: [
      { label: msg`Mark`, value: (row) => row.mark },
      { label: msg`Heard by`, value: (row) => row.heard },
    ],
  }),
  receipt: column.moment('receipt', msg`Receipt`, (row) => row.receipt_confirmed_at, {
    width: 156,
    isOptional: true,
    csv: [
      { label: msg`Receipt`, unit: 'UTC', value: (row) => csvTime(row.receipt_confirmed_at) },
      { label: msg`Receipt confirmed by`, value: (row) => row.receipt_confirmed_by },
      { label: msg`Receipt by a person`, value: (row) => row.receipt_is_of_person },
    ],
  }),
  reference: column.reference('reference', msg`Reference`, (row) => row.payload_reference, {
    width: 104,
    csv: [],
  }),
} as const satisfies Record<string, Column>

/** A column by name, or the list's own variant. */
export type PayloadColumn =
  | keyof typeof COLUMNS
  | readonly [keyof typeof COLUMNS, Pick<Partial<Column>, 'width' | 'isOptional' | 'stacked'>]

export const payloadColumns = (columns: readonly PayloadColumn[]): readonly Column[] =>
  columns.map((column) =>
    typeof column === 'string' ? COLUMNS[column] : { ...COLUMNS[column[0]], ...column[1] },
  )

/** A CSV file always identifies its recordings. */
export const payloadCsvAlways: readonly CsvColumn<PayloadSummary>[] = [
  { label: msg`Reference`, value: (row) => row.payload_reference },
  { label: msg`Type`, value: (row) => row.payload_type },
]
