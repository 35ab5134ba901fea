import { VisuallyHidden } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** How long a page may take to put its title on screen before the focus gives up following, in milliseconds. */
const PATIENCE_MS = 3_000

/** After a change of path: moves the focus to the page's title, unless a row of a list has it, and says its name to screen readers. */
export function RouteAnnouncer() {
  const router = useRouter()
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    let frame = 0
    const follow = (deadline: number) => {
      const title = document.querySelector<HTMLElement>('h1')
      if (title === null) {
        if (performance.now() < deadline) frame = requestAnimationFrame(() => follow(deadline))
        return
      }
      // A list has the focus already where it shows the row that the reader comes back from.
      if (!document.activeElement?.closest('[role="row"]')) title.focus({ preventScroll: true })
      setAnnounced(title.textContent)
    }
    const unsubscribe = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      // The first page is announced by the browser itself.
      if (fromLocation === undefined || !pathChanged) return
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => follow(performance.now() + PATIENCE_MS))
    })
    return () => {
      cancelAnimationFrame(frame)
      unsubscribe()
    }
  }, [router])

  return (
    <VisuallyHidden component="output" aria-live="polite">
      {announced}
    </VisuallyHidden>
  )
}
