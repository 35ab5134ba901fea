import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { CLIENT_AREA } from './area.ts'
import { Shell } from './shell.tsx'

/** Layout of a client's pages, with the query client. */
export const DashboardLayout = () => (
  <QueryClientProvider client={queryClient}>
    <Shell area={CLIENT_AREA} />
  </QueryClientProvider>
)
