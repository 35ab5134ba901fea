import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { CLIENT_AREA } from './area.ts'
import { Shell } from './shell.tsx'

/** The frame of all pages of a client. Everything behind the sign-in reads through the one query client. */
export const DashboardLayout = () => (
  <QueryClientProvider client={queryClient}>
    <Shell area={CLIENT_AREA} />
  </QueryClientProvider>
)
