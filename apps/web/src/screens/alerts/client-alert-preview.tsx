import { ApiProblem } from '@custodia/client'
import type { Alert } from '@custodia/contract'
import { alertObstacle } from '@custodia/domain/can'
import { queryOptions } from '@tanstack/react-query'
import { getKey } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useClientName } from '../../components/clients/clients.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { fromAlertKey } from './alert-addresses.ts'
import { AlertView } from './alert-view.tsx'
import { BulkAlertActions } from './bulk-alert-actions.tsx'

const alertQuery = (key: string) =>
  queryOptions({
    queryKey: getKey('readAlertOfClient', key),
    queryFn: ({ signal }) => {
      const params = fromAlertKey(key)
      // Invalid key: no request.
      if (params === undefined) throw new ApiProblem(404, {})
      return internalApi.readAlertOfClient({ params }, { signal })
    },
  })

/** Preview of a client's alert: at once from the row, with occurrences after the read. */
export default function ClientAlertPreview({ rowKey, row }: PreviewProps<Alert>) {
  const clientName = useClientName()
  const client = fromAlertKey(rowKey)?.client
  return (
    <RecordPreview row={row} query={alertQuery(rowKey)} action="internal.alerts:read">
      {(alert, whole) => (
        <AlertView
          alert={alert}
          whole={whole}
          client={client && clientName(client)}
          buttons={
            alertObstacle(alert) === undefined && (
              <BulkAlertActions keys={[rowKey]} onDone={() => undefined} />
            )
          }
        />
      )}
    </RecordPreview>
  )
}
