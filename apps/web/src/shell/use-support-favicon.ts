import { useEffect } from 'react'

/** Changes the favicon while mounted, so that support mode tabs stand out. */
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
