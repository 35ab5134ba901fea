import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ClientReference } from '@custodia/contract'
import type { Interaction, Provider } from 'oidc-provider'
import { cacheEntry } from '../cache.ts'
import type { Database } from '../database/pool.ts'
import { expiredPage, pageLocale, sendPage, signInPage, type SignInPage } from './page.ts'
import { getDemoPassword, findPerson, isPassword } from './people.ts'

/** Failures, and the seconds in which they count. */
interface Rule {
  limit: number
  seconds: number
}

/** Limits per person and network, per network, and per site of IPv6, which may have 65,536 networks. */
const PER_PERSON: Rule = { limit: 5, seconds: 300 }
const PER_NETWORK: Rule = { limit: 50, seconds: 300 }
const PER_SITE: Rule = { limit: 250, seconds: 300 }
/** The first 48 bits of a network of IPv6; undefined for IPv4, also where an address of IPv6 contains it. */
export const getSite = (network: string): string | undefined =>
  network.includes('.') ? undefined : network.split(':').slice(0, 3).join(':')
/** One customer of IPv6 has 2^64 addresses (RFC 4291, section 2.5.4): they count as one. */
export function getNetwork(ip: string): string {
  if (!isIPv6(ip) || ip.includes('.')) return ip
  const [head = '', tail] = ip.split('::')
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ]
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

/** Most keys; the oldest are dropped first. */
const KEYS = 20_000

/**
 * Counts failed sign-ins of this process. Each attempt counts before its password is checked, so that
 * parallel guesses cannot bypass the limit; a success resets it.
 */
export class Attempts {
  readonly #failures = new Map<string, number[]>()

  /** Counts an attempt; false when the limit is reached. `now` in epoch seconds. */
  begin(person: string, ip: string, now: number): boolean {
    const network = getNetwork(ip)
    const site = getSite(network)
    const keys: [string, Rule][] = [
      [`${person}\n${network}`, PER_PERSON],
      [network, PER_NETWORK],
      ...(site === undefined ? [] : [[site, PER_SITE] satisfies [string, Rule]]),
    ]
    if (keys.some(([key, rule]) => this.#recent(key, rule, now).length >= rule.limit)) return false
    for (const [key, rule] of keys)
      cacheEntry(this.#failures, key, [...this.#recent(key, rule, now), now], KEYS)
    return true
  }

  /** Whether the limit refuses the person for the first time in a while. A flood of attempts is no flood of entries. */
  isFirstRefusal(person: string, ip: string, now: number): boolean {
    const key = `refused\n${person}\n${getNetwork(ip)}`
    if (this.#recent(key, PER_PERSON, now).length > 0) return false
    cacheEntry(this.#failures, key, [now], KEYS)
    return true
  }

  /** The attempt succeeded: this person's failures no longer count. */
  succeed(person: string, ip: string): void {
    const network = getNetwork(ip)
    this.#failures.delete(`${person}\n${network}`)
    this.#failures.get(network)?.pop()
    this.#failures.get(getSite(network) ?? '')?.pop()
  }

  #recent(key: string, rule: Rule, now: number): number[] {
    return (this.#failures.get(key) ?? []).filter((at) => at > now - rule.seconds)
  }
}

/** A known person whose sign-in was refused. */
export interface RefusedSignIn {
  client: string
  user_reference: string
  ip: string
  browser: string | undefined
  reason: 'wrong password' | 'too many attempts'
}

export interface InteractionOptions {
  db: Database
  publicUrl: string
  /** Epoch seconds. */
  now: () => number
  isDemo: boolean
  getAddress: (request: IncomingMessage) => string
  onRefused: (refused: RefusedSignIn) => Promise<void>
}

/** Milliseconds after which a form is refused: what is done for a known person only does not show in the time. */
const REFUSED_AFTER = 500
/** Largest form, in bytes. */
const FORM_LIMIT = 8192
export const INTERACTION_PATH = '/oidc/interaction/'

/** Identifier of a person within the provider: references are unique per client only. */
export const getAccountId = (client: string, user_reference: string): string => `${client}/${user_reference}`

/** Serves the sign-in page and its form, at `/oidc/interaction/{uid}`. */
export function interactionPages(provider: Provider, options: InteractionOptions) {
  const by: Checker = { options, attempts: new Attempts() }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const locale = pageLocale(undefined, request.headers['accept-language'])
    const portal = `${options.publicUrl}/sign-in`
    const interaction = await provider.interactionDetails(request, response).catch(() => undefined)
    const client = ClientReference.safeParse(interaction?.params.client)
    // The cookie identifies the interaction; the address must match it.
    const isSame = interaction && request.url === `${INTERACTION_PATH}${interaction.uid}`
    if (!isSame || !client.success) return sendPage(response, 400, expiredPage(locale, portal))
    const page: SignInPage = {
      locale: pageLocale(interaction.params.ui_locales, request.headers['accept-language']),
      client: client.data,
      action: `${INTERACTION_PATH}${interaction.uid}`,
      portal,
    }
    const show = (status: number, changes: Partial<SignInPage>) =>
      sendPage(response, status, signInPage({ ...page, ...changes }), redirectTargets(interaction))
    const hint = interaction.params.login_hint
    const user = typeof hint === 'string' ? hint : undefined
    const finish = (user_reference: string) =>
      provider.interactionFinished(
        request,
        response,
        { login: { accountId: getAccountId(client.data, user_reference), cacheEntry: false, amr: ['pwd'] } },
        { mergeWithLastSubmission: false },
      )
    if (request.method === 'GET') {
      const isLetIn = user !== undefined && (await isDemoPerson(by, request, client.data, user))
      return isLetIn ? finish(user) : show(200, user === undefined ? {} : { user_reference: user })
    }
    if (request.method !== 'POST') return sendPage(response, 405, expiredPage(locale, portal))
    const form = await readForm(request)
    if (!form) return sendPage(response, 413, expiredPage(locale, portal))
    const refusedAt = performance.now() + REFUSED_AFTER
    const outcome = await checkPassword(by, request, client.data, form)
    if (outcome !== 'right') {
      await pause(Math.max(0, refusedAt - performance.now()))
      return show(outcome === 'too_many' ? 429 : 401, { user_reference: form.user, problem: outcome })
    }
    await finish(form.user)
  }
}

interface Checker {
  options: InteractionOptions
  attempts: Attempts
}

/** Whether the user is a demo user with the published password. */
async function isDemoPerson(
  by: Checker,
  request: IncomingMessage,
  client: string,
  user: string,
): Promise<boolean> {
  const password = by.options.isDemo ? getDemoPassword(client, user) : undefined
  return password !== undefined && (await checkPassword(by, request, client, { user, password })) === 'right'
}

async function checkPassword(
  { options, attempts }: Checker,
  request: IncomingMessage,
  client: string,
  form: { user: string; password: string },
): Promise<'right' | 'wrong' | 'too_many'> {
  const ip = options.getAddress(request)
  const person = await findPerson(options.db, client, form.user)
  const refuse = async (reason: RefusedSignIn['reason']) => {
    if (!person) return
    const { user_reference } = person
    await options.onRefused({ client, user_reference, ip, browser: request.headers['user-agent'], reason })
  }
  const [account, now] = [getAccountId(client, form.user), options.now()]
  if (!attempts.begin(account, ip, now)) {
    // Only for known people, whose number is limited.
    if (person && attempts.isFirstRefusal(account, ip, now)) await refuse('too many attempts')
    return 'too_many'
  }
  if (!(await isPassword(form.password, person?.password_hash))) {
    await refuse('wrong password')
    return 'wrong'
  }
  attempts.succeed(account, ip)
  return 'right'
}

/** Browsers check `form-action` along redirects, so a local program that waits must be named. */
function redirectTargets(interaction: Interaction): string[] {
  const { redirect_uri } = interaction.params
  if (typeof redirect_uri !== 'string' || !URL.canParse(redirect_uri)) return []
  const { origin } = new URL(redirect_uri)
  return [origin]
}

async function readForm(request: IncomingMessage): Promise<{ user: string; password: string } | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > FORM_LIMIT) return undefined
    chunks.push(chunk)
  }
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  // NUL cannot be stored, so no name contains it.
  return { user: (form.get('user') ?? '').replaceAll('\0', '').trim(), password: form.get('password') ?? '' }
}
