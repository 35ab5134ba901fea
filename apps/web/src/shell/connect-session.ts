import { SIGN_IN_PATH } from '@custodia/contract'
import type { AnyRouter } from '@tanstack/react-router'
import { session } from '../api/current-session.ts'
import { interruption } from '../api/interruption.ts'
import { type KeptSession, lastUser, SESSION_KEY } from '../api/kept-session.ts'
import { goTo } from '../api/navigate.ts'
import { noticeSessionEnded } from '../api/notices.ts'
import { getHome, isDestination, storeDestination } from '../api/sign-in-memory.ts'
import { discardInput, holdsInput } from '../api/unsaved-input.ts'

/** Connects the session to the pages: what happens when it ends, here or in another tab. */
export function connectSession(router: Pick<AnyRouter, 'latestLocation' | 'navigate'>): void {
  session.whenEnded(async ({ isLost, mayReturn }) => {
    // Parallel failures end the session more than once: the sign-in page itself is no destination.
    const { href } = router.latestLocation
    const isInside = mayReturn && isDestination(href)
    if (isInside && holdsInput()) return interruption.begin()
    if (isLost) noticeSessionEnded()
    if (isInside) storeDestination(href, lastUser())
    await leave()
  })
  // Another tab changed the session: this page must not show or save its data any more.
  session.whenReplaced(async (present) => {
    const { pathname } = router.latestLocation
    // The page's memory has searches and lists of the former user.
    if (pathname === SIGN_IN_PATH) return router.navigate({ to: pathname, reloadDocument: true })
    if (!isDestination(pathname)) return
    if ((interruption.isOn() || holdsInput()) && (await mayContinue(present))) return
    discardInput()
    await router.navigate({ to: homeAfter(present), reloadDocument: true })
  })
  addEventListener('storage', ({ key }) => {
    // No key: the storage was cleared.
    if (key === SESSION_KEY || key === null) session.look()
  })
  // A page restored from the back/forward cache has missed storage events.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) session.look()
  })
  session.whenSupportRefused(async () => (await import('../api/support-mode.ts')).leaveRefusedSupport())
}

/** Leaves for the sign-in page; input on the page is lost. */
async function leave(): Promise<void> {
  discardInput()
  interruption.end(false)
  await goTo('/sign-in')
  const { queryClient } = await import('../api/query-client.ts')
  queryClient.clear()
}

/** Leaves an interrupted page; its user returns to it after the sign-in. */
export async function leaveInterrupted(href: string): Promise<void> {
  if (isDestination(href)) storeDestination(href, lastUser())
  await leave()
}

/**
 * Continues after a sign-in in another window, if the same person signed in: a form never passes to another person.
 * Calls wait meanwhile. A failed check leaves the page waiting.
 */
export async function mayContinue(present: KeptSession): Promise<boolean> {
  if (present.support !== undefined || session.supportReference() !== undefined) return false
  interruption.begin()
  interruption.check()
  session.adopt()
  try {
    const { isSamePerson } = await import('../api/sign-in-again.ts')
    if (!(await isSamePerson())) return false
    interruption.end(true)
  } catch (error) {
    console.error(error)
    interruption.begin()
  }
  return true
}

/** After support mode staff go to the requests (spec section 4). */
function homeAfter(present: KeptSession) {
  const home = getHome(present)
  return home === '/internal' && session.supportReference() !== undefined ? '/internal/support' : home
}
