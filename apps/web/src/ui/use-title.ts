import { useEffect } from 'react'

const PRODUCT = 'Custodia'

/** Names the document `title · Custodia` while the component is on screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === PRODUCT ? PRODUCT : `${title} · ${PRODUCT}`
  }, [title])
}
