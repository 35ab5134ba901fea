import { EXPIRY_MARGIN_SECONDS } from '@custodia/contract'

/**
 * Drop-in for `fetch` that uses preloaded responses (`preload-session.ts`). Each serves one call with the same request
 * and token, while it is fresh.
 */
export const fetchPreloaded: typeof fetch = async (asked, request) => {
  const early = globalThis.custodiaPreload
  const found = early?.by_address[String(asked)]
  if (early === undefined || found === undefined) return fetch(asked, request)
  delete early.by_address[String(asked)]
  const authorization = await found.authorization?.catch(() => undefined)
  const age = Date.now() - (early.renewed_at ?? Date.now())
  const isSame =
    (authorization ?? null) === new Headers(request?.headers ?? {}).get('authorization') &&
    age < EXPIRY_MARGIN_SECONDS * 1000
  return isSame ? found.response : fetch(asked, request)
}
