import { type Client, makeClient } from '@custodia/client'

/** A person with a browser of their own: cookies, and what scripts of the portal would hold. */
export interface Person {
  api: Client
  /** Fetches with the person's cookies, following no redirect. */
  fetch(address: string, init?: RequestInit): Promise<Response>
  id_token: string
}

/** Signs a demo person in through the identity provider's real pages and accepts the terms. */
export async function signIn(url: string, client: string, user: string): Promise<Person> {
  const jar = new Map<string, string>()
  const browse = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(address, url), { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
  const start = (await (await browse(`/admin/v1/api/${client}/url`)).json()) as { url: string }
  const back = await throughProvider(browse, start.url, user)
  const query = new URLSearchParams({
    code: back.searchParams.get('code') ?? '',
    state: back.searchParams.get('state') ?? '',
    redirect_uri: `${url}/sign-in`,
  })
  const exchanged = await browse(`/admin/v1/api/${client}/exchange?${query}`)
  if (!exchanged.ok) throw new Error(`the exchange answered ${exchanged.status}: ${await exchanged.text()}`)
  const { id_token } = (await exchanged.json()) as { id_token: string }
  const api = makeClient({
    baseUrl: url,
    client: () => client,
    credentials: async () => ({ token: id_token }),
    fetch: (address, init) => browse(String(address), init),
  })
  const { terms } = await api.readProfile({})
  if (terms.accepted_at === null) await api.acceptTerms({ body: { version: terms.version } })
  return { api, fetch: browse, id_token }
}

async function throughProvider(
  browse: (address: string, init?: RequestInit) => Promise<Response>,
  start: string,
  user: string,
): Promise<URL> {
  let response = await browse(start)
  for (let hop = 0; hop < 12; hop++) {
    const location = response.headers.get('location')
    if (location) {
      const next = new URL(location, start)
      if (next.pathname === '/sign-in') return next
      response = await browse(next.href)
      continue
    }
    response = await submit(browse, start, await response.text(), user)
  }
  throw new Error('the identity provider never returned')
}

/** Fills in the provider's form as a person would: its hidden fields, the name, the password. */
function submit(
  browse: (address: string, init?: RequestInit) => Promise<Response>,
  start: string,
  html: string,
  user: string,
): Promise<Response> {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]
  if (!action) throw new Error(`no form on the provider's page: ${html.slice(0, 200)}`)
  const fields = new URLSearchParams()
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(input)?.[1]
    if (!name) continue
    const type = /type="([^"]+)"/.exec(input)?.[1]
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? ''
    fields.set(name, type === 'password' ? `${user}-demo` : type === 'hidden' ? value : user)
  }
  return browse(new URL(action.replaceAll('&amp;', '&'), start).href, { method: 'POST', body: fields })
}
