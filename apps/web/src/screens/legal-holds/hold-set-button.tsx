import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { BulkProps } from '../../components/lists/list-definition.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import type { HeldRows } from './hold-set.tsx'

const HoldSet = lazy(() => withTexts('lazy', import('./hold-set.tsx')))

/** Places selected device users, or the device users of other selected rows, on legal hold, for users who may. */
export default function HoldSetButton(props: BulkProps & HeldRows) {
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may('account.legal_matters:update') || !may('account.legal_matters:list')) return null
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="lock" size={15} />}
        onClick={() => setOpen(true)}
      >
        <Trans>Place on legal hold…</Trans>
      </Button>
      {isOpen && (
        <Suspense>
          <HoldSet
            {...props}
            onClose={() => setOpen(false)}
            onDone={() => {
              setOpen(false)
              props.onDone()
            }}
          />
        </Suspense>
      )}
    </>
  )
}
