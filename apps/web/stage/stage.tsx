import '../src/theme/styles.ts'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, RouterProvider, useParams } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { session } from '../src/api/current-session.ts'
import { connectNavigation } from '../src/api/navigate.ts'
import { queryClient } from '../src/api/query-client.ts'
import { loadTextsOf, startLocale } from '../src/i18n/i18n.ts'
import { parseSearch, stringifySearch } from '../src/routing/search.ts'
import { connectSession } from '../src/shell/connect-session.ts'
import { NoticeArea } from '../src/shell/notice-area.tsx'
import { OfflineBar } from '../src/shell/offline-bar.tsx'
import { Interruption } from '../src/shell/shell.tsx'
import { theme } from '../src/theme/theme.ts'
import { SCENES } from './scenes.tsx'

/** `/list?search=north`, or below `/dashboard/` as a page that needs a sign-in, shows the scene `list`; the test answers its calls. */
function Stage() {
  const { _splat = '' } = useParams({ strict: false }) as { _splat?: string }
  const name = _splat.replace(/^dashboard\//, '')
  const Scene = SCENES[name]
  return (
    <main style={{ padding: 24 }}>
      <OfflineBar />
      <h1>{name}</h1>
      <Suspense>{Scene === undefined ? 'no such scene' : <Scene />}</Suspense>
      <Interruption />
    </main>
  )
}

const page = createRootRoute()
const router = createRouter({
  routeTree: page.addChildren([createRoute({ getParentRoute: () => page, path: '$', component: Stage })]),
  parseSearch,
  stringifySearch,
})

connectNavigation((to) => router.navigate({ to } as never))
connectSession(router)

// A signed-in session.
session.chooseClient('acme')
session.keep({ id_token: 'token', refresh_token: 'handle', expires_in: 3_600 })
await startLocale()
await loadTextsOf('/dashboard/devices')
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <MantineProvider theme={theme}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router as never} />
          </QueryClientProvider>
          <NoticeArea />
        </MantineProvider>
      </I18nProvider>
    </StrictMode>,
  )
