// Entry chunk of signed-in pages; public pages never load it.
export { prefetchRoute } from './prefetch-route.ts'
export { DashboardLayout } from './dashboard-layout.tsx'
export { requireProvider, requireTerms } from './dashboard-layout.tsx'
export { ShellPending } from './dashboard-layout.tsx'
