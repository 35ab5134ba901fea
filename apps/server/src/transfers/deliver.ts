import { createHash } from 'node:crypto'
import type { TransferRun } from '@custodia/contract'
import { isWithinReach, type PayloadReach, type TransferFile, transferPaths } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { isDamage } from '../payloads/data-damage.ts'
import { openObject, ORIGINAL } from '../payloads/data-objects.ts'
import { getFileName } from '../payloads/data/data-headers.ts'
import { findSealedMetadata, openSealedMetadata } from '../payloads/sealed-metadata-store.ts'
import { findDataSubjects } from '../payloads/store.ts'
import { type DeliveryFormat, TargetProblem, type TargetSession } from '../ports/targets/port.ts'
import { releaseAfterUse } from '../ports/targets/release-after-use.ts'
import { csvReport, factsFile, jsonReport, reportNames } from './facts.ts'
import { type ItemPayload, listWindow, type WaitingItem } from './item-store.ts'
import type { StoredConfig } from './store.ts'
import { openSecret, getRoot } from './target.ts'

export interface Delivery {
  ctx: Pick<AppContext, 'db' | 'keys' | 'objects' | 'audit' | 'now'>
  client: string
  client_id: number
  run: TransferRun
  stored: StoredConfig
  session: TargetSession
  format: DeliveryFormat
  /** Payloads that the role currently allows. */
  reach: PayloadReach
}

export interface StoredFile {
  source_path: string | null
  dest_path: string
  encrypted: string
  decrypted: string
}

/** Delivery format of a config with its resources. Throws TargetProblem. */
export async function getFormat({
  ctx,
  client,
  stored,
}: {
  ctx: Pick<AppContext, 'keys'>
  client: string
  stored: StoredConfig
}): Promise<DeliveryFormat> {
  const { config, sealed } = stored
  const type = config.transfer_file_format
  if (type === 'PGP') return { type, public_key: config.pgp_key ?? '' }
  if (type !== 'ZippedWithPassword') return { type }
  const password = await openSecret(ctx, client, config.transfer_config_reference, sealed, 'zip_password')
  if (password === undefined) throw new TargetProblem('key_unusable', 'the password of its zip files is gone')
  return { type, password }
}

/** Puts an item on the target, its metadata file last. Throws only TargetProblem because of the item. */
export async function deliverItem(delivery: Delivery, { item, payload }: WaitingItem): Promise<StoredFile> {
  if (payload) return deliverPayload(delivery, payload)
  return deliverReport(delivery, item)
}

async function deliverPayload(delivery: Delivery, payload: ItemPayload): Promise<StoredFile> {
  const { ctx, client, client_id, session, format } = delivery
  const { payload_reference, payload_id } = payload
  const found = await ctx.db.read(client_id, async (q) => ({
    subject: (await findDataSubjects(q, [payload_reference])).get(payload_reference),
    sealed: (await findSealedMetadata(q, [payload_id]))[0],
  }))
  // The group may have changed since the run took the payload.
  if (!isWithinReach(delivery.reach, found.subject ?? payload))
    throw new TargetProblem('not_permitted', 'its role may not download it any more')
  const original = found.subject?.objects.find(({ kind }) => kind === ORIGINAL)
  if (found.subject?.payload_state !== 'Processed' || !original || !found.sealed)
    throw new TargetProblem('source_unreadable', 'the recording is no longer there')
  try {
    const meta = await openSealedMetadata(ctx, found.sealed)
    const opened = await openObject(ctx, client, payload_reference, original)
    const content = () => releaseAfterUse(opened.read(0, opened.plaintextSize))
    const sha256 = original.checksum ?? (await hashContent(content())).sha256
    const extension =
      getFileName({ ...original, payload_reference })
        .split('.')
        .at(-1) ?? 'bin'
    const paths = getPaths(delivery, { payload_time: payload.payload_time, payload_reference, extension })
    const size = opened.plaintextSize
    const done = await session.deliver({ path: paths.payload, open: content, sha256, size, format })
    const { encrypted, decrypted } = done.checksums
    const { content_type } = original
    const facts = factsFile(payload, {
      meta,
      content_type,
      size,
      encrypted_checksum: encrypted,
      decrypted_checksum: decrypted,
    })
    await session.deliver({ path: paths.facts, ...whole(facts), format })
    return { source_path: original.object_key, dest_path: done.dest_path, encrypted, decrypted }
  } catch (error) {
    if (!isDamage(error)) throw error
    throw new TargetProblem('source_unreadable', 'the recording cannot be opened', { cause: error })
  }
}

async function deliverReport(delivery: Delivery, item: string): Promise<StoredFile> {
  const { run, session, format, reach } = delivery
  if (reach.length === 0)
    throw new TargetProblem('not_permitted', 'its role may not list anything of it any more')
  const isCsv = item === reportNames(run).csv
  const paths = getPaths(delivery, {
    payload_time: run.report_to,
    prefix: 'report-',
    payload_reference: run.transfer_id,
    extension: 'csv',
  })
  const open = () => (isCsv ? csvReport(windowPages(delivery)) : jsonReport(run, windowPages(delivery)))
  const path = isCsv ? paths.payload : paths.facts
  for (let again = REPORT_TRIES; ; again--)
    try {
      const { dest_path, checksums } = await session.deliver({
        path,
        open,
        ...(await hashContent(open())),
        format,
      })
      return { source_path: null, dest_path, ...checksums }
    } catch (error) {
      // A payload of the window was deleted or restored between counting and sending: count again.
      const hasChanged = error instanceof TargetProblem && error.reason === 'source_differs'
      if (!hasChanged || again <= 1) throw error
    }
}
const REPORT_TRIES = 5

/** Payloads of a report by page. The report is read twice: for its length and checksum, and for sending. */
async function* windowPages({ ctx, client_id, run, reach }: Delivery): AsyncGenerator<ItemPayload[]> {
  for (let page: ItemPayload[], after: ItemPayload | undefined; ; after = page.at(-1)) {
    page = await ctx.db.read(client_id, (q) => listWindow(q, run, reach, after))
    if (page.length === 0) return
    yield page
  }
}

function getPaths(
  { stored: { config } }: Delivery,
  file: Pick<TransferFile, 'payload_time' | 'payload_reference' | 'prefix' | 'extension'>,
) {
  return transferPaths({ ...file, root: getRoot(config.params), format: config.transfer_file_format })
}

const whole = (content: Buffer) => ({
  async *open() {
    yield content
  },
  sha256: createHash('sha256').update(content).digest('hex'),
  size: content.length,
})

async function hashContent(content: AsyncIterable<Uint8Array>): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of content) {
    hash.update(chunk)
    size += chunk.length
  }
  return { sha256: hash.digest('hex'), size }
}
