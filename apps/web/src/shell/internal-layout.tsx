import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { INTERNAL_AREA } from './internal-area.ts'
import { Shell } from './shell.tsx'

/** Layout of the provider's pages. */
export const InternalLayout = () => (
  <QueryClientProvider client={queryClient}>
    <Shell area={INTERNAL_AREA} />
  </QueryClientProvider>
)
