import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { withTexts } from '../../i18n/i18n.ts'

const ExportDialog = lazy(() => withTexts('lazy', import('./actions/export-dialog.tsx')))

/** API query for the filters of an address. */
export type QueryOf = (search: object) => object

/** Exports a list's data. Its code loads on demand. */
export function ExportDataButton({ queryOf }: { queryOf: QueryOf }) {
  const may = useMay()
  const router = useRouter()
  const [query, setQuery] = useState<object>()
  if (!may('payloads:export')) return null
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="archive" size={16} />}
        onClick={() => setQuery(queryOf(router.latestLocation.search))}
      >
        <Trans>Export with data</Trans>
      </Button>
      {query && (
        <Suspense>
          <ExportDialog query={query} onClose={() => setQuery(undefined)} />
        </Suspense>
      )}
    </>
  )
}
