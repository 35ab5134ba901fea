import assert from 'node:assert/strict'

interface Cookie {
  value: string
  path: string
  attributes: string
}

/** A browser played by fetch: keeps cookies by path, follows redirects only when told, fills in forms. */
export class Browser {
  readonly cookies = new Map<string, Cookie>()
  readonly #publicUrl: string
  readonly #address: string

  /** Requests to `publicUrl` go to `address`, as by a proxy. */
  constructor(publicUrl: string, address = publicUrl) {
    this.#publicUrl = publicUrl
    this.#address = address
  }

  async send(to: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(to, this.#publicUrl)
    assert.equal(url.origin, new URL(this.#publicUrl).origin, `left the portal for ${url.origin}`)
    const cookie = [...this.cookies]
      .filter(
        ([, each]) => url.pathname === each.path || url.pathname.startsWith(each.path.replace(/\/?$/, '/')),
      )
      .map(([name, each]) => `${name}=${each.value}`)
      .join('; ')
    const response = await fetch(new URL(`${url.pathname}${url.search}`, this.#address), {
      redirect: 'manual',
      ...init,
      headers: { 'user-agent': 'played by fetch', ...(init.headers as Record<string, string>), cookie },
    })
    for (const header of response.headers.getSetCookie()) this.#keep(header)
    return response
  }

  #keep(header: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(header) ?? []
    const isGone = /max-age=0(?:;|$)|expires=thu, 01 jan 1970/i.test(attributes)
    if (isGone) this.cookies.delete(name)
    else this.cookies.set(name, { value, path: /path=([^;]+)/i.exec(attributes)?.[1] ?? '/', attributes })
  }

  /** The one cookie whose name starts so. */
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
  async openForm(url: string): Promise<{ action: string; html: string; response: Response }> {
    let response = await this.send(url)
    for (let hops = 0; response.status >= 300 && response.status < 400; hops++) {
      assert.ok(hops < 5, 'redirects without end')
      response = await this.send(response.headers.get('location') ?? '')
    }
    const html = await response.text()
    return { action: / action="([^"]+)"/.exec(html)?.[1] ?? '', html, response }
  }

  /** Sends the form and follows until the browser would leave for `stop`; answers that address. */
  async submit(action: string, user: string, password: string, stop: string): Promise<URL> {
    let response = await this.send(action, { method: 'POST', body: new URLSearchParams({ user, password }) })
    for (let hops = 0; hops < 5; hops++) {
      const to = response.headers.get('location')
      assert.ok(to, `${response.status} instead of a redirect: ${await response.clone().text()}`)
      if (to.startsWith(stop)) return new URL(to)
      response = await this.send(to)
    }
    assert.fail('redirects without end')
  }

  /** From the choice of the client to the code. */
  async authorise(client: string, user: string, password = `${user}-demo`): Promise<URL> {
    const { body } = await this.json(`/admin/v1/api/${client}/url`)
    const { action } = await this.openForm(String(body.url))
    return this.submit(action, user, password, `${this.#publicUrl}/sign-in?`)
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
  async signIn(client: string, user: string): Promise<Tokens> {
    const { status, body } = await this.exchange(client, await this.authorise(client, user))
    assert.equal(status, 200, JSON.stringify(body))
    return body as unknown as Tokens
  }

  refresh(client: string, refresh_token: string) {
    return this.json(`/admin/v1/api/${client}/exchange?${new URLSearchParams({ refresh_token })}`)
  }

  profile(client: string, authorization: string) {
    return this.json(`/admin/v1/api/${client}/profile`, { headers: { authorization } })
  }
}

export interface Tokens {
  id_token: string
  refresh_token: string
  expires_in: number
}
