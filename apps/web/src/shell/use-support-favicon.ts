import { useEffect } from 'react'

/** While it is in use, the tab wears another mark: among many tabs, those in support mode stand out. */
export function useSupportFavicon(): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (link === null) return
    const usual = link.href
    link.href = '/favicon-support.svg'
    return () => {
      link.href = usual
    }
  }, [])
}
