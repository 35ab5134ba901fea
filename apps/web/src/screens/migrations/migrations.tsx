import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { PageTabs } from '../../ui/page-header.tsx'
import { PagePending } from '../../ui/page-pending.tsx'
import { RunsList } from './runs-list.tsx'

const route = getRouteApi('/dashboard/account/migrations')
const to = '/dashboard/account/migrations' as const

const FilesPage = lazy(() => import('./files-page.tsx'))
const SettingsPage = lazy(() => import('./settings-page.tsx'))

/** `/dashboard/account/migrations`: runs over legacy files; `?tab=files` shows the files, `?tab=settings` the settings. */
export default function Migrations() {
  const { tab } = route.useSearch()
  const may = useMay()
  const mayRead = may('account.migration:read')
  const maySeeFiles = may('migrations.files:list')
  const isSettings = mayRead && tab === 'settings'
  const isFiles = maySeeFiles && tab === 'files'
  const tabs = [
    {
      to,
      search: {},
      label: msg({ context: 'migration', message: 'Runs' }),
      isShown: !isSettings && !isFiles,
    },
    ...(maySeeFiles
      ? [{ to, search: { tab: 'files' as const }, label: msg`Drop folder`, isShown: isFiles }]
      : []),
    ...(mayRead
      ? [{ to, search: { tab: 'settings' as const }, label: msg`Settings`, isShown: isSettings }]
      : []),
  ]
  return (
    <PageTabs label={msg`Migrations`} tabs={tabs.length > 1 ? tabs : []}>
      <Suspense fallback={<PagePending />}>
        {isSettings ? <SettingsPage /> : isFiles ? <FilesPage /> : <RunsList />}
      </Suspense>
    </PageTabs>
  )
}
