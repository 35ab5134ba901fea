import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'

const ImportDialog = lazy(() => import('./import-dialog.tsx'))

/** Opens the file import, for permitted users. */
export function ImportButton() {
  const [isOpen, setOpen] = useState(false)
  const may = useMay()
  if (!may('users:import') || !may('users:review')) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setOpen(true)}>
        <Trans>Import</Trans>
      </Button>
      <Suspense>{isOpen && <ImportDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
