import { Trans, useLingui } from '@lingui/react/macro'
import { noticeDone } from '../../api/notices.ts'
import { reviewApi } from '../../api/review-api.ts'
import { Confirm } from '../../ui/confirm.tsx'

/** Records that a person received this recording. */
export default function ReceiptDialog({ reference, onClose }: { reference: string; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Confirm that this recording was received?`}
      confirmLabel={t`Confirm receipt`}
      onClose={onClose}
      onConfirm={async () => {
        await reviewApi.confirmReceipts({ body: { payload_references: [reference] } })
        onClose()
        noticeDone(t`Receipts confirmed`)
      }}
    >
      <Trans>
        It stands on record with your name and as confirmed by a person. Retention waits for receipts of
        applications, not for yours.
      </Trans>
    </Confirm>
  )
}
