import type { AccountMetadata } from '@custodia/contract'
import { useEffect, useState } from 'react'

/**
 * What a visitor may know about an account while its name is being typed; undefined when there is none of that name.
 * Without the query client, which public pages do not load; a failure is only logged (spec section 8).
 */
export function useAccount(client: string): AccountMetadata | undefined {
  const [account, setAccount] = useState<AccountMetadata>()
  useEffect(() => {
    if (client === '') return
    let current = true
    import('./home-api.ts')
      .then(({ accountOf }) => accountOf(client))
      .then((found) => {
        if (current) setAccount(found)
      })
      .catch((error: unknown) => console.error(error))
    return () => {
      current = false
    }
  }, [client])
  // What was found for an earlier spelling is not shown for this one.
  return account?.client === client ? account : undefined
}
