import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../../api/use-profile.ts'
import { withTexts } from '../../../i18n/i18n.ts'
import { Icon } from '../../../ui/icon.tsx'

const ExportDialog = lazy(() => withTexts('lazy', import('./export-dialog.tsx')))

/** What is exported: a selection, a content search, the people of a legal matter, or a filtered list. */
export type ExportSource =
  | { payload_references: string[] }
  | { words: string; query: object }
  | { matter_id: string }
  | {
      /** API query of the list. */
      query: object
    }

/** Whether the user may create exports and download them. */
export const useMayExport = (): boolean => {
  const may = useMay()
  return may('payloads:export') && may('payloads.exports:list')
}

/** Opens the export dialog, whose code loads on demand; nothing without the permission. */
export function ExportButton({
  getChosen,
  size = 'sm',
}: {
  getChosen: () => ExportSource
  size?: 'xs' | 'sm'
}) {
  const mayExport = useMayExport()
  const [chosen, setChosen] = useState<ExportSource>()
  if (!mayExport) return null
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<Icon name="archive" size={size === 'xs' ? 15 : 16} />}
        onClick={() => setChosen(getChosen())}
      >
        <Trans>Export with data</Trans>
      </Button>
      {chosen && (
        <Suspense>
          <ExportDialog chosen={chosen} onClose={() => setChosen(undefined)} />
        </Suspense>
      )}
    </>
  )
}
