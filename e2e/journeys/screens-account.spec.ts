import { testScreens } from './screens.ts'

testScreens('pages of access and account', import.meta.url, {
  user: ['acme', 'alice'],
  screens: [
    { path: '/dashboard/access/people' },
    { path: '/dashboard/access/people?preview=alice' },
    { path: '/dashboard/access/recertifications' },
    { path: '/dashboard/access/groups' },
    { path: '/dashboard/access/roles' },
    { path: '/dashboard/account/settings' },
    { path: '/dashboard/access/roles/create', isExample: true },
    { path: '/dashboard/access/roles/Compliance%20Reviewer' },
    { path: '/dashboard/access/tags' },
    { path: '/dashboard/account/alerts?view=all' },
    { path: '/dashboard/account/audit', isExample: true },
    { path: '/dashboard/account/audit?tab=devices' },
    { path: '/dashboard/account/audit/sealed' },
    { path: '/dashboard/account/audit/integrity' },
    { path: '/dashboard/account/apps' },
    { path: '/dashboard/account/support-access' },
    { path: '/dashboard/account/licenses' },
  ],
})
