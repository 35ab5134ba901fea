import { everyCall } from './matrix/calls.test-support.ts'

export interface HostileRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | undefined
}

/** Valid bearers by their rights; the sender renews them. */
export interface Bearers {
  person: string
  provider: string
  phone: string
}

const STRINGS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\u202eevil\u2066',
  '../../etc/passwd',
  "' or 1=1 --",
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '1e309',
  '9223372036854775808',
  '99999999999999999999',
  '🙂'.repeat(90),
  'a'.repeat(5000),
  '2026-02-30',
  '9999-12-31-235959',
  '%',
  '%E0%A4%A',
  '10.0.0.0/33',
  '(a+)+$',
  '[[[',
  '*',
  'Ⅷ',
]
const VALUES: readonly unknown[] = [
  ...STRINGS,
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  253_402_300_800,
  [],
  {},
  [[[[]]]],
  Array(101).fill('x'),
  { __proto__x: 1 },
]
const KEYS = [
  'client',
  'type',
  'limit',
  'last_key',
  'from',
  'to',
  'groups[0]',
  'number',
  'service',
  'states[a][b]',
  'x',
  'code',
  'state',
  'search',
]
const OIDC = [
  'auth',
  'token',
  'jwks',
  'userinfo',
  'session/end',
  'interaction/x',
  'auth/x',
  '.well-known/openid-configuration',
  '%00',
]

/** What a phone announces, of the right form. */
const ANNOUNCEMENT = {
  payload_reference: '01JD5X3V8Q2M4N6P7R9S0T1V2W',
  payload_type: 'Call',
  payload_time: 1_790_000_000,
  payload_end_time: 1_790_000_060,
  key_id: 'k',
  encrypted_dek: 'AAAA',
  iv: 'A'.repeat(16),
  meta: 'AAAA',
  checksum: 'a'.repeat(64),
  size: 100,
}
const PHONE = {
  account_reference: 'acme',
  ulid_encrypted: 'AAAA',
  model: 'm',
  os_version: '1',
  app_version: '1',
  serial_number: 's',
  fcm_token: null,
  installation_id: 'i',
  phone_numbers: ['+44'],
  imeis: [],
  email: null,
}
const OF_DEVICES: Readonly<Record<string, object>> = {
  announcePayloads: { payloads: [ANNOUNCEMENT] },
  authenticateDevice: PHONE,
  readPayloadStatus: { payload_references: [ANNOUNCEMENT.payload_reference] },
}

/**
 * Generates all calls in turn, valid except for one or two values in the path, query, body or bearer, and requests to
 * the embedded identity provider. Equal numbers of `random` give equal requests.
 */
export function hostileRequests(random: () => number, bearers: () => Bearers): () => HostileRequest {
  const calls = everyCall().filter(({ name }) => name !== 'signOut')
  let sent = 0
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const chance = (part: number) => random() < part

  function bearer(): string | undefined {
    const { person, provider, phone } = bearers()
    const jwt = () =>
      [
        { alg: pick(['RS256', 'none', 'HS256']), kid: pick(STRINGS) },
        { iss: pick(VALUES), aud: pick(VALUES), exp: pick(VALUES) },
        'x',
      ]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
    const name = Math.floor(random() * 10)
    if (name < 4) return `Bearer ${person}`
    if (name === 4) return `Bearer ${provider}`
    if (name === 5) return `Bearer ${phone}`
    if (name === 6) return `Bearer ${jwt()}`
    if (name === 7) return `Support ${pick(['x', '01JD5X3V8Q2M4N6P7R9S0T1V2W'])}:${pick([provider, 'a.b.c'])}`
    return name === 8 ? 'Bearer a.b.c' : undefined
  }

  const coded = (value: string) =>
    value.isWellFormed() ? encodeURIComponent(value) : pick(['%ED%A0%80', '%ff', '%C0%80'])

  function hostilePath(url: string): string {
    const [path = '', search] = url.split('?')
    const parts = path.split('/')
    if (chance(0.4)) parts[3 + Math.floor(random() * Math.max(1, parts.length - 3))] = coded(pick(STRINGS))
    const query = search === undefined ? [] : [search]
    for (let i = 0; chance(0.4) && i < 5; i++) query.push(`${coded(pick(KEYS))}=${coded(pick(STRINGS))}`)
    return parts.join('/') + (query.length > 0 ? `?${query.join('&')}` : '')
  }

  /** The value with something else in a place of it. */
  function spoil(value: unknown): unknown {
    if (Array.isArray(value) && value.length > 0 && chance(0.8)) {
      const at = Math.floor(random() * value.length)
      return value.map((each, i) => (i === at ? spoil(each) : each))
    }
    if (typeof value === 'object' && value !== null && chance(0.9)) {
      const entries = Object.entries(value)
      if (chance(0.1)) entries.push([pick(STRINGS), pick(VALUES)])
      const at = Math.floor(random() * entries.length)
      return Object.fromEntries(entries.map(([key, each], i) => [key, i === at ? spoil(each) : each]))
    }
    return pick(VALUES)
  }

  function hostileBody(body: unknown): string | Uint8Array<ArrayBuffer> {
    const text = JSON.stringify(chance(0.85) ? spoil(body) : body) ?? ''
    if (chance(0.05)) return new Uint8Array(Buffer.from(text.replaceAll('a', '\u00ff'), 'latin1'))
    if (chance(0.05)) return text.slice(0, Math.floor(random() * text.length))
    return text
  }

  return () => {
    const authorization = bearer()
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    if (chance(0.05)) {
      const isForm = chance(0.5)
      const fields = [
        'client_id',
        'redirect_uri',
        'response_type',
        'scope',
        'state',
        'nonce',
        'code_challenge',
        'code',
        'grant_type',
      ]
      const stated = fields
        .map((key) => `${key}=${key === 'client_id' && chance(0.7) ? 'portal' : coded(pick(STRINGS))}`)
        .join('&')
      if (isForm) headers['content-type'] = 'application/x-www-form-urlencoded'
      const path = `/oidc/${pick(OIDC)}`
      return {
        method: isForm ? 'POST' : 'GET',
        path: isForm ? path : `${path}?${stated}`,
        headers,
        body: isForm ? stated : undefined,
      }
    }
    const call = calls[sent++ % calls.length]
    if (!call) throw new Error('no calls')
    const path = hostilePath(call.url)
    if (call.method === 'GET' || call.method === 'DELETE')
      return { method: call.method, path, headers, body: undefined }
    headers['content-type'] = 'application/json'
    if (chance(0.1)) headers['if-match'] = pick(['*', '"x"', 'x'.repeat(900)])
    return { method: call.method, path, headers, body: hostileBody(OF_DEVICES[call.name] ?? call.body ?? {}) }
  }
}
