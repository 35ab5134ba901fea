import { useEffect, useRef } from 'react'

/** A list that scrolls to its current item when `current` changes; the page does not scroll. */
export function useCurrentItem(current: unknown) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const item = list.current?.querySelector<HTMLElement>('[aria-current=true]')
    if (!list.current || !item) return
    const top = item.offsetTop + item.offsetHeight / 2 - list.current.clientHeight / 2
    list.current.scrollTo({ top })
  }, [current])
  return list
}
