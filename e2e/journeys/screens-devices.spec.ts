import { testScreens } from './screens.ts'

testScreens('pages of devices and their users', import.meta.url, {
  user: ['acme', 'alice'],
  screens: [
    { path: '/dashboard/devices' },
    { path: '/dashboard/devices?is_waiting=true' },
    { path: '/dashboard/devices?tab=enrolments' },
    { path: '/dashboard/devices?tab=commands' },
    { path: '/dashboard/devices?tab=telemetry' },
    { path: '/dashboard/devices?tab=capture' },
    { path: '/dashboard/devices?tab=map' },
    { path: '/dashboard/devices/logs' },
    { path: '/dashboard/devices/completeness' },
    { path: '/dashboard/devices/metrics' },
    { path: '/dashboard/devices/metrics?scope=Monthly' },
    { path: '/dashboard/devices/users' },
    { path: '/dashboard/devices/users/AC-1042' },
    { path: '/dashboard/devices/users/AC-1042?tab=recordings' },
    { path: '/dashboard/devices/users/AC-1042?tab=gps&from=-7d' },
  ],
})
