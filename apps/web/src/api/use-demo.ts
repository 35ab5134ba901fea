import type { Demo } from '@custodia/contract'
import { useEffect, useState } from 'react'

/**
 * Demo users that a visitor may choose; empty outside demos. Uses no query client, which public pages do not load; a
 * failure is only logged.
 */
export function useDemo(): Demo | undefined {
  const [demo, setDemo] = useState<Demo>()
  useEffect(() => {
    let current = true
    import('./home-api.ts')
      .then(({ homeApi }) => homeApi.listDemoPeople({}))
      .then((found) => {
        if (current) setDemo(found)
      })
      .catch((error: unknown) => console.error(error))
    return () => {
      current = false
    }
  }, [])
  return demo
}
