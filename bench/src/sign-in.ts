/** A browser as far as a sign-in needs one: keeps cookies, follows redirects within the portal, sends the form. */
export class Visitor {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  constructor(origin: string) {
    this.#origin = origin
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async #send(to: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(to, this.#origin)
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie: this.cookie } })
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (/max-age=0(?:;|$)/i.test(header)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }

  /** Signs in and accepts the terms; resolves to the token for the Authorization header. */
  async signIn(client: string, user: string, password: string): Promise<string> {
    const base = `/admin/v1/api/${client}`
    const { url } = (await (await this.#send(`${base}/url`)).json()) as { url: string }
    let response = await this.#send(url)
    for (let hops = 0; hops < 10; hops++) {
      const to = response.headers.get('location')
      if (to?.includes('/sign-in?')) return this.#exchange(base, new URL(to, this.#origin))
      if (to) response = await this.#send(to)
      else {
        const action = / action="([^"]+)"/.exec(await response.text())?.[1] ?? ''
        response = await this.#send(action, { method: 'POST', body: new URLSearchParams({ user, password }) })
      }
    }
    throw new Error('the sign-in does not end')
  }

  async #exchange(base: string, returned: URL): Promise<string> {
    const query = new URLSearchParams({
      code: returned.searchParams.get('code') ?? '',
      state: returned.searchParams.get('state') ?? '',
      redirect_uri: `${this.#origin}/sign-in`,
    })
    const response = await this.#send(`${base}/exchange?${query}`)
    if (!response.ok) throw new Error(`sign-in: ${await response.text()}`)
    return ((await response.json()) as { id_token: string }).id_token
  }
}
