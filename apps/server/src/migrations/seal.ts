import { createHash } from 'node:crypto'
import {
  type Announcement,
  isDataless,
  type MessageDocument,
  MESSAGE_TYPES,
  type PayloadType,
} from '@custodia/contract'
import type { migration } from '@custodia/domain'
import { associatedData, metaKind, newDek, seal, sealMeta, wrapDek } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { originalKey } from '../payloads/original-key.ts'
import { type NoteRead, readScanned } from './folder.ts'
import type { Progress } from './progress.ts'

/** Target of the sealing and the file folder. */
export interface SealTarget {
  ctx: Pick<AppContext, 'objects' | 'keys'>
  client: string
  /** Newest public key of the client. */
  key: { key_id: string; public_key: string }
  folder: string
  media: ReadonlyMap<string, { size: number; sha256: string }>
  progress: Progress
}

/** Seals a legacy payload under its own data key and stores its bytes durably. Its reference must be unused. */
export async function sealRow(
  sealing: SealTarget,
  row: migration.PayloadRow,
  payload_reference: string,
): Promise<{ announcement: Announcement; fingerprint: Buffer; source_sha256: string | null }> {
  const { client, key } = sealing
  const dek = newDek()
  try {
    const ids = { client, payload_reference }
    const stored = row.data_follows ? undefined : await storeData(sealing, row, payload_reference, dek)
    const meta = { ...row.meta, payload_reference }
    const sized = 'size' in meta ? { ...meta, size: stored?.plain ?? 0 } : meta
    const announcement: Announcement = {
      payload_reference,
      payload_type: row.payload_type,
      payload_time: meta.payload_time,
      ...('payload_end_time' in meta ? { payload_end_time: meta.payload_end_time as number } : {}),
      key_id: key.key_id,
      encrypted_dek: wrapDek(key.public_key, dek),
      ...sealMeta(dek, { ...ids, kind: metaKind(row.payload_type) }, sized),
      ...(stored && { checksum: stored.checksum, size: stored.size }),
    }
    const fingerprint = createHash('sha256').update(JSON.stringify(announcement)).digest()
    return { announcement, fingerprint, source_sha256: stored?.source_sha256 ?? null }
  } finally {
    dek.fill(0)
  }
}

/** Seals and stores the data of a row; undefined for kinds without data. */
export async function storeData(
  { ctx, client, folder, media, progress }: SealTarget,
  row: migration.PayloadRow,
  payload_reference: string,
  dek: Buffer,
): Promise<{ checksum: string; size: number; plain: number; source_sha256: string } | undefined> {
  if (isDataless(row.payload_type)) return undefined
  const files = row.media.map((name) => {
    const found = media.get(name)
    if (!found) throw new Error('the row was decided without its data')
    return { filename: `media/${name}`, ...found }
  })
  const source = isMessage(row.payload_type)
    ? document(folder, row.text ?? '', files, progress.noteRead)
    : files[0] && readScanned(folder, files[0], progress.noteRead)
  if (!source) return undefined
  const hash = createHash('sha256')
  const aad = associatedData({ client, payload_reference, kind: 'original' })
  const sealed = seal(dek, aad, hashed(source, hash, progress.noteRead))
  const { sha256, size } = await progress.orCut(
    ctx.objects.put(originalKey(client, payload_reference, 0), sealed),
  )
  // The checksum of a scanned file or an assembled message.
  return { checksum: sha256, size, plain: files[0]?.size ?? 0, source_sha256: hash.digest('hex') }
}

/** Throws after the run was aborted: its data key is erased, so nothing more may be sealed. */
async function* hashed(
  source: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
  noteRead: NoteRead,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    noteRead(0)
    hash.update(chunk)
    yield chunk
  }
  noteRead(0)
}

const isMessage = (type: PayloadType) => (MESSAGE_TYPES as readonly PayloadType[]).includes(type)

/** Builds a message in the devices' format. */
async function* document(
  folder: string,
  text: string,
  files: readonly { filename: string; sha256: string }[],
  noteRead: NoteRead,
): AsyncGenerator<Buffer> {
  const attachments: NonNullable<MessageDocument['attachments']> = []
  for (const file of files) {
    const chunks: Buffer[] = []
    for await (const chunk of readScanned(folder, file, noteRead)) chunks.push(chunk)
    attachments.push({
      name: (file.filename.split('/').at(-1) ?? '').slice(0, 255),
      content_type: 'application/octet-stream',
      data: Buffer.concat(chunks).toString('base64'),
    })
  }
  const stated: MessageDocument = { text, ...(attachments.length > 0 && { attachments }) }
  yield Buffer.from(JSON.stringify(stated))
}
