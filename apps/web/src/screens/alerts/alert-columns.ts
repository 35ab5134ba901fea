import type { Alert } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { columnsOf } from '../../components/lists/columns.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import * as cells from './alert-cells.tsx'
import { alertTexts } from './alert-texts.ts'

const column = columnsOf<Alert>()

/** Columns of the alerts. */
export const alertColumns: readonly ListColumn<Alert>[] = [
  column.name('subject', msg`Subject`, (row) => alertTexts(row).subject, { width: 240, grow: 2 }),
  column.drawn('severity', msg`Severity`, cells.SeverityCell, (row) => row.alert_severity, {
    width: 100,
    stacked: 'line',
  }),
  column.drawn('state', msg`State`, cells.StateCell, (row) => row.alert_state, {
    width: 116,
    stacked: 'line',
  }),
  column.text('message', msg`Message`, (row) => alertTexts(row).message, { width: 200, grow: 2 }),
  column.drawn('type', msg`Type`, cells.TypeCell, (row) => row.alert_type, { width: 132, isOptional: true }),
  column.drawn('scope', msg`Scope`, cells.ScopeCell, (row) => row.alert_scope, {
    width: 108,
    isOptional: true,
  }),
  column.count('count', msg`Occurrences`, (row) => row.occurrence_count, { width: 100 }),
  column.moment('last', msg`Last occurrence`, (row) => row.last_occurrence, { width: 154, stacked: 'end' }),
  column.moment('first', msg`First occurrence`, (row) => row.first_occurrence, {
    width: 154,
    isOptional: true,
  }),
  column.drawn('dismissed', msg`Dismissed`, cells.DismissedCell, (row) => row.is_dismissed, {
    width: 118,
    isOptional: true,
    stacked: 'line',
  }),
  column.mono('key', msg`Key`, (row) => row.alert_key, { width: 150, grow: 1, isOptional: true }),
  column.reference('reference', msg`Reference`, (row) => row.alert_reference, {
    width: 104,
    isOptional: true,
    csv: [],
  }),
]
