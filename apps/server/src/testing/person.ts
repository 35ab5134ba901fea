import { type Client, makeClient } from '@custodia/client'
import { Browser } from './browser.ts'

/** A person with a browser of their own: cookies, and what scripts of the portal would hold. */
export interface Person {
  api: Client
  /** Fetches with the person's cookies, following no redirect. */
  fetch(address: string, init?: RequestInit): Promise<Response>
  /** All cookies of the browser, as a request header. */
  cookie(): string
  id_token: string
}

/** Signs a demo person in through the identity provider's real pages and accepts the terms. */
export async function signIn(url: string, client: string, user: string): Promise<Person> {
  const browser = new Browser(url)
  const { id_token } = await browser.signIn(client, user)
  const api = makeClient({
    baseUrl: url,
    client: () => client,
    credentials: async () => ({ token: id_token }),
    fetch: (address, init) => browser.send(String(address), init),
  })
  const { terms } = await api.readProfile({})
  if (terms.accepted_at === null) await api.acceptTerms({ body: { version: terms.version } })
  const cookie = () => [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  return { api, fetch: (address, init) => browser.send(address, init), cookie, id_token }
}
