import { useEffect } from 'react'

const PRODUCT = 'Custodia'

/** Sets the document title `title · Custodia` while mounted. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === PRODUCT ? PRODUCT : `${title} · ${PRODUCT}`
  }, [title])
}
