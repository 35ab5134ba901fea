import type { AccountMetadata, Demo } from '@custodia/contract'
import { useEffect, useState } from 'react'

/**
 * Public facts of an account while the user types its name; undefined when there is none. Uses no query client, which
 * public pages do not load; a failure is only logged (spec section 8).
 */
export function useAccount(client: string): AccountMetadata | undefined {
  const [account, setAccount] = useState<AccountMetadata>()
  useEffect(() => {
    if (client === '') return
    let current = true
    import('./home-api.ts')
      .then(({ getAccount }) => getAccount(client))
      .then((found) => {
        if (current) setAccount(found)
      })
      .catch((error: unknown) => console.error(error))
    return () => {
      current = false
    }
  }, [client])
  // Drops the result of an earlier spelling.
  return account?.client === client ? account : undefined
}

/**
 * Demo users that a visitor may choose; empty outside demos; null if they cannot be read, undefined until the answer.
 * Uses no query client, which public pages do not load; a failure is only logged.
 */
export function useDemo(): Demo | null | undefined {
  const [demo, setDemo] = useState<Demo | null>()
  useEffect(() => {
    let current = true
    import('./home-api.ts')
      .then(({ homeApi }) => homeApi.listDemoPeople({}))
      .catch((error: unknown) => {
        console.error(error)
        return null
      })
      .then((found) => {
        if (current) setDemo(found)
      })
    return () => {
      current = false
    }
  }, [])
  return demo
}
