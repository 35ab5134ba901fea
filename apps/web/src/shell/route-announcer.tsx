import { VisuallyHidden } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** Maximum milliseconds to wait for a page's title. */
const PATIENCE_MS = 3_000

/** While the code of a page loads, the title of the page before stays in the document, hidden. */
const visibleTitle = (): HTMLElement | undefined =>
  [...document.querySelectorAll('h1')].find((title) => title.getClientRects().length > 0)

/**
 * After a change of path: focuses the page's title, unless the user has moved on, and announces it to screen readers. So
 * it does when the page of a record replaces its list at the same path and took the focus with it.
 */
export function RouteAnnouncer() {
  const router = useRouter()
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    let frame = 0
    let left: Element | null = null
    let leftTitle: HTMLElement | undefined
    /** Parts of a page that load after it bring its title along, and the focus must not go with the one before. */
    const keep = (title: HTMLElement, deadline: number) => {
      frame = requestAnimationFrame(() => {
        const now = document.activeElement
        if (performance.now() > deadline || (now !== title && now !== document.body)) return
        const next = now === title ? title : (visibleTitle() ?? title)
        if (next !== title) next.focus({ preventScroll: true })
        keep(next, deadline)
      })
    }
    const follow = (pathChanged: boolean, deadline: number) => {
      const title = visibleTitle()
      if (title === undefined) {
        if (performance.now() < deadline) frame = requestAnimationFrame(() => follow(pathChanged, deadline))
        return
      }
      const now = document.activeElement
      if (!pathChanged && (title === leftTitle || now !== document.body)) return
      // A lightbox stays open from page to page, over their titles.
      const lightbox = document.querySelector<HTMLElement>('[data-page-keys]')
      if (lightbox) {
        if (!lightbox.contains(now)) lightbox.focus({ preventScroll: true })
        // A list focuses the row of the return; keys may have moved the focus to a field or opened a dialog.
      } else if (now === left || !now?.closest('#main, [role="dialog"]')) {
        title.focus({ preventScroll: true })
        keep(title, deadline)
      }
      setAnnounced(title.textContent)
    }
    const unsubscribes = [
      router.subscribe('onBeforeNavigate', () => {
        left = document.activeElement
        leftTitle = visibleTitle()
      }),
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // The browser announces the first page.
        if (fromLocation === undefined) return
        cancelAnimationFrame(frame)
        frame = requestAnimationFrame(() => follow(pathChanged, performance.now() + PATIENCE_MS))
      }),
    ]
    return () => {
      cancelAnimationFrame(frame)
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }, [router])

  return (
    <VisuallyHidden component="output" aria-live="polite">
      {announced}
    </VisuallyHidden>
  )
}
