import { PARSE_OPTIONS, PAYLOAD_META, type PayloadMeta, toFaults } from '@custodia/contract'
import { EnvelopeError, openMeta } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import { isCheapToParse } from '../../http/cheap-json.ts'
import { openPhoneDek } from '../../ports/keys/phone-dek.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { ProcessingFailure } from '../failures.ts'
import type { Subject } from './subject-store.ts'

export interface OpenedMetadata {
  /** The device's data key. */
  dek: Buffer
  metadata: PayloadMeta
}

/**
 * Opens the data key and the sealed metadata, and checks their form and that they belong to the announced
 * recording.
 */
export async function openMetadata(ctx: Pick<AppContext, 'keys'>, subject: Subject): Promise<OpenedMetadata> {
  const dek = await unwrap(ctx, subject)
  const { client, payload_reference, iv } = subject
  let opened: unknown
  try {
    // PostgreSQL breaks base64 into lines.
    opened = openMeta(
      dek,
      { client, payload_reference },
      iv,
      subject.meta.replaceAll('\n', ''),
      isCheapToParse,
    )
  } catch (error) {
    if (error instanceof EnvelopeError && error.code === 'out_of_range')
      throw new ProcessingFailure('malformed_meta', error.message)
    if (error instanceof EnvelopeError) throw new ProcessingFailure('undecryptable_meta', error.message)
    throw error
  }
  const parsed = PAYLOAD_META[subject.payload_type].safeParse(opened, PARSE_OPTIONS)
  if (!parsed.success) {
    const paths = toFaults(parsed.error.issues).map((fault) => `${fault.path} (${fault.code})`)
    throw new ProcessingFailure('malformed_meta', paths.slice(0, 10).join(', '))
  }
  const metadata: PayloadMeta = parsed.data
  if (metadata.payload_reference !== payload_reference || metadata.payload_time !== subject.reported_time) {
    throw new ProcessingFailure('meta_mismatch', 'reference or time differ from the announcement')
  }
  return { dek, metadata }
}

async function unwrap({ keys }: Pick<AppContext, 'keys'>, subject: Subject): Promise<Buffer> {
  if (!subject.is_own_key) throw new ProcessingFailure('undecryptable_key', 'the key is not of this client')
  try {
    return await openPhoneDek(keys, subject)
  } catch (error) {
    if (error instanceof CiphertextRefused || error instanceof KeyUnknown) {
      throw new ProcessingFailure('undecryptable_key', error.message)
    }
    throw error
  }
}
