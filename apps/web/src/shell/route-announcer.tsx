import { VisuallyHidden } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** How long a page may take to put its title on screen before the focus gives up following, in milliseconds. */
const PATIENCE_MS = 3_000

/** After a change of path: moves the focus to the page's title, unless the reader is further already, and says its name to screen readers. */
export function RouteAnnouncer() {
  const router = useRouter()
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    let frame = 0
    let left: Element | null = null
    const follow = (deadline: number) => {
      const title = document.querySelector<HTMLElement>('h1')
      if (title === null) {
        if (performance.now() < deadline) frame = requestAnimationFrame(() => follow(deadline))
        return
      }
      // A list shows the row that the reader comes back from; keys pressed since may have led into a field.
      const now = document.activeElement
      if (now === left || !now?.closest('#main')) title.focus({ preventScroll: true })
      setAnnounced(title.textContent)
    }
    const unsubscribes = [
      router.subscribe('onBeforeNavigate', () => (left = document.activeElement)),
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // The first page is announced by the browser itself.
        if (fromLocation === undefined || !pathChanged) return
        cancelAnimationFrame(frame)
        frame = requestAnimationFrame(() => follow(performance.now() + PATIENCE_MS))
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
