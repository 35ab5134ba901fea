import type { Alert } from '@custodia/contract'
import { alertObstacle } from '@custodia/domain/can'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../api/api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import AlertButtons from './alert-actions.tsx'
import { isIncident } from './alert-cells.tsx'
import { AlertView } from './alert-view.tsx'
import { IncidentView } from './incident-view.tsx'

const alertQuery = (alert_reference: string) => callQuery(api, 'readAlert', { params: { alert_reference } })

/** Preview of an alert: at once from the row, with occurrences after the read. */
export default function AlertPreview({ rowKey, row }: PreviewProps<Alert>) {
  const { t } = useLingui()
  if (row !== undefined && isIncident(row))
    return <IncidentView row={row} buttons={<AlertButtons keys={[rowKey]} onDone={() => undefined} />} />
  return (
    <RecordPreview row={row} query={alertQuery(rowKey)} action="alerts:read">
      {(alert, whole) => (
        <AlertView
          alert={alert}
          whole={whole}
          buttons={
            <AlertButtons
              keys={[rowKey]}
              onDone={() => undefined}
              clearReason={alertObstacle(alert) && t`Already cleared.`}
              dismissReason={alert.is_dismissed ? t`Already dismissed.` : undefined}
            />
          }
        />
      )}
    </RecordPreview>
  )
}
