import { useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Scrolls the box to the start entry without moving the page, and keeps the position when older messages load.
 * @param start key of that entry: centred when current, else at the top; undefined: the end
 * @param first key of the first entry
 * @param count of entries
 */
export function useScrollPlace(start: string | undefined, first: string | undefined, count: number) {
  const scroller = useRef<HTMLElement>(null)
  const before = useRef({ first, bottom: 0 })
  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    if (before.current.first !== undefined && before.current.first !== first)
      box.scrollTop = box.scrollHeight - before.current.bottom
    before.current = { first, bottom: box.scrollHeight - box.scrollTop }
  }, [first, count])
  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    const entry = box.querySelector<HTMLElement>('[data-start]')
    if (entry === null) box.scrollTop = box.scrollHeight
    else {
      const above = entry.ariaCurrent === 'true' ? (box.clientHeight - entry.offsetHeight) / 2 : 0
      box.scrollTop = entry.offsetTop - above
    }
    before.current.bottom = box.scrollHeight - box.scrollTop
  }, [start])
  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    const cacheEntry = () => {
      before.current.bottom = box.scrollHeight - box.scrollTop
    }
    box.addEventListener('scroll', cacheEntry, { passive: true })
    return () => box.removeEventListener('scroll', cacheEntry)
  }, [])
  return scroller
}
