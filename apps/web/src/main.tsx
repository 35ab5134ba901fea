import './theme/styles.ts'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { MantineProvider } from '@mantine/core'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { session } from './api/current-session.ts'
import { connectNavigation } from './api/navigate.ts'
import { isDestination } from './api/sign-in-memory.ts'
import { holdsInput } from './api/unsaved-input.ts'
import { startLocale } from './i18n/i18n.ts'
import { startReloadWatch } from './reload/start.ts'
import { router } from './router.tsx'
import { connectSession } from './shell/connect-session.ts'
import { NoticeArea } from './shell/notice-area.tsx'
import { colourModeStore, theme } from './theme/theme.ts'

/** The server's nonce of this response, for style elements made at run time (no `unsafe-inline`). */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

connectNavigation((to, reloadDocument) => router.navigate({ to, reloadDocument }))
connectSession(router)

async function start(root: HTMLElement): Promise<void> {
  if (nonce !== '') setNonce(nonce)
  if (session.isSignedIn() && isDestination(router.latestLocation.pathname))
    void import('./shell/inside.ts').then(({ prefetchRoute }) => prefetchRoute(router))
  await startLocale()
  startReloadWatch(router, holdsInput)
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <MantineProvider
          theme={theme}
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
