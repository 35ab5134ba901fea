import { msg } from '@lingui/core/macro'
import { Time } from '../ui/time.tsx'
import { csvTime } from './lists/csv.ts'
import type { ListColumn } from './lists/list-definition.ts'

interface Saved {
  updated_at: number | null
  updated_by: string | null
}

/** When a record was saved last and by whom; what came with the system has neither. */
export const savedColumns = <Row extends Saved>(): ListColumn<Row>[] => [
  {
    id: 'updated_at',
    label: msg`Updated`,
    width: 156,
    isOptional: true,
    Cell: ({ row }) => (row.updated_at === null ? '–' : <Time at={row.updated_at} />),
    csv: [{ label: msg`Updated (UTC)`, value: (row) => csvTime(row.updated_at ?? undefined) }],
  },
  {
    id: 'updated_by',
    label: msg`Updated by`,
    width: 130,
    grow: 1,
    isOptional: true,
    Cell: ({ row }) => row.updated_by ?? '–',
    csv: [{ label: msg`Updated by`, value: (row) => row.updated_by }],
  },
]
