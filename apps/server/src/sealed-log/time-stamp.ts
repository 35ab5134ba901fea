import { constants, hash, randomBytes, verify, X509Certificate } from 'node:crypto'
import { utf8 } from '@custodia/sealed-log'
import * as cms from '@peculiar/asn1-cms'
import { AsnArray, AsnConvert, AsnType, AsnTypeTypes, OctetString } from '@peculiar/asn1-schema'
import * as tsp from '@peculiar/asn1-tsp'
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { sha256 } from './notes.ts'
import { ask, type Recipient } from './share.ts'

const SHA256 = '2.16.840.1.101.3.4.2.1'
const DIGESTS: Readonly<Record<string, string>> = {
  [SHA256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const RSA_PSS = '1.2.840.113549.1.1.10'
/** Purpose of a certificate that signs time stamps (RFC 3161, 2.3). */
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'

/** DER of a request for a time stamp of a SHA-256, with the authority's certificate. */
function timeStampRequest(digest: Buffer, nonce: Buffer): Buffer {
  const messageImprint = new tsp.MessageImprint({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA256, parameters: null }),
    hashedMessage: new OctetString(digest),
  })
  const request = new tsp.TimeStampReq({
    messageImprint,
    nonce: Uint8Array.from(nonce).buffer,
    certReq: true,
  })
  return Buffer.from(AsnConvert.serialize(request))
}

/**
 * Whether a response contains a signed time stamp of this digest and nonce. Who issued the certificate in it, an auditor
 * verifies.
 */
function isStamped(response: Buffer, digest: Buffer, nonce: Buffer): boolean {
  try {
    const { status, timeStampToken } = AsnConvert.parse(response, tsp.TimeStampResp)
    if (!timeStampToken || status.status > tsp.PKIStatus.grantedWithMods) return false
    const signed = AsnConvert.parse(timeStampToken.content, cms.SignedData)
    const content = signed.encapContentInfo.eContent?.single?.buffer
    if (!content || signed.encapContentInfo.eContentType !== tsp.id_ct_tstInfo) return false
    const stamp = AsnConvert.parse(content, tsp.TSTInfo)
    return (
      stamp.messageImprint.hashAlgorithm.algorithm === SHA256 &&
      digest.equals(Buffer.from(stamp.messageImprint.hashedMessage.buffer)) &&
      stamp.nonce !== undefined &&
      nonce.equals(Buffer.from(stamp.nonce)) &&
      isSigned(signed, Buffer.from(content))
    )
  } catch {
    return false
  }
}

/** The attributes of a signature as they are signed: a set in the order received. */
class SignedAttributes extends AsnArray<cms.Attribute> {}
AsnType({ type: AsnTypeTypes.Set, itemType: cms.Attribute })(SignedAttributes)

/** Whether a certificate for time stamps in a CMS signed its content (RFC 5652, 5.4). */
function isSigned({ certificates, signerInfos }: cms.SignedData, content: Buffer): boolean {
  const [signer, ...others] = signerInfos
  const attributes = signer?.signedAttrs ?? []
  const digest = DIGESTS[signer?.digestAlgorithm.algorithm ?? '']
  const stated = attributes.find(({ attrType }) => attrType === MESSAGE_DIGEST)?.attrValues[0]
  if (!signer || others.length > 0 || !digest || !stated) return false
  if (!hash(digest, content, 'buffer').equals(Buffer.from(AsnConvert.parse(stated, OctetString).buffer)))
    return false
  const data = Buffer.from(AsnConvert.serialize(new SignedAttributes(attributes)))
  const signature = Buffer.from(signer.signature.buffer)
  const isPss = signer.signatureAlgorithm.algorithm === RSA_PSS
  return (certificates ?? []).some(({ certificate }) => {
    if (!certificate) return false
    const { publicKey, keyUsage } = new X509Certificate(Buffer.from(AsnConvert.serialize(certificate)))
    const key = isPss ? { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING } : publicKey
    return keyUsage.includes(TIME_STAMPING) && verify(digest, data, key, signature)
  })
}

/** Has checkpoints stamped by a time-stamping authority (RFC 3161); the response is the receipt. */
export const timeStampRecipient = (url: string): Recipient => ({
  holder: `time stamp of ${new URL(url).host}`,
  async hold({ checkpoint }, signal) {
    const digest = Buffer.from(sha256(utf8(checkpoint)))
    const nonce = randomBytes(8)
    nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40
    const { status, body: receipt } = await ask(url, timeStampRequest(digest, nonce), signal, {
      'content-type': 'application/timestamp-query',
    })
    if (status !== 200 || !isStamped(receipt, digest, nonce))
      throw new Error(`the time-stamping authority sent no valid time stamp (${status})`)
    return { receipt }
  },
})
