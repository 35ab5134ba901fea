import { createFileRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { withTexts } from '../../../i18n/i18n.ts'

export const Route = createFileRoute('/dashboard/governance/holds')({
  // Type import only: the page parses the address, and its schemas stay out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listLegalHolds'>,
  component: lazy(() => withTexts('lazy', import('../../../screens/legal-holds/holds-list.tsx'))),
})
