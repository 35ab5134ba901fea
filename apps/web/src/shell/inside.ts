// What every page behind the sign-in begins with: one file, which public pages never load.
export { prefetchRoute } from './prefetch-route.ts'
export { DashboardLayout } from './dashboard-layout.tsx'
export { requireProvider, requireTerms } from './guards.ts'
export { ShellPending } from './shell-pending.tsx'
