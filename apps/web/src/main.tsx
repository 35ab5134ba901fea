import './theme/styles.ts'
import { SIGN_IN_PATH } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { MantineProvider } from '@mantine/core'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { session } from './api/current-session.ts'
import { homeOf, isDestination, storeDestination } from './api/sign-in-memory.ts'
import { type KeptSession, SESSION_KEY } from './api/kept-session.ts'
import { connectNavigation, goTo } from './api/navigate.ts'
import { noticeSessionEnded } from './api/notices.ts'
import { startLocale } from './i18n/i18n.ts'
import { startReloadWatch } from './reload/start.ts'
import { router } from './router.tsx'
import { NoticeArea } from './shell/notice-area.tsx'
import { colourModeStore } from './theme/colour-mode.ts'
import { cssVariablesResolver, theme } from './theme/theme.ts'

/** The server's nonce of this response, for style elements made at run time (no `unsafe-inline`). */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

connectNavigation((to) => router.navigate({ to }))
session.whenEnded(async ({ isLost, mayReturn }) => {
  if (isLost) noticeSessionEnded()
  // Parallel failures end the session more than once: the sign-in page itself is no destination.
  const { href } = router.latestLocation
  if (mayReturn && isDestination(href)) storeDestination(href)
  await goTo('/sign-in')
  const { queryClient } = await import('./api/query-client.ts')
  queryClient.clear()
})

// Another tab changed the session: this page must not show or save its data any more.
session.whenReplaced(async (present) => {
  const { pathname } = router.latestLocation
  if (pathname === SIGN_IN_PATH) await router.invalidate()
  else if (isDestination(pathname)) await router.navigate({ to: homeAfter(present), reloadDocument: true })
})
/** After support mode staff go to the requests (spec section 4). */
function homeAfter(present: KeptSession) {
  const home = homeOf(present)
  return home === '/internal' && session.supportReference() !== undefined ? '/internal/support' : home
}
addEventListener('storage', ({ key }) => {
  // No key: the storage was cleared.
  if (key === SESSION_KEY || key === null) session.look()
})
// A page restored from the back/forward cache has missed storage events.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) session.look()
})

session.whenSupportRefused(async () => (await import('./api/support-mode.ts')).leaveRefusedSupport())

async function start(root: HTMLElement): Promise<void> {
  if (nonce !== '') setNonce(nonce)
  if (session.isSignedIn() && isDestination(router.latestLocation.pathname))
    void import('./shell/inside.ts').then(({ prefetchRoute }) => prefetchRoute(router))
  await startLocale()
  startReloadWatch(router)
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariablesResolver}
          defaultColorScheme="auto"
          colorSchemeManager={colourModeStore}
          getStyleNonce={() => nonce}
        >
          <RouterProvider router={router} />
          <NoticeArea />
        </MantineProvider>
      </I18nProvider>
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root !== null) void start(root)
