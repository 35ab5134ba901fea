import { canonical } from './canonical.ts'

type Words<T extends string> = T extends `${infer First} ${infer Rest}` ? First | Words<Rest> : T

/** Kinds of signed documents by their signed member: title, and facts that verifiers show. */
const kind =
  <M extends string>(member: M) =>
  <F extends string>(title: string, facts: F) => ({ member, title, facts: facts.split(' ') as Words<F>[] })
const certificate = kind('certificate')
const reconciliation = kind('reconciliation')
const report = kind('report')
const statement = kind('statement')

/** Every kind of document that the server signs as JSON. */
export const SIGNED_FILES = {
  'custodia.access/1': report('Access report', 'payload_reference from to could did'),
  'custodia.capture/1': statement('Statement of completeness', 'day recorded archived queued explained missing'),
  'custodia.client-deletion/1': certificate('Certificate of a deleted account', 'proposed_by deleted_by deleted_at'),
  'custodia.destruction/1': certificate('Certificate of destruction', 'certificate_reference ended_at payloads'),
  'custodia.recertification/1': report('Recertification of access', 'name started_at ended_at confirmed revoked'),
  'custodia.reconciliation/1': reconciliation('Reconciliation of a transfer', 'payload_date captured delivered missing'),
  'custodia.reviews/1': report('Review coverage', 'reader from to groups heard reviewed'),
  'custodia.support/1': report('Report of a support session', 'request_reference requested_by step_count started_at'),
} as const
export type SignedFormat = keyof typeof SIGNED_FILES
/** A member of a signed document that verifiers show, wherever it is in its outer objects. */
export type SignedFact = 'client' | 'issued_at' | (typeof SIGNED_FILES)[SignedFormat]['facts'][number]

type Json = Readonly<Record<string, unknown>>

/** A signed document as its file contains it. */
export interface SignedFile {
  format: SignedFormat
  signed: Json
  key_id: string
  /** The text that the key signed. */
  body: string
  /** Base64; undefined: the file has other members or another spelling than the server writes. */
  signature: string | undefined
}

/** The signed document of a text; undefined for another text, for example one that was cut off. */
export function readSigned(text: string): SignedFile | undefined {
  try {
    const file = JSON.parse(text) as Json
    const plain = text.replaceAll('\r\n', '\n').trim()
    for (const format of Object.keys(SIGNED_FILES) as SignedFormat[]) {
      const { [SIGNED_FILES[format].member]: member, signature, ...others } = file
      const [signed, { algorithm, key_id, value, ...rest }] = [Object(member) as Json, Object(signature) as Json]
      if (signed.format !== format || typeof key_id !== 'string' || typeof value !== 'string') continue
      // Of two members with one name, programs and people read different ones.
      const isExact = [undefined, 2].some((indent) => JSON.stringify(file, null, indent) === plain)
      const isWhole = isExact && algorithm === 'Ed25519' && Object.keys({ ...others, ...rest }).length === 0
      return { format, signed, key_id, body: canonical(signed), signature: isWhole ? String(value) : undefined }
    }
  } catch {
    // Cut off, nested too deep, or with numbers that no server signs.
  }
  return undefined
}
