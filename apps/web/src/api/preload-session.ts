import { EXPIRY_MARGIN_SECONDS } from '@custodia/contract'

/** Settings of the page's first two requests; paths contain `{client}`. */
export interface PreloadFacts {
  /** Pages that require sign-in: regular expression source for the path without its language. */
  pages: string
  /** The sign-in page in the same form, and its first request. */
  sign_in: { page: string; path: string }
  session_key: string
  refresh_lock: string
  /** The provider's own account; calls need not name it. */
  provider: string
  exchange: string
  profile: string
  actions_key: string
  /** First request of a page whose address has no search, by path: required action, path and query. */
  first: Record<string, First>
  /** Pages of one payload, in the same form as `pages`, and their first request with `{payload_reference}`. */
  payload: First & { pages: string }
}

interface First {
  action: string
  path: string
  query: Record<string, string>
}

export interface PreloadedResponses {
  renewed_at?: number
  /** Request and token. The token may be known shortly before or after the portal reads it from the same answer. */
  by_address: Record<string, { authorization?: Promise<string>; response: Promise<Response> }>
}

declare global {
  var custodiaPreload: PreloadedResponses | undefined
}

/**
 * Refreshes the session and requests the profile and first rows before any script loads. The page embeds this
 * function's text (`build/preload-script.ts`), so it must be self-contained.
 */
export function preloadSession(facts: PreloadFacts): void {
  const [, path] = new RegExp(facts.pages).exec(location.pathname) ?? []
  const isSignIn = new RegExp(facts.sign_in.page).test(location.pathname)
  if (path === undefined && !isSignIn) return
  const early: PreloadedResponses = (globalThis.custodiaPreload = { by_address: {} })
  const ask = async (at: string, authorization?: string) => {
    const response = await fetch(at, {
      headers: { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) },
      credentials: 'same-origin',
    })
    // Reads the body to its end, or the browser keeps the connection open.
    response
      .clone()
      .arrayBuffer()
      .catch(() => {})
    return response
  }
  if (path === undefined) {
    const response = ask(facts.sign_in.path)
    response.catch(() => {})
    early.by_address[facts.sign_in.path] = { response }
    return
  }
  try {
    const session = localStorage.getItem(facts.session_key) ?? ''
    const { client, handle, support } = JSON.parse(session) as Record<string, string | undefined>
    if (typeof client !== 'string' || typeof handle !== 'string') return
    const address = (template: string, at: string, query: Record<string, string>) => {
      const asked = new URLSearchParams(query).toString()
      return template.replace('{client}', encodeURIComponent(at)) + (asked === '' ? '' : `?${asked}`)
    }
    const home = support === undefined ? client : facts.provider
    const exchange = address(facts.exchange, home, { refresh_token: handle })
    const renewal = async () => {
      const response = await ask(exchange)
      early.renewed_at = Date.now()
      return response
    }
    const renewed: Promise<Response> =
      navigator.locks === undefined ? renewal() : navigator.locks.request(facts.refresh_lock, renewal)
    const authorized = renewed.then(async (exchanged) => {
      const { id_token } = (await exchanged.clone().json()) as { id_token?: string }
      if (id_token === undefined) throw new Error('no session')
      return support === undefined ? `Bearer ${id_token}` : `Support ${support}:${id_token}`
    })
    const isOwn = client === facts.provider && support === undefined
    const askSigned = (template: string, query: Record<string, string>) => {
      const at = address(template, client, { ...(isOwn ? {} : { client }), ...query })
      early.by_address[at] = {
        authorization: authorized,
        response: authorized.then((authorization) => ask(at, authorization)),
      }
    }
    early.by_address[exchange] = { response: renewed }
    askSigned(facts.profile, {})
    const [, reference] = new RegExp(facts.payload.pages).exec(path) ?? []
    const first = reference === undefined ? facts.first[path.replace(/\/$/, '')] : facts.payload
    if (first && location.search === '') {
      const allowed = JSON.parse(localStorage.getItem(facts.actions_key) ?? '{}') as Record<string, unknown>
      const isAllowed = Array.isArray(allowed.actions) && allowed.actions.includes(first.action)
      if (isAllowed && allowed.session === session)
        askSigned(first.path.replace('{payload_reference}', reference ?? ''), first.query)
    }
    for (const { response } of Object.values(early.by_address)) response.catch(() => {})
  } catch {
    // No session or no storage: the portal sends its own requests.
  }
}

/**
 * Drop-in for `fetch` that uses preloaded responses. Each serves one call with the same request
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
