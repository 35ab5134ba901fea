import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import type { NoteKey } from '@custodia/sealed-log'
import * as cms from '@peculiar/asn1-cms'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as x509 from '@peculiar/asn1-x509'
import type { KeyProvider } from '../../ports/keys/port.ts'
import { noteKeys, getOrigin } from '../../sealed-log/notes.ts'

type Keys = Pick<KeyProvider, 'sign' | 'verificationKeys'>

const ED25519 = new x509.AlgorithmIdentifier({ algorithm: '1.3.101.112' })
const ECDSA_SHA256 = new x509.AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' })
const SHA256 = new x509.AlgorithmIdentifier({ algorithm: '2.16.840.1.101.3.4.2.1' })
const COMMON_NAME = '2.5.4.3'
/** A certificate without an end (RFC 5280, 4.1.2.5): evidence outlives every date. */
const NEVER = new Date('9999-12-31T23:59:59Z')

/** The key that signs a client's exports: as auditors know it, and as a self-signed certificate (PEM). */
export interface Signer {
  key: NoteKey
  certificate: string
}

/** The newest signing key. Its certificate is the same in every export of the client. */
export async function readSigner(keys: Keys, client: string): Promise<Signer> {
  const newest = (await keys.verificationKeys()).at(-1)
  const key = newest && (await noteKeys(keys, client)).get(newest.key_id)
  if (!newest || !key) throw new Error('there is no signing key')
  const public_key = createPublicKey(newest.public_key_pem)
  const certificate = await issue(keys, client, {
    serial: createHash('sha256').update(key.public_key).digest().subarray(0, 16),
    subject: getOrigin(client),
    from: newest.made_at,
    public_key,
    extensions: [
      extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: true })),
      extension(
        x509.id_ce_keyUsage,
        new x509.KeyUsage(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature),
      ),
    ],
  })
  return { key, certificate: new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString() }
}

/** Signatures of the last manifest of a bag: the bytes of Ed25519, and CMS (DER) for other programs. */
export async function signBag(
  keys: Keys,
  client: string,
  { manifest, name, now }: { manifest: Buffer; name: string; now: number },
): Promise<{ ed25519: Buffer; cms: Buffer }> {
  const { signature } = await keys.sign(manifest)
  // Programs like OpenSSL 3.0 do not verify CMS with Ed25519: a key for this export alone signs, certified by the other.
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certificate = await issue(keys, client, {
    serial: randomBytes(16),
    subject: name,
    from: now,
    public_key: publicKey,
    extensions: [extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature))],
  })
  return { ed25519: signature, cms: detached(certificate, sign('sha256', manifest, privateKey)) }
}

/** The DER of a CMS with a signature of data that it does not contain (RFC 5652). */
function detached(certificate: x509.Certificate, signature: Buffer): Buffer {
  const { issuer, serialNumber } = certificate.tbsCertificate
  const signed = new cms.SignedData({
    version: cms.CMSVersion.v1,
    digestAlgorithms: new cms.DigestAlgorithmIdentifiers([SHA256]),
    encapContentInfo: new cms.EncapsulatedContentInfo({ eContentType: cms.id_data }),
    certificates: new cms.CertificateSet([new cms.CertificateChoices({ certificate })]),
    signerInfos: new cms.SignerInfos([
      new cms.SignerInfo({
        version: cms.CMSVersion.v1,
        sid: new cms.SignerIdentifier({
          issuerAndSerialNumber: new cms.IssuerAndSerialNumber({ issuer, serialNumber }),
        }),
        digestAlgorithm: SHA256,
        signatureAlgorithm: ECDSA_SHA256,
        signature: new OctetString(signature),
      }),
    ]),
  })
  const info = new cms.ContentInfo({ contentType: cms.id_signedData, content: AsnConvert.serialize(signed) })
  return Buffer.from(AsnConvert.serialize(info))
}

interface CertificateFields {
  serial: Buffer
  subject: string
  /** Epoch seconds. */
  from: number
  public_key: KeyObject
  extensions: x509.Extension[]
}

/** A certificate that the client's key signs. */
async function issue(keys: Keys, client: string, issued: CertificateFields): Promise<x509.Certificate> {
  // A certificate's serial number is a positive integer.
  const serial = Buffer.concat([Buffer.of(0x40), issued.serial])
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: getBuffer(serial),
    signature: ED25519,
    issuer: getName(getOrigin(client)),
    validity: new x509.Validity({ notBefore: new Date(issued.from * 1000), notAfter: NEVER }),
    subject: getName(issued.subject),
    subjectPublicKeyInfo: AsnConvert.parse(
      issued.public_key.export({ format: 'der', type: 'spki' }),
      x509.SubjectPublicKeyInfo,
    ),
    extensions: new x509.Extensions(issued.extensions),
  })
  const { signature } = await keys.sign(Buffer.from(AsnConvert.serialize(tbsCertificate)))
  return new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: ED25519,
    signatureValue: getBuffer(signature),
  })
}

const getName = (text: string): x509.Name =>
  new x509.Name([
    new x509.RelativeDistinguishedName([
      new x509.AttributeTypeAndValue({
        type: COMMON_NAME,
        value: new x509.AttributeValue({ utf8String: text }),
      }),
    ]),
  ])

const extension = (extnID: string, value: unknown): x509.Extension =>
  new x509.Extension({ extnID, critical: true, extnValue: new OctetString(AsnConvert.serialize(value)) })

/** The bytes alone: a Buffer may be a part of a larger memory. */
const getBuffer = (bytes: Buffer): ArrayBuffer => Uint8Array.from(bytes).buffer
