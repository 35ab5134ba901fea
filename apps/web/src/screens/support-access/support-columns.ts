import type { SupportAccess } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { csvTime } from '../../components/lists/csv.ts'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import * as cells from './support-cells.tsx'

/** Columns of the requests for support access. */
export const supportColumns: readonly ListColumn<SupportAccess>[] = [
  {
    id: 'role',
    label: msg`Role`,
    width: 150,
    stacked: 'lead',
    Cell: cells.RoleCell,
    csv: [{ label: msg`Role`, value: (row) => row.role }],
  },
  {
    id: 'state',
    label: msg`State`,
    width: 116,
    stacked: 'line',
    Cell: cells.StateCell,
    csv: [{ label: msg`State`, value: (row) => row.approval_state }],
  },
  {
    id: 'description',
    label: msg`Description`,
    width: 200,
    grow: 2.4,
    Cell: cells.DescriptionCell,
    csv: [{ label: msg`Description`, value: (row) => row.request_description }],
  },
  {
    id: 'by',
    label: msg`Asked by`,
    width: 110,
    grow: 1,
    stacked: 'line',
    Cell: cells.ByCell,
    csv: [{ label: msg`Asked by`, value: (row) => row.requested_by }],
  },
  {
    id: 'at',
    label: msg`Asked at`,
    width: 154,
    stacked: 'end',
    Cell: cells.AtCell,
    csv: [{ label: msg`Asked at (UTC)`, value: (row) => csvTime(row.requested_at) }],
  },
  {
    id: 'until',
    label: msg`Requested until`,
    width: 154,
    Cell: cells.UntilCell,
    csv: [{ label: msg`Requested until (UTC)`, value: (row) => csvTime(row.requested_expiry) }],
  },
  {
    id: 'approved-by',
    label: msg`Approved by`,
    width: 110,
    grow: 1,
    Cell: cells.ApprovedByCell,
    csv: [{ label: msg`Approved by`, value: (row) => row.approved_by }],
  },
  {
    id: 'approved-until',
    label: msg`Approved until`,
    width: 154,
    Cell: cells.ApprovedUntilCell,
    csv: [{ label: msg`Approved until (UTC)`, value: (row) => csvTime(row.approval_expiry ?? undefined) }],
  },
  {
    id: 'reason',
    label: msg`Reason of the rejection`,
    width: 150,
    grow: 1.2,
    isOptional: true,
    Cell: cells.ReasonCell,
    csv: [{ label: msg`Reason of the rejection`, value: (row) => row.rejection_reason }],
  },
]
