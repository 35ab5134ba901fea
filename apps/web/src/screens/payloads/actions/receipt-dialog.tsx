import { Trans, useLingui } from '@lingui/react/macro'
import { noticeDone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { Confirm } from '../../../ui/dialog.tsx'

/** Records that a person received this recording. */
export default function ReceiptDialog({ reference, onClose }: { reference: string; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Confirm receipt of this recording?`}
      confirmLabel={t`Confirm receipt`}
      onClose={onClose}
      onConfirm={async () => {
        await reviewApi.confirmReceipts({ body: { payload_references: [reference] } })
        onClose()
        noticeDone(t`Receipts confirmed`)
      }}
    >
      <Trans>Recorded in the audit log with your name. Retention still waits for receipts of apps.</Trans>
    </Confirm>
  )
}
