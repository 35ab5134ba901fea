import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const der = (tag: number, ...parts: (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const seq = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const int = (...bytes: number[]) => der(0x02, Buffer.from(bytes))
const octets = (...parts: Buffer[]) => der(0x04, ...parts)

const ECDSA_SHA256 = seq(oid('2a8648ce3d040302'))
const getName = (common: string) => seq(der(0x31, seq(oid('550403'), der(0x0c, common))))
const getTime = (seconds: number) =>
  der(0x18, new Date(seconds * 1000).toISOString().replace(/[-:T]|\.\d+/g, ''))
const extension = (id: string, value: Buffer) => seq(oid(id), octets(value))

/** What a keystore says of a key; levels are 0 software, 1 trusted environment, 2 a chip of its own. */
export const keyStatement = (challenge: Buffer, levels: readonly [number, number] = [1, 1]): Buffer =>
  seq(
    int(4),
    der(0x0a, Buffer.from([levels[0]])),
    int(41),
    der(0x0a, Buffer.from([levels[1]])),
    octets(challenge),
    octets(),
    seq(),
    // A tag of more than 30, as authorisations have.
    seq(Buffer.concat([Buffer.from([0xbf, 0x85, 0x3d, 0x03]), int(1)])),
  )

export interface TestCertificate {
  name: string
  privateKey: KeyObject
  certificate: Buffer
}

/** A certificate for the given or a new key pair; self-signed without an issuer. */
export function certify({
  name = 'root',
  issuer,
  spki,
  isAuthority = true,
  statement,
  until = 4_000_000_000,
}: {
  name?: string
  issuer?: TestCertificate
  /** Of the key, in base64. */
  spki?: string
  isAuthority?: boolean
  statement?: Buffer
  /** Epoch seconds. */
  until?: number
}): TestCertificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = spki
    ? createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' })
    : pair.publicKey
  const basic = extension('551d13', seq(...(isAuthority ? [der(0x01, Buffer.from([0xff]))] : [])))
  const extensions = [basic, ...(statement ? [extension('2b06010401d679020111', statement)] : [])]
  const signed = seq(
    der(0xa0, int(2)),
    int(1, ...randomBytes(8)),
    ECDSA_SHA256,
    getName(issuer?.name ?? name),
    seq(getTime(0), getTime(until)),
    getName(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, seq(...extensions)),
  )
  const signature = sign('sha256', signed, issuer?.privateKey ?? pair.privateKey)
  const certificate = seq(signed, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature))
  return { name, privateKey: pair.privateKey, certificate }
}

/** The certificate in PEM. */
export const getPem = ({ certificate }: TestCertificate): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`
