import type { ClientAlert } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { ALERT_TYPE_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { AlertStateMark, Severity } from './alert-cells.tsx'
import { toldAlert } from './told-alert.ts'
import { Moment, Plain } from '../../components/cells.tsx'
import { useClientName } from '../../components/clients/use-client-options.ts'
import { csvTime } from '../../components/lists/csv.ts'
import type { ListColumn } from '../../components/lists/list-definition.ts'

function ClientCell({ row }: { row: ClientAlert }) {
  return <span title={row.client}>{useClientName()(row.client)}</span>
}

export const clientAlertColumns: readonly ListColumn<ClientAlert>[] = [
  {
    id: 'severity',
    label: msg`Severity`,
    width: 104,
    stacked: 'end',
    Cell: ({ row }) => <Severity severity={row.alert_severity} />,
    csv: [{ label: msg`Severity`, value: (row) => row.alert_severity }],
  },
  {
    id: 'last',
    label: msg`Last occurrence`,
    width: 156,
    stacked: 'line',
    Cell: ({ row }) => <Moment at={row.last_occurrence} />,
    csv: [{ label: msg`Last occurrence (UTC)`, value: (row) => csvTime(row.last_occurrence) }],
  },
  {
    id: 'client',
    label: msg`Client`,
    width: 130,
    stacked: 'line',
    Cell: ClientCell,
    csv: [{ label: msg`Client`, value: (row) => row.client }],
  },
  {
    id: 'subject',
    label: msg`Subject`,
    width: 220,
    grow: 2,
    stacked: 'lead',
    Cell: ({ row }) => <Plain value={toldAlert(row).subject} />,
    csv: [{ label: msg`Subject`, value: (row) => toldAlert(row).subject }],
  },
  {
    id: 'message',
    label: msg`Message`,
    width: 200,
    grow: 2,
    Cell: ({ row }) => <Plain value={toldAlert(row).message} />,
    csv: [{ label: msg`Message`, value: (row) => toldAlert(row).message }],
  },
  {
    id: 'state',
    label: msg`State`,
    width: 116,
    stacked: 'line',
    Cell: ({ row }) => <AlertStateMark state={row.alert_state} />,
    csv: [{ label: msg`State`, value: (row) => row.alert_state }],
  },
  {
    id: 'count',
    label: msg`Occurrences`,
    width: 104,
    align: 'end',
    Cell: ({ row }) => row.occurrence_count,
    csv: [{ label: msg`Occurrences`, value: (row) => row.occurrence_count }],
  },
  {
    id: 'type',
    label: msg`Type`,
    width: 140,
    isOptional: true,
    Cell: ({ row }) => <SpecWord value={row.alert_type} words={ALERT_TYPE_WORDS} />,
    csv: [{ label: msg`Type`, value: (row) => row.alert_type }],
  },
  {
    id: 'first',
    label: msg`First occurrence`,
    width: 156,
    isOptional: true,
    Cell: ({ row }) => <Moment at={row.first_occurrence} />,
    csv: [{ label: msg`First occurrence (UTC)`, value: (row) => csvTime(row.first_occurrence) }],
  },
]
