import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { session } from '../api/current-session.ts'
import { isSignInWindow, markSignInWindow, takeDestination } from '../api/sign-in-memory.ts'
import { withTexts } from '../i18n/i18n.ts'
import { read } from '../routing/search.ts'
import { root } from './layouts.tsx'

interface SignInSearch {
  /** Default account. */
  client?: string | undefined
  code?: string | undefined
  state?: string | undefined
  /** The identity provider, as it names itself. */
  iss?: string | undefined
  /** This window was opened only to sign in. */
  again?: 'true' | undefined
  /** Error code of the identity provider. */
  error?: string | undefined
}

/** Pages without a session. */
export const publicRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('../screens/landing/landing.tsx'), 'LandingScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'cookies',
    component: lazyRouteComponent(() => import('../screens/legal/cookies.tsx'), 'CookiesScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'privacy',
    component: lazyRouteComponent(() => import('../screens/legal/privacy.tsx'), 'PrivacyScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'terms',
    component: lazyRouteComponent(() => import('../screens/legal/terms.tsx'), 'TermsScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'enrol',
    component: lazyRouteComponent(
      () => withTexts('lazy', import('../screens/enrolments/enrol-page.tsx')),
      'EnrolScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'verify',
    component: lazyRouteComponent(
      () => withTexts('account', import('../screens/verify/verify-screen.tsx')),
      'VerifyScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'sign-in',
    validateSearch: (search): SignInSearch => ({
      client: read.text(search.client, 60),
      code: read.text(search.code, 2048),
      state: read.text(search.state, 2048),
      iss: read.text(search.iss, 2048),
      again: read.oneOf(search.again, ['true']),
      error: read.text(search.error),
    }),
    beforeLoad: async ({ search, preload }): Promise<void> => {
      // A code works once: a link preload must not use it.
      if (preload) return
      if (search.again) markSignInWindow()
      if (search.code !== undefined) {
        const { completeSignIn } = await import('../api/sign-in.ts')
        if ((await completeSignIn(search.code, search)) && !isSignInWindow()) {
          throw redirect({ href: await takeDestination(), replace: true })
        }
      }
      // Removes the used code from address and history.
      if (search.code !== undefined || search.error !== undefined)
        throw redirect({ to: '/sign-in', replace: true })
      if (session.isSignedIn() && !isSignInWindow())
        throw redirect({ href: await takeDestination(), replace: true })
    },
    component: lazyRouteComponent(() => import('../screens/sign-in/sign-in.tsx'), 'SignInScreen'),
  }),
] as const
