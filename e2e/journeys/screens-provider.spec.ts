import { testScreens } from './screens.ts'

testScreens('public pages', import.meta.url, {
  screens: [
    { path: '/' },
    { path: '/sign-in' },
    { path: '/cookies' },
    { path: '/privacy' },
    { path: '/terms' },
    { path: '/nothing' },
  ],
})

testScreens('pages of the provider', import.meta.url, {
  user: ['admin', 'dave'],
  screens: [
    { path: '/internal' },
    { path: '/internal?tab=staff' },
    { path: '/internal/support' },
    { path: '/internal/licenses' },
    { path: '/internal/alerts' },
    { path: '/internal/carriers' },
    { path: '/internal/statistics' },
    { path: '/internal/statistics?tab=telemetry' },
  ],
})
