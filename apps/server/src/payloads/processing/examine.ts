import { createHash } from 'node:crypto'
import {
  MESSAGE_TYPES,
  PARSE_OPTIONS,
  PAYLOAD_META,
  type PayloadMeta,
  type PayloadType,
  toFaults,
} from '@custodia/contract'
import {
  associatedData,
  EnvelopeError,
  hashing,
  metaKind,
  openMeta,
  openRange,
  openSequential,
} from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import { isCheapToParse } from '../../http/cheap-json.ts'
import { dekContext } from '../../ports/keys/contexts.ts'
import { openDeviceDek } from '../../ports/keys/device-dek.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { type MediaSource, sniff, SNIFF_SIZE } from '../../ports/media/index.ts'
import { ObjectNotFound } from '../../ports/objects/port.ts'
import { ScanLimitExceeded } from '../../ports/scanner/port.ts'
import { attachmentKind, MESSAGE_CONTENT, MAX_OWN_TEXT, ORIGINAL, TEXT, WHOLE_TEXT } from '../data-objects.ts'
import { beginAttempt, ProcessingFailure, type Subject } from './attempts-store.ts'
import { examineMedia, type MediaVerdict } from './derive-media.ts'
import { getBytes, isLong, messageText, getSize } from './message-parts.ts'
import { ObjectMaker, type StoredDerivation } from './object-maker.ts'
import { type Message, readMessage, type ReadOptions } from './read-message.ts'

interface OpenedMetadata {
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
  const { client, payload_reference, payload_type, iv } = subject
  let opened: unknown
  try {
    // PostgreSQL breaks base64 into lines.
    opened = openMeta(
      dek,
      { client, payload_reference, kind: metaKind(payload_type) },
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
  const parsed = PAYLOAD_META[payload_type].safeParse(opened, PARSE_OPTIONS)
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
    return await openDeviceDek(keys, subject)
  } catch (error) {
    if (error instanceof CiphertextRefused || error instanceof KeyUnknown) {
      throw new ProcessingFailure('undecryptable_key', error.message)
    }
    throw error
  }
}

/** Base64 length of the bytes that identify an attachment's type. */
const SNIFFED = 4 * Math.ceil(SNIFF_SIZE / 3)

const isMessage = (type: PayloadType): boolean => (MESSAGE_TYPES as readonly PayloadType[]).includes(type)

/** Validates a message document and stores each attachment as an object, and the text unless the document is no more. */
async function deriveMessage(
  source: MediaSource,
  maker: ObjectMaker,
  options: ReadOptions,
): Promise<MediaVerdict> {
  await readMessage(source, options, async (message) => {
    const found = message.attachments.map((place) => ({
      ...place,
      content_type: getType(message.document, place),
      size: getSize(message.document, place),
    }))
    for (const [part, { content_type, ...place }] of found.entries())
      await maker.make(attachmentKind(part), content_type, getBytes(message.document, place))
    const isOwnText = found.length === 0 && !isLong(message.text) && source.size <= MAX_OWN_TEXT
    if (!isOwnText) await makeText(message, found, maker)
  })
  return { content_type: MESSAGE_CONTENT, details: { is_playable: true } }
}

/** Stores the text for conversations, and the full text of a long one. */
async function makeText(
  message: Message,
  found: readonly { content_type: string; size: number }[],
  maker: ObjectMaker,
): Promise<void> {
  await maker.make(TEXT, 'application/json', one(JSON.stringify(messageText(message, found))))
  if (isLong(message.text)) await maker.make(WHOLE_TEXT, 'text/plain', one(message.text))
}

/** The announced type comes from the sender; the bytes show the real one. */
function getType(document: Buffer, { start, end }: { start: number; end: number }): string {
  const head = document.toString('latin1', start, Math.min(end, start + SNIFFED))
  return sniff(Buffer.from(head, 'base64')).content_type
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** The result of examining a payload's data, ready to commit. */
export interface ExaminedData {
  objects: StoredDerivation[]
  /** Removes the derived objects when they are not committed. */
  discard(): Promise<void>
}

/**
 * One pass over the sealed bytes: checksum, segments, digest of the plaintext, scanner; messages are split
 * into parts. A separate job prepares playback. Plaintext exists only in memory and pipes. Throws
 * ProcessingFailure with the reason.
 */
export async function examine(
  ctx: AppContext,
  subject: Subject,
  { dek }: OpenedMetadata,
  signal: AbortSignal,
): Promise<ExaminedData> {
  const read = reader(ctx, subject)
  const passed = await pass(ctx, subject, dek, read, signal)
  const maker = new ObjectMaker(ctx, subject)
  try {
    const verdict = isMessage(subject.payload_type)
      ? await deriveMessage(passed.opened ?? (await openSource(subject, dek, read)), maker, {
          signal,
          beforeThread: () => beginAttempt(ctx, subject),
        })
      : examineMedia(ctx, passed.head)
    const original = await getOriginal(ctx, subject, dek, passed, verdict)
    return { objects: [original, ...maker.made], discard: () => maker.discard() }
  } catch (error) {
    await maker.discard()
    throw error
  }
}

interface PassResult {
  /** SHA-256 of the plaintext. */
  checksum: string
  size: number
  /** The first bytes, which identify the format. */
  head: Buffer
  /** All bytes of a message that is small enough for memory. */
  opened: MediaSource | undefined
}

type Read = (range?: { start: number; end: number }) => AsyncIterable<Uint8Array>

/** Most bytes of an object that is read once and kept in memory. */
const KEPT = 1024 ** 2

/** Reads the stored bytes. */
function reader({ objects }: AppContext, { object_key, size }: Subject): Read {
  if (size > KEPT) return (range) => objects.read(object_key, range)
  let kept: Promise<Buffer> | undefined
  return async function* (range) {
    kept ??= whole(objects.read(object_key))
    yield (await kept).subarray(range?.start, range?.end)
  }
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function pass(
  ctx: AppContext,
  subject: Subject,
  dek: Buffer,
  read: Read,
  signal: AbortSignal,
): Promise<PassResult> {
  const hash = createHash('sha256')
  const heads: Buffer[] = []
  const kept = isMessage(subject.payload_type) && subject.size <= KEPT ? ([] as Buffer[]) : undefined
  let size = 0
  let is_whole = false
  const aad = associatedData({ ...subject, kind: ORIGINAL })
  const sealed = createHash('sha256')
  async function* ciphertext() {
    for await (const chunk of read()) {
      signal.throwIfAborted()
      sealed.update(chunk)
      yield chunk
    }
  }
  async function* opened() {
    for await (const chunk of openSequential(dek, aad, ciphertext())) {
      hash.update(chunk)
      if (size < SNIFF_SIZE) heads.push(chunk.subarray(0, SNIFF_SIZE - size))
      size += chunk.length
      kept?.push(chunk)
      yield chunk
    }
    is_whole = true
  }
  try {
    await scanOrDrain(ctx, opened())
    // A scanner may respond before the end; the unread rest must be valid all the same.
    if (!is_whole) throw new ProcessingFailure('scan_limit_exceeded', 'the scanner did not read to the end')
  } catch (error) {
    if (error instanceof EnvelopeError) throw await classify(subject, error, read)
    // The device keeps its copy until the status `processed`, so a new upload loses nothing.
    if (error instanceof ObjectNotFound) throw new ProcessingFailure('wrong_size', 'the object is missing')
    throw error
  }
  if (sealed.digest('hex') !== subject.checksum)
    throw new ProcessingFailure('wrong_checksum', 'the stored bytes are others')
  return {
    checksum: hash.digest('hex'),
    size,
    head: Buffer.concat(heads),
    opened: kept && inMemory(Buffer.concat(kept)),
  }
}

const inMemory = (bytes: Buffer): MediaSource => ({
  size: bytes.length,
  async *read(start, end) {
    yield bytes.subarray(start, end)
  },
})

async function scanOrDrain({ scanner }: AppContext, opened: AsyncIterable<Uint8Array>): Promise<void> {
  if (!scanner.configured) {
    for await (const _ of opened);
    return
  }
  try {
    const verdict = await scanner.scan(opened)
    if (verdict.infected) throw new ProcessingFailure('malware_found', verdict.signature)
  } catch (error) {
    if (error instanceof ScanLimitExceeded) throw new ProcessingFailure('scan_limit_exceeded', error.message)
    throw error
  }
}

/** Bytes that cannot be opened: other bytes than announced (the device sends again), or wrongly sealed. */
async function classify(subject: Subject, error: EnvelopeError, read: Read): Promise<ProcessingFailure> {
  const stored = hashing(read())
  for await (const _ of stored.stream);
  if (stored.size() !== subject.size)
    return new ProcessingFailure('wrong_size', `${stored.size()} bytes are stored`)
  if (stored.digest() !== subject.checksum)
    return new ProcessingFailure('wrong_checksum', 'the stored bytes are others')
  return new ProcessingFailure(error.code === 'truncated' ? 'truncated_data' : 'tampered_data', error.message)
}

async function openSource(subject: Subject, dek: Buffer, read: Read): Promise<MediaSource> {
  const opened = await openRange(dek, associatedData({ ...subject, kind: ORIGINAL }), {
    size: subject.size,
    read: (start, end) => read({ start, end }),
  })
  return { size: opened.plaintextSize, read: (start, end) => opened.read(start, end) }
}

/** The device's own bytes stay unchanged; only their key is wrapped again, for storage. */
async function getOriginal(
  ctx: AppContext,
  subject: Subject,
  dek: Buffer,
  { checksum, size }: PassResult,
  { content_type, details }: MediaVerdict,
): Promise<StoredDerivation> {
  return {
    kind: ORIGINAL,
    object_key: subject.object_key,
    wrapped_dek: await ctx.keys.put(dek, dekContext(subject.client, subject.payload_reference)),
    sealed_size: subject.size,
    size,
    content_type,
    checksum,
    details: { ...details, scanner: ctx.scanner.configured ? 'clamd' : 'none' },
  }
}
