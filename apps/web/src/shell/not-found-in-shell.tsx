import { QueryClientProvider } from '@tanstack/react-query'
import { session } from '../api/current-session.ts'
import { profileQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { loadTextsOf } from '../i18n/i18n.ts'
import { NotFoundPage } from '../screens/errors/error-page.tsx'
import { INTERNAL_AREA } from './internal-layout.tsx'
import { CLIENT_AREA } from './navigation.ts'
import { Shell } from './shell.tsx'

/** Component of an unknown address for a signed-in reader: the navigation stays. Without a profile the bare page. */
export async function loadNotFound(): Promise<{ default: () => React.ReactNode }> {
  const area = session.isAdmin() ? INTERNAL_AREA : CLIENT_AREA
  try {
    await Promise.all([queryClient.ensureQueryData(profileQuery), loadTextsOf(area.home)])
  } catch {
    return { default: NotFoundPage }
  }
  return {
    default: () => (
      <QueryClientProvider client={queryClient}>
        <Shell area={area}>
          <NotFoundPage />
        </Shell>
      </QueryClientProvider>
    ),
  }
}
