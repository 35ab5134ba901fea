import { testScreens } from './screens.ts'

testScreens('pages of recordings', import.meta.url, {
  user: ['acme', 'alice'],
  screens: [
    { path: '/dashboard', isExample: true },
    { path: '/dashboard/governance/retention' },
    { path: '/dashboard/governance/holds' },
    { path: '/dashboard/governance/matters' },
    { path: '/dashboard/governance/approvals' },
    { path: '/dashboard/governance/destructions' },
    { path: '/dashboard/governance/requests' },
    { path: '/dashboard/services/calls', isExample: true },
    { path: '/dashboard/services/messages' },
    { path: '/dashboard/services/interviews' },
    { path: '/dashboard/services/photos' },
    { path: '/dashboard/services/videos' },
    { path: '/dashboard/services/diagnostics' },
    { path: '/dashboard/services/comments' },
    { path: '/dashboard/services/words' },
    { path: '/dashboard/services/calls?payload_types=Call', isRecord: true, isExample: true },
    { path: '/dashboard/services/messages', isRecord: true },
    { path: '/dashboard/services/interviews', isRecord: true },
  ],
})
