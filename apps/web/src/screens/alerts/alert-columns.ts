import type { AlertSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { csvTime } from '../../components/lists/csv.ts'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import * as cells from './alert-cells.tsx'
import { toldAlert } from './told-alert.ts'

/** Columns of the alerts. */
export const alertColumns: readonly ListColumn<AlertSummary>[] = [
  {
    id: 'subject',
    label: msg`Subject`,
    width: 240,
    grow: 2,
    stacked: 'lead',
    Cell: cells.SubjectCell,
    csv: [{ label: msg`Subject`, value: (row) => toldAlert(row).subject }],
  },
  {
    id: 'severity',
    label: msg`Severity`,
    width: 100,
    stacked: 'line',
    Cell: cells.SeverityCell,
    csv: [{ label: msg`Severity`, value: (row) => row.alert_severity }],
  },
  {
    id: 'state',
    label: msg`State`,
    width: 116,
    stacked: 'line',
    Cell: cells.StateCell,
    csv: [{ label: msg`State`, value: (row) => row.alert_state }],
  },
  {
    id: 'message',
    label: msg`Message`,
    width: 200,
    grow: 2,
    Cell: cells.MessageCell,
    csv: [{ label: msg`Message`, value: (row) => toldAlert(row).message }],
  },
  {
    id: 'type',
    label: msg`Type`,
    width: 132,
    isOptional: true,
    Cell: cells.TypeCell,
    csv: [{ label: msg`Type`, value: (row) => row.alert_type }],
  },
  {
    id: 'scope',
    label: msg`Scope`,
    width: 108,
    isOptional: true,
    Cell: cells.ScopeCell,
    csv: [{ label: msg`Scope`, value: (row) => row.alert_scope }],
  },
  {
    id: 'count',
    label: msg`Occurrences`,
    width: 100,
    align: 'end',
    Cell: cells.CountCell,
    csv: [{ label: msg`Occurrences`, value: (row) => row.occurrence_count }],
  },
  {
    id: 'last',
    label: msg`Last occurrence`,
    width: 154,
    stacked: 'end',
    Cell: cells.LastCell,
    csv: [{ label: msg`Last occurrence (UTC)`, value: (row) => csvTime(row.last_occurrence) }],
  },
  {
    id: 'first',
    label: msg`First occurrence`,
    width: 154,
    isOptional: true,
    Cell: cells.FirstCell,
    csv: [{ label: msg`First occurrence (UTC)`, value: (row) => csvTime(row.first_occurrence) }],
  },
  {
    id: 'dismissed',
    label: msg`Dismissed`,
    width: 118,
    isOptional: true,
    stacked: 'line',
    Cell: cells.DismissedCell,
    csv: [{ label: msg`Dismissed`, value: (row) => row.is_dismissed }],
  },
  {
    id: 'key',
    label: msg`Key`,
    width: 150,
    grow: 1,
    isOptional: true,
    Cell: cells.KeyCell,
    csv: [{ label: msg`Key`, value: (row) => row.alert_key }],
  },
  {
    id: 'reference',
    label: msg`Reference`,
    width: 96,
    isOptional: true,
    Cell: cells.ReferenceCell,
    csv: [],
  },
]
