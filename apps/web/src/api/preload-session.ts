/** What a page needs to know for its first two questions; paths have `{client}` in them. */
export interface PreloadFacts {
  /** Of the pages behind the sign-in, as the source of a regular expression that takes the path without its language. */
  pages: string
  session_key: string
  refresh_lock: string
  /** The provider's own account, which calls need not name. */
  provider: string
  exchange: string
  profile: string
  actions_key: string
  /** What pages show first when their address has no search, by path: the action that it needs, its path and what is asked. */
  first: Record<string, { action: string; path: string; query: Record<string, string> }>
}

export interface PreloadedResponses {
  /** Epoch milliseconds. */
  renewed_at?: number
  /** What was asked, with which token: that one is known a moment before or after the portal itself has read it from the same answer. */
  by_address: Record<string, { authorization?: Promise<string>; response: Promise<Response> }>
}

declare global {
  var custodiaPreload: PreloadedResponses | undefined
}

/**
 * Renews the session, and asks for the profile, on which everything behind the sign-in waits, and for what the page shows first, before any
 * script has come: the text of this function stands in the page itself (`build/early-script.ts`), so that it can use nothing from
 * elsewhere. The calls take the answers from `early-answers.ts`.
 */
export function preloadSession(facts: PreloadFacts): void {
  const [, path] = new RegExp(facts.pages).exec(location.pathname) ?? []
  if (path === undefined) return
  try {
    const session = localStorage.getItem(facts.session_key) ?? ''
    const { client, handle, support } = JSON.parse(session) as Record<string, string | undefined>
    if (typeof client !== 'string' || typeof handle !== 'string') return
    const early: PreloadedResponses = (globalThis.custodiaPreload = { by_address: {} })
    const address = (template: string, at: string, query: Record<string, string>) => {
      const asked = new URLSearchParams(query).toString()
      return template.replace('{client}', encodeURIComponent(at)) + (asked === '' ? '' : `?${asked}`)
    }
    const ask = async (at: string, authorization?: string) => {
      const response = await fetch(at, {
        headers: { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) },
        credentials: 'same-origin',
      })
      // Read to the end by somebody, or the browser keeps its connection open for as long as the page stands.
      response
        .clone()
        .arrayBuffer()
        .catch(() => {})
      return response
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
    const first = location.search === '' ? facts.first[path.replace(/\/$/, '')] : undefined
    if (first) {
      const allowed = JSON.parse(localStorage.getItem(facts.actions_key) ?? '{}') as Record<string, unknown>
      const isAllowed = Array.isArray(allowed.actions) && allowed.actions.includes(first.action)
      if (isAllowed && allowed.session === session) askSigned(first.path, first.query)
    }
    for (const { response } of Object.values(early.by_address)) response.catch(() => {})
  } catch {
    // Nobody is signed in, or nothing may be kept here: the portal asks for itself.
  }
}
