import { createHash, createHmac, randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AuthenticateRequest } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { type Client, findClient } from '../clients/store.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { isServedAlone } from '../identity-providers/store.ts'
import type { DeviceParty } from '../ports/identity/device-party.ts'
import { ProviderUnavailable, SignInRefused } from '../ports/identity/port.ts'
import type { KeyProvider } from '../ports/keys/port.ts'

/** Seconds in which a device creates its key and authenticates with it. */
export const CHALLENGE_SECONDS = 3600
const [TIME_BYTES, RANDOM_BYTES, MAC_BYTES] = [8, 16, 32]

/**
 * Makes the challenge that a keystore attests together with a new key. The server stores none; times in epoch seconds.
 */
export async function makeChallenge(
  keys: Pick<KeyProvider, 'namedSecret'>,
  now: number,
): Promise<{ challenge: string; expires_at: number }> {
  const expires_at = now + CHALLENGE_SECONDS
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(expires_at))
  const body = Buffer.concat([time, randomBytes(RANDOM_BYTES)])
  return { challenge: Buffer.concat([body, await getMac(keys, body)]).toString('base64'), expires_at }
}

/** Whether this server made the challenge and it has not expired. */
export async function isChallenge(
  keys: Pick<KeyProvider, 'namedSecret'>,
  challenge: Buffer,
  now: number,
): Promise<boolean> {
  if (challenge.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES) return false
  const body = challenge.subarray(0, TIME_BYTES + RANDOM_BYTES)
  if (!timingSafeEqual(await getMac(keys, body), challenge.subarray(TIME_BYTES + RANDOM_BYTES))) return false
  return body.readBigUInt64BE(0) >= BigInt(now)
}

const getMac = async (keys: Pick<KeyProvider, 'namedSecret'>, body: Buffer) =>
  createHmac('sha256', await keys.namedSecret('attestation-challenges'))
    .update(body)
    .digest()

/**
 * An Android key attestation (source.android.com, "Key and ID attestation"). `@peculiar/asn1-android` 2.10 refuses
 * a description with a tag that it does not know, so a new Android version would fail until its update. Only the
 * first five fields are read here.
 */
interface KeyDescription {
  /** Whether the statement and the key are from a trusted environment or a secure element. */
  is_hardware: boolean
  challenge: Buffer
}

/** One DER element and its end. */
interface Element {
  tag: number
  content: Buffer
  end: number
}

const [INTEGER, OCTETS, OID, ENUMERATED, SEQUENCE, EXTENSIONS] = [0x02, 0x04, 0x06, 0x0a, 0x30, 0xa3]
/** 1.3.6.1.4.1.11129.2.1.17 */
const KEY_DESCRIPTION = Buffer.from('2b06010401d679020111', 'hex')
/** 0 is software. */
const HARDWARE_LEVELS = [1, 2]

/** Key description of a certificate; undefined without one. Throws when it is unreadable. */
function getKeyDescription(certificate: X509Certificate): KeyDescription | undefined {
  const [signed] = getElements(only(readElement(certificate.raw, 0), SEQUENCE))
  const fields = getElements(only(signed, SEQUENCE))
  const extensions = fields.find(({ tag }) => tag === EXTENSIONS)
  if (!extensions) return undefined
  const all = getElements(only(readElement(extensions.content, 0), SEQUENCE))
  const found = all.map((each) => getElements(only(each, SEQUENCE))).filter(([name]) => isStatement(name))
  if (found.length > 1) throw new Error('a certificate contains two key descriptions')
  const value = found[0]?.at(-1)
  return value && readStatement(only(value, OCTETS))
}

const isStatement = (name: Element | undefined) => only(name, OID).equals(KEY_DESCRIPTION)

/** Fields: attestation version and level, KeyMint version and level, challenge, others. */
function readStatement(bytes: Buffer): KeyDescription {
  const [version, level, keeper, keeper_level, challenge] = getElements(only(readElement(bytes, 0), SEQUENCE))
  for (const each of [version, keeper]) only(each, INTEGER)
  const levels = [level, keeper_level].map((each) => only(each, ENUMERATED))
  return {
    is_hardware: levels.every((each) => each.length === 1 && HARDWARE_LEVELS.includes(each[0] ?? 0)),
    challenge: only(challenge, OCTETS),
  }
}

function only(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new Error('unexpected DER element')
  return element.content
}

function getElements(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const element = readElement(bytes, at)
    elements.push(element)
    at = element.end
  }
  return elements
}

/** Supports definite lengths of up to four bytes and one-byte tags; longer tags are not needed here. */
function readElement(bytes: Buffer, start: number): Element {
  const tag = byteAt(bytes, start)
  let at = start + 1
  if ((tag & 0x1f) === 0x1f) while (byteAt(bytes, at++) & 0x80);
  const first = byteAt(bytes, at++)
  let length = first
  if (first & 0x80) {
    const size = first & 0x7f
    if (size < 1 || size > 4 || at + size > bytes.length) throw new Error('no length')
    length = bytes.readUIntBE(at, size)
    at += size
  }
  const end = at + length
  if (end > bytes.length) throw new Error('a DER element is truncated')
  return { tag, content: bytes.subarray(at, end), end }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new Error('a DER element is truncated')
  return byte
}

/**
 * Reads the certificates of a PEM file; an empty list without a file. Throws an error that names an unreadable file.
 */
export function readRoots(file: string | undefined): X509Certificate[] {
  if (file === undefined) return []
  try {
    const blocks = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    )
    if (!blocks) throw new Error('the file contains no certificate')
    return blocks.map((block) => new X509Certificate(block))
  } catch (cause) {
    throw new Error(`ATTESTATION_ROOTS: ${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

interface AttestationInput {
  /** Base64 DER certificates, the key's own first; each is issued by the next. */
  chain: readonly string[]
  device_key: string
  now: number
}

/** Returns why a chain does not prove a hardware key, or undefined when it does (docs/protocol-enrolment.md). */
export async function attestationError(
  { keys, roots }: { keys: Pick<KeyProvider, 'namedSecret'>; roots: readonly X509Certificate[] },
  { chain, device_key, now }: AttestationInput,
): Promise<string | undefined> {
  if (roots.length === 0) return 'no roots are configured'
  try {
    const certificates = chain.map((each) => new X509Certificate(Buffer.from(each, 'base64')))
    const [leaf, ...issuers] = certificates
    if (!leaf || getSpki(leaf) !== device_key) return 'the certificate is of another key'
    if (!certificates.every((each) => isValidAt(each, now))) return 'a certificate is not of this time'
    if (!isChained(certificates, roots)) return 'the chain does not end in a root'
    // Only the first certificate describes a key: a statement that an attested key signed proves nothing.
    if (issuers.some((each) => getKeyDescription(each))) return 'an issuer is itself attested'
    const description = getKeyDescription(leaf)
    if (!description) return 'the certificate says nothing of its key'
    if (!description.is_hardware) return 'the key is kept by software'
    return (await isChallenge(keys, description.challenge, now))
      ? undefined
      : 'the challenge is not of this server, or of before'
  } catch {
    return 'the chain cannot be read'
  }
}

const getSpki = ({ publicKey }: X509Certificate): string =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now * 1000 && validToDate.getTime() >= now * 1000

/** Compares roots by key, because their certificates are renewed. */
function isChained(certificates: readonly X509Certificate[], roots: readonly X509Certificate[]): boolean {
  const last = certificates.at(-1)
  if (!last || !certificates.every((each, i) => i === 0 || isIssuedBy(certificates[i - 1]!, each)))
    return false
  const isRoot = certificates.length > 1 && roots.some((root) => getSpki(root) === getSpki(last))
  return isRoot || roots.some((root) => isIssuedBy(last, root))
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

/** Finds the identity provider of a client's devices; undefined without one. */
export type FindParty = (client: Client) => DeviceParty | undefined

/**
 * Nonce of the id token, which binds the token to the device's key.
 * @param device_key base64 of its SPKI
 */
const getNonce = (device_key: string): string =>
  createHash('sha256').update(Buffer.from(device_key, 'base64')).digest('base64url')

/** Routes of the device user's sign-in. */
export const deviceIdentityRoutes = (
  ctx: Pick<AppContext, 'db' | 'log'>,
  findParty: FindParty,
): Handlers<'readDeviceIdentity' | 'exchangeDeviceCode'> => ({
  async readDeviceIdentity(_context, { query: { account_reference } }) {
    const { client, party } = await getParty(ctx, findParty, account_reference)
    const redirect_url = await party
      .signInUrl(client.client)
      .catch((error: unknown) => toResponse(ctx, error))
    return { redirect_url, client_id: party.client_id, user_pool_id: party.issuer }
  },
  async exchangeDeviceCode(_context, { body: { account_reference, ...code } }) {
    const { party } = await getParty(ctx, findParty, account_reference)
    const tokens = await party.redeem(code).catch((error: unknown) => toResponse(ctx, error))
    return { ...tokens, refresh_token: tokens.refresh_token ?? null }
  },
})

async function getParty({ db }: Pick<AppContext, 'db'>, findParty: FindParty, account_reference: string) {
  const client = await findClient(db, account_reference)
  const party = client && findParty(client)
  if (!client || !party) throw new Problem('not_found', { detail: 'the account has no sign-in on devices' })
  return { client, party }
}

/**
 * Verified email of the signed-in device user; undefined without an id token. Problems: sign_in_refused, unavailable.
 */
export async function provenAddress(
  ctx: Pick<AppContext, 'db' | 'config' | 'log'>,
  findParty: FindParty,
  client: Client,
  { id_token, device_key }: Pick<AuthenticateRequest, 'id_token' | 'device_key'>,
): Promise<string | undefined> {
  if (!id_token) return undefined
  const party = findParty(client)
  if (!party) throw new Problem('sign_in_refused', { detail: 'the account has no sign-in on devices' })
  try {
    const person = await party.getPerson(id_token, getNonce(device_key))
    const whose = person.client ?? ((await isServedAlone(ctx, client)) ? client.client : undefined)
    if (whose !== client.client) throw new SignInRefused('a person of another client')
    return person.email
  } catch (error) {
    return toResponse(ctx, error)
  }
}

/** Maps errors of the identity provider to problems. Other errors pass through. */
function toResponse({ log }: Pick<AppContext, 'log'>, error: unknown): never {
  if (error instanceof SignInRefused) throw new Problem('sign_in_refused', { detail: error.message })
  if (!(error instanceof ProviderUnavailable)) throw error
  log.warn({ err: error }, 'the identity provider is unavailable')
  throw new Problem('unavailable', { detail: error.message })
}
