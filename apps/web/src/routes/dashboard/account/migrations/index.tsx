import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { withTexts } from '../../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/account/migrations/')({
  // Only the type: the tabs read the address through their schemas.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listMigrations'> & { tab?: 'settings' | 'files' },
  component: lazy(() => withTexts('lazy', import('../../../../screens/migrations/migrations.tsx'))),
})
