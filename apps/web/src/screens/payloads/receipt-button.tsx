import { useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { withTexts } from '../../i18n/i18n.ts'

// Loads on demand, to keep the page's chunks few.
const ReceiptDialog = lazy(() => withTexts('lazy', import('./actions/receipt-dialog.tsx')))

/** Button to confirm a receipt, for permitted users. */
export function ReceiptButton({ reference }: { reference: string }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  if (!useMay()('receipts:confirm')) return null
  return (
    <>
      <Button
        variant="default"
        // Narrow pages have no room for one line.
        maw="100%"
        h="auto"
        mih={36}
        styles={{ label: { whiteSpace: 'normal' } }}
        leftSection={<Icon name="check" size={16} />}
        onClick={() => setAsking(true)}
      >{t`Confirm receipt`}</Button>
      {isAsking && (
        <Suspense>
          <ReceiptDialog reference={reference} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  )
}
