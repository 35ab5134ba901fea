import { createRoute } from '@tanstack/react-router'
import { lazy } from 'react'
import type { SearchOf } from '../components/lists/call-search.ts'
import { withTexts } from '../i18n/i18n.ts'
import { asWritten, page } from './layouts.tsx'

/** Pages of retention, destruction and legal holds, and of what two people decide. */
export const governanceRoutes = [
  createRoute({
    ...page('governance/retention'),
    component: lazy(() => withTexts('lazy', import('../screens/retention/retention-page.tsx'))),
  }),
  createRoute({
    ...page('governance/holds'),
    validateSearch: asWritten<SearchOf<'listLegalHolds'>>,
    component: lazy(() => withTexts('lazy', import('../screens/legal-holds/holds-list.tsx'))),
  }),
  createRoute({
    ...page('governance/matters'),
    validateSearch: asWritten<SearchOf<'listLegalMatters'> & { matter?: string }>,
    component: lazy(() => withTexts('lazy', import('../screens/legal-matters/matters-list.tsx'))),
  }),
  createRoute({
    ...page('governance/approvals'),
    validateSearch: asWritten<SearchOf<'listProposals'>>,
    component: lazy(() => withTexts('lazy', import('../screens/proposals/proposals-list.tsx'))),
  }),
  createRoute({
    ...page('governance/destructions'),
    validateSearch: asWritten<{ certificate?: string; destruction?: string }>,
    component: lazy(() =>
      withTexts('lazy', import('../screens/retention/destructions/destructions-page.tsx')),
    ),
  }),
  createRoute({
    ...page('governance/requests'),
    validateSearch: asWritten<
      SearchOf<'listDataRequests'> & {
        /** The open request. */
        request?: string
        /** Subject of a new request: `DeviceUser/…`, `Number/…`. */
        about?: string
      }
    >,
    component: lazy(() => withTexts('lazy', import('../screens/data-requests/requests-list.tsx'))),
  }),
] as const
