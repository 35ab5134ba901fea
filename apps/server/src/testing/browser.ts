import assert from 'node:assert/strict'
import { type Client, makeClient } from '@custodia/client'

interface Cookie {
  value: string
  /** Name of the host that set it; ports do not count (RFC 6265 8.5). */
  host: string
  path: string
  attributes: string
}

/** A form with a name and a password. */
export interface SignInForm {
  action: string
  /** Its hidden fields. */
  hidden: [string, string][]
  html: string
  response: Response
}

export interface Tokens {
  id_token: string
  refresh_token: string
  expires_in: number
}

/** A fetch-based browser: keeps cookies by host and path, follows redirects on request only, fills in forms. */
export class Browser {
  readonly cookies = new Map<string, Cookie>()
  readonly #publicUrl: string
  readonly #address: string
  readonly #elsewhere: readonly string[]

  /** Requests to `publicUrl` go to `address`, as by a proxy; of other origins only those `elsewhere` are visited. */
  constructor(publicUrl: string, address = publicUrl, elsewhere: readonly string[] = []) {
    this.#publicUrl = publicUrl
    this.#address = address
    this.#elsewhere = elsewhere
  }

  /** Sends a request, by default to the portal. `cookie` among the headers takes the place of the jar. */
  async send(to: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(to, this.#publicUrl)
    const isPortal = url.origin === new URL(this.#publicUrl).origin
    assert.ok(isPortal || this.#elsewhere.includes(url.origin), `left the portal for ${url.origin}`)
    const headers = new Headers(init.headers)
    if (!headers.has('user-agent')) headers.set('user-agent', 'played by fetch')
    if (!headers.has('cookie')) headers.set('cookie', this.#cookiesFor(url))
    const target = isPortal ? new URL(`${url.pathname}${url.search}`, this.#address) : url
    const response = await fetch(target, { redirect: 'manual', ...init, headers })
    for (const header of response.headers.getSetCookie()) this.#keep(header, url.hostname)
    return response
  }

  #cookiesFor({ hostname, pathname }: URL): string {
    return [...this.cookies]
      .filter(([, { host }]) => host === hostname)
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  }

  #keep(header: string, host: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(header) ?? []
    const isExpired = /max-age=0(?:;|$)|expires=thu, 01[ -]jan[ -]1970/i.test(attributes)
    if (isExpired) this.cookies.delete(name)
    else
      this.cookies.set(name, { value, host, path: /path=([^;]+)/i.exec(attributes)?.[1] ?? '/', attributes })
  }

  /** The only cookie with this name prefix. */
  cookie(prefix: string): [string, Cookie] {
    const found = [...this.cookies].find(([name]) => name.startsWith(prefix))
    assert.ok(found, `no cookie ${prefix}`)
    return found
  }

  async json(to: string, init: RequestInit = {}): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await this.send(to, init)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  /** Follows the sign-in address to the form. */
  async openForm(url: string): Promise<SignInForm> {
    let [at, response] = [url, await this.send(url)]
    for (let hops = 0; response.status >= 300 && response.status < 400; hops++) {
      assert.ok(hops < 8, 'redirects without end')
      at = new URL(response.headers.get('location') ?? '', at).href
      response = await this.send(at)
    }
    const html = await response.text()
    // No action, or `#`, means the page's own address.
    const action = / action="([^"#]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? at
    return { action: new URL(action, at).href, hidden: hiddenFields(html), html, response }
  }

  /** Sends the form and follows until the browser would leave for `stop`; answers that address. */
  async submit(
    { action, hidden }: Pick<SignInForm, 'action' | 'hidden'>,
    user: string,
    password: string,
    stop: string,
  ): Promise<URL> {
    const body = new URLSearchParams([...hidden, ['user', user], ['password', password]])
    let [at, response] = [action, await this.send(action, { method: 'POST', body })]
    for (let hops = 0; hops < 8; hops++) {
      const location = response.headers.get('location')
      assert.ok(location, `${response.status} instead of a redirect: ${await response.clone().text()}`)
      at = new URL(location, at).href
      if (at.startsWith(stop)) return new URL(at)
      response = await this.send(at)
    }
    assert.fail('redirects without end')
  }

  /** From the choice of the client to the code. */
  async authorise(client: string, user: string, password = `${user}-demo`): Promise<URL> {
    const { status, body } = await this.json(`/admin/v1/api/${client}/url`)
    assert.equal(status, 200, JSON.stringify(body))
    const form = await this.openForm(String(body.url))
    return this.submit(form, user, password, `${this.#publicUrl}/sign-in?`)
  }

  /** Exchanges the code in a return address. */
  exchange(client: string, returned: URL, changes: Record<string, string> = {}) {
    const query = new URLSearchParams({
      code: returned.searchParams.get('code') ?? '',
      state: returned.searchParams.get('state') ?? '',
      redirect_uri: `${this.#publicUrl}/sign-in`,
      ...changes,
    })
    return this.json(`/admin/v1/api/${client}/exchange?${query}`)
  }

  /** A whole sign-in; answers the tokens. */
  async signIn(client: string, user: string, password?: string): Promise<Tokens> {
    const { status, body } = await this.exchange(client, await this.authorise(client, user, password))
    assert.equal(status, 200, JSON.stringify(body))
    return body as unknown as Tokens
  }

  refresh(client: string, refresh_token: string, init: RequestInit = {}) {
    return this.json(`/admin/v1/api/${client}/exchange?${new URLSearchParams({ refresh_token })}`, init)
  }

  profile(client: string, authorization: string) {
    return this.json(`/admin/v1/api/${client}/profile`, { headers: { authorization } })
  }

  signOut(client: string, authorization: string, query = '') {
    const init = { method: 'DELETE', headers: { authorization } }
    return this.json(`/admin/v1/api/${client}/profile/session${query}`, init)
  }
}

function hiddenFields(html: string): [string, string][] {
  return [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
    /name="([^"]+)"/.exec(input)?.[1] ?? '',
    (/value="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll('&amp;', '&'),
  ])
}

/** A person with a browser of their own: cookies, and what scripts of the portal would hold. */
export interface Person {
  api: Client
  /** Fetches with the person's cookies, following no redirect. */
  fetch(address: string, init?: RequestInit): Promise<Response>
  /** All cookies of the browser, as a request header. */
  cookie(): string
  id_token: string
}

/**
 * Signs a person in through the identity provider's real pages and accepts the terms: a demo person, or a person of the provider at
 * `issuer`.
 */
export async function signIn(
  url: string,
  client: string,
  user: string,
  { password, issuer }: { password?: string; issuer?: string } = {},
): Promise<Person> {
  const browser = new Browser(url, url, issuer === undefined ? [] : [issuer])
  const { id_token } = await browser.signIn(client, user, password)
  const person = personAt(browser, url, client, id_token)
  const { terms } = await person.api.readProfile({})
  if (terms.accepted_at === null) await person.api.acceptTerms({ body: { version: terms.version } })
  return person
}

/** A signed-in person in that browser. */
export function personAt(browser: Browser, url: string, client: string, id_token: string): Person {
  const api = makeClient({
    baseUrl: url,
    client: () => client,
    credentials: async () => ({ token: id_token }),
    fetch: (address, init) => browser.send(String(address), init),
  })
  const cookie = () => [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  return { api, fetch: (address, init) => browser.send(address, init), cookie, id_token }
}
