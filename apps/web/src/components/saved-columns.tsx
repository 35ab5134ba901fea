import { msg } from '@lingui/core/macro'
import { columnsOf } from './lists/columns.tsx'
import type { ListColumn } from './lists/list-definition.ts'

interface Saved {
  updated_at: number | null
  updated_by: string | null
}

/** Time and author of the last save; empty for system records. */
export function savedColumns<Row extends Saved>(): ListColumn<Row>[] {
  const column = columnsOf<Row>()
  return [
    column.moment('updated_at', msg`Updated`, (row) => row.updated_at, { width: 156, isOptional: true }),
    column.text('updated_by', msg`Updated by`, (row) => row.updated_by, {
      width: 130,
      grow: 1,
      isOptional: true,
    }),
  ]
}
