import type { Alert } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useClientName } from '../../components/clients/use-client-options.ts'
import { columnsOf } from '../../components/lists/columns.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import { SeverityCell, StateCell, TypeCell } from './alert-cells.tsx'
import { alertTexts } from './alert-texts.ts'

const column = columnsOf<Alert>()

function ClientCell({ row }: { row: Alert }) {
  return <span title={row.client}>{useClientName()(row.client)}</span>
}

/** Columns of the alerts of all clients. */
export const clientAlertColumns: readonly ListColumn<Alert>[] = [
  column.drawn('severity', msg`Severity`, SeverityCell, (row) => row.alert_severity, {
    width: 104,
    stacked: 'end',
  }),
  column.moment('last', msg`Last occurrence`, (row) => row.last_occurrence, { width: 156, stacked: 'line' }),
  column.drawn('client', msg`Client`, ClientCell, (row) => row.client, { width: 130, stacked: 'line' }),
  column.name('subject', msg`Subject`, (row) => alertTexts(row).subject, { width: 220, grow: 2 }),
  column.text('message', msg`Message`, (row) => alertTexts(row).message, { width: 200, grow: 2 }),
  column.drawn('state', msg`State`, StateCell, (row) => row.alert_state, { width: 116, stacked: 'line' }),
  column.count('count', msg`Occurrences`, (row) => row.occurrence_count, { width: 104 }),
  column.drawn('type', msg`Type`, TypeCell, (row) => row.alert_type, { width: 140, isOptional: true }),
  column.moment('first', msg`First occurrence`, (row) => row.first_occurrence, {
    width: 156,
    isOptional: true,
  }),
]
