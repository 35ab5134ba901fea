import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'

const HoldersFile = lazy(() => import('./holders-file.tsx'))

/** Opens the file of devices to confirm, for permitted users. */
export function HoldersFileButton() {
  const [isOpen, setOpen] = useState(false)
  const may = useMay()
  if (!may('devices.holder:decide') || !may('devices.holder:review')) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setOpen(true)}>
        <Trans>Confirm from a file</Trans>
      </Button>
      <Suspense>{isOpen && <HoldersFile onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
