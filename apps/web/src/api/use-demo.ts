import type { Demo } from '@custodia/contract'
import { useEffect, useState } from 'react'

/**
 * Whom a visitor of a demo may sign in as; nobody elsewhere. Without the query client, which public pages do not load; a failure
 * is only logged: one can always type.
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
