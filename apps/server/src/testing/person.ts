import { type Client, makeClient } from '@custodia/client'
import { ulid } from 'ulid'
import { DEMO_CAST } from '../ports/identity/people.ts'
import { cookieHalves } from '../sessions/cookie-halves.ts'
import { cookiesFor } from '../sessions/cookies.ts'
import { Browser } from './browser.ts'
import type { TestServer } from './server.ts'
import { openSession, type SessionOwner } from './session.ts'

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

/**
 * A demo person whose session was opened without any page, a twentieth of the work of `signIn`: for tests of something else. `status`
 * takes the place of what the provider would say of them.
 */
export async function openPerson(
  { ctx, url }: Pick<TestServer, 'ctx' | 'url'>,
  client: string,
  user_reference: string,
  status: Partial<Pick<SessionOwner, 'roles' | 'groups'>> = {},
): Promise<Person> {
  const known = DEMO_CAST.find((each) => each.client === client && each.user_reference === user_reference)
  if (!known) throw new Error(`nobody in the demo is ${user_reference} of ${client}`)
  const session_id = ulid()
  const id_token = await openSession(ctx, { ...known, ...status, session_id })
  const browser = new Browser(url)
  const halves = cookieHalves(await ctx.keys.namedSecret('session-cookies'))
  browser.cookies.set(cookiesFor(ctx.config.publicUrl).sessionName(session_id), {
    value: halves.of(session_id, 0),
    host: new URL(url).hostname,
    path: '/',
    attributes: '',
  })
  return personAt(browser, url, client, id_token)
}

function personAt(browser: Browser, url: string, client: string, id_token: string): Person {
  const api = makeClient({
    baseUrl: url,
    client: () => client,
    credentials: async () => ({ token: id_token }),
    fetch: (address, init) => browser.send(String(address), init),
  })
  const cookie = () => [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  return { api, fetch: (address, init) => browser.send(address, init), cookie, id_token }
}
