import {
  type Payload,
  PayloadDocument,
  type PayloadMedia,
  type RetentionDisposition,
} from '@custodia/contract'
import { hasData, type RetentionItem, isPlayed } from '@custodia/domain'
import { mayKnowHolds } from '../../access/holds.ts'
import type { AppContext } from '../../app-context.ts'
import { findHeld, findHolders } from '../../held-records/store.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { STATE_CODES, stateIfAny, stateOfCode, typeOfCode } from '../../payload-records/codes.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { readDeviceDek } from '../../ports/keys/device-dek.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { ORIGINAL, PEAKS, PLAYBACK } from '../data-objects.ts'
import { findPlayhead } from '../playheads/store.ts'
import { findParts } from '../plays/store.ts'
import { findSealedMetadata, openSealedMetadata, type SealedMetadata } from '../sealed-metadata-store.ts'
import { type DataSubject, findDataSubjects, readOwn } from '../store.ts'
import { withoutContent } from '../without-content.ts'
import {
  findPayload,
  findReceipts,
  findRelatives,
  findReview,
  type PayloadRow,
  readInFile,
} from './read-store.ts'

/** The retention facts of a payload. Retention is a higher module, so the server injects these functions. */
export interface RetentionFacts {
  getDisposition(q: Queryable, payload: DisposablePayload): Promise<RetentionDisposition | null>
  getTransferred(q: Queryable, payload: DisposablePayload): Promise<number | undefined>
}

type DisposablePayload = { payload_id: number } & Omit<
  RetentionItem,
  | 'deleted_at'
  | 'transferred_at'
  | 'receipt_confirmed_at'
  | 'is_alerted'
  | 'is_written_off'
  | 'awaits_sign_off'
>

/** One payload with its metadata, which is decrypted for this call. */
export function readPayload(ctx: AppContext, facts: RetentionFacts): Handler<'readPayload'> {
  return async (context, { params: { payload_reference } }) => {
    const { client, client_id } = context.caller
    const found = await context.readFromReplica((q) => findAll(q, facts, context, payload_reference))
    const { row, receipt, review, playhead, is_held, subject, relatives } = found
    const copies = relatives.flatMap(({ is_first, payload_reference: copy }) => (is_first ? [] : [copy]))
    const showsContent = mayShowContent(context.caller, row)
    const meta = await getMeta(ctx, client_id, found)
    const document = getDocument(row, meta)
    const media = await getMedia(ctx, context.caller, found, meta)
    return {
      client,
      ...getAnnounced(row),
      ...(showsContent ? document : withoutContent(document)),
      device_ip: row.device_ip,
      key_id: row.key_id,
      encrypted_dek: (await getDeviceDek(ctx, context.caller, row)) ?? null,
      checksum: row.checksum,
      meta: (showsContent ? meta : withoutNotes(meta)) ?? null,
      all_numbers: row.all_numbers,
      second_party_numbers: row.second_party_numbers,
      transferred_at: found.transferred_at ?? null,
      receipt_confirmed_at: receipt?.confirmed_at ?? null,
      receipt_confirmed_by: receipt?.client_app_user ?? null,
      updated_by: row.updated_by,
      ...present({
        iv: row.iv,
        payload_end_time: row.payload_end_time,
        copy_of: relatives.find(({ is_first }) => is_first)?.payload_reference,
        copies: copies.length > 0 ? copies : undefined,
        restored_at: row.restored_at,
        written_off_at: row.written_off_at,
        written_off_by: row.written_off_by,
        state_before_deletion:
          row.state === STATE_CODES.Deleted ? stateIfAny(row.state_before_deletion) : undefined,
        receipt_is_of_person: receipt?.is_person,
        review,
        playhead,
        is_held,
        media,
      }),
      ...objectFields(subject, ctx.config.s3?.bucket ?? LOCAL_BUCKET),
      announced_at: row.announced_at,
      retention: found.retention,
    }
  }
}

/** Everything that is stored about a payload and that the caller may know. */
async function findAll(
  q: Queryable,
  facts: RetentionFacts,
  context: PortalContext,
  payload_reference: string,
) {
  const row = await payloadInReach(q, context, 'payloads:read', payload_reference)
  const [receipt] = await findReceipts(q, row.payload_id)
  const subject = (await findDataSubjects(q, [payload_reference])).get(payload_reference)
  const { caller, now } = context
  const may = (action: string) =>
    caller.access.permits(action, { group_id: row.group_id, payload_type: typeOfCode(row.type) })
  const review = may('payloads.marks:list')
    ? {
        ...(await findReview(q, row.payload_id, getActor(caller))),
        own: await readOwn(q, row.payload_id, caller),
        ...(isPlayed(typeOfCode(row.type)) && (await getPlayed(q, row, subject, getActor(caller)))),
      }
    : undefined
  const playhead = may('payloads.playhead:update')
    ? await findPlayhead(q, row.payload_id, { person: getActor(caller), now })
    : undefined
  const is_held = mayKnowHolds(caller.access)
    ? (await findHeld(q, [row.payload_id])).has(row.payload_id)
    : undefined
  const retention = await getRetention(q, facts, row, mayKnowHolds(caller.access))
  const transferred_at = await facts.getTransferred(q, retentionInput(row))
  const [sealed] = await findSealedMetadata(q, [row.payload_id])
  const relatives = (await findRelatives(q, row.payload_id)).filter(({ group_id, type }) =>
    context.caller.access.permits('payloads:read', { group_id, payload_type: typeOfCode(type) }),
  )
  return { row, receipt, review, playhead, is_held, retention, transferred_at, subject, sealed, relatives }
}

/** What the reader has played of a recording, and its length. */
async function getPlayed(q: Queryable, row: PayloadRow, subject: DataSubject | undefined, reader: string) {
  const original = subject?.objects.find(({ kind }) => kind === ORIGINAL)
  const length = original?.details.duration ?? getDocument(row).duration
  return { parts: await findParts(q, row.payload_id, reader), ...(length !== undefined && { length }) }
}

/** The fields of a payload that policies use. */
const retentionInput = (row: PayloadRow) => ({
  ...row,
  payload_type: typeOfCode(row.type),
  payload_state: stateOfCode(row.state),
  state_before_deletion: stateIfAny(row.state_before_deletion) ?? null,
  payload_time: row.listed_at ?? row.payload_time,
})

/** The retention of a payload; hides a legal hold from callers who may not see holds. */
async function getRetention(
  q: Queryable,
  facts: RetentionFacts,
  row: PayloadRow,
  knowsHolds: boolean,
): Promise<RetentionDisposition | null> {
  const disposition = await facts.getDisposition(q, retentionInput(row))
  if (!disposition?.blocked_by.includes('held')) return disposition
  return knowsHolds
    ? { ...disposition, held_by: await findHolders(q, row.payload_id) }
    : { ...disposition, blocked_by: disposition.blocked_by.filter((each) => each !== 'held') }
}

/** The data key as the device announced it; reports an unreadable one to the client's staff and returns undefined. */
async function getDeviceDek(
  ctx: AppContext,
  { client, client_id }: PortalContext['caller'],
  { payload_reference, encrypted_dek, dek_key }: PayloadRow,
): Promise<string | undefined> {
  if (encrypted_dek === null) return undefined
  try {
    return await readDeviceDek(ctx.keys, { client, payload_reference, encrypted_dek, dek_key })
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { client_id, payload_reference, kind: 'meta' }, error)
    return undefined
  }
}

type Meta = Record<string, unknown>

/** The metadata; undefined before processing. Reports damaged metadata to the client's staff and returns undefined. */
async function getMeta(
  ctx: AppContext,
  client_id: number,
  { row: { payload_reference }, sealed }: { row: PayloadRow; sealed: SealedMetadata | undefined },
): Promise<Meta | undefined> {
  if (!sealed) return undefined
  try {
    return await openSealedMetadata(ctx, sealed)
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { client_id, payload_reference, kind: 'meta' }, error)
    return undefined
  }
}

/**
 * Whether the caller may see content next to metadata: notes or a waveform. In support mode the approved role must also
 * permit playback.
 */
export function mayShowContent(
  { support_reference, access }: PortalContext['caller'],
  { group_id, type }: Pick<PayloadRow, 'group_id' | 'type'>,
): boolean {
  if (support_reference === undefined) return true
  return access.permits('payloads:play', { group_id, payload_type: typeOfCode(type) })
}

/** The metadata without the recorder's notes. */
function withoutNotes(meta: Meta | undefined): Meta | undefined {
  if (meta === undefined) return undefined
  const { payload_notes: _notes, ...rest } = meta
  return rest
}

/** The payload when the caller may do this with it. Problem: not_found, also when it is not visible. */
export async function payloadInReach(
  q: Queryable,
  { caller }: Pick<PortalContext, 'caller'>,
  action: string,
  payload_reference: string,
): Promise<PayloadRow> {
  const row = await findPayload(q, payload_reference)
  const target = row && { group_id: row.group_id, payload_type: typeOfCode(row.type) }
  if (!row || !target || !caller.access.permits(action, target))
    throw new Problem('not_found', { detail: row ? 'out of reach' : 'no such payload' })
  return row
}

function getAnnounced(row: PayloadRow) {
  return {
    payload_reference: row.payload_reference,
    payload_type: typeOfCode(row.type),
    payload_state: stateOfCode(row.state),
    payload_time: row.payload_time,
    device_reference: row.device_reference,
    device_user_reference: row.device_user_reference,
    group: row.group,
    is_late: row.is_late,
    is_legacy: row.is_legacy,
    updated_at: row.updated_at,
    uploaded_at: row.uploaded_at,
    processed_at: row.processed_at,
    legacy_payload_reference: row.legacy_payload_reference,
    legacy_processed_time: row.legacy_processed_time,
    ...present({
      listed_at: row.listed_at,
      failure: row.failure,
      device_model: row.device_model,
      person_name: row.person_name,
    }),
  }
}

/** The bucket name in paths when the objects are files of the data folder. */
const LOCAL_BUCKET = 'local'

/** The list row of a payload, with the notes of its metadata. */
function getDocument({ list_doc }: PayloadRow, meta: Meta = {}): PayloadDocument {
  if (list_doc === null) return {}
  const document = PayloadDocument.parse(JSON.parse(list_doc))
  const { payload_notes, reason_for_blocking } = meta
  if (typeof payload_notes === 'string') document.notes = payload_notes
  if (typeof reason_for_blocking === 'string') document.reason_for_blocking = reason_for_blocking
  return document
}

function objectFields(
  subject: DataSubject | undefined,
  bucket: string,
): Partial<Payload> & Pick<Payload, 's3_path'> {
  const original = subject?.objects.find(({ kind }) => kind === ORIGINAL)
  if (!subject || !original) return { s3_path: null }
  return {
    s3_path: `s3://${bucket}/${original.object_key}`,
    ...(original.checksum ? { decrypted_checksum: original.checksum } : {}),
    ...(original.details.scanner ? { scanner: original.details.scanner } : {}),
  }
}

/** The media facts; undefined without data. Facts from a photo's file are content, like the photo. */
async function getMedia(
  ctx: AppContext,
  caller: PortalContext['caller'],
  { row, subject }: { row: PayloadRow; subject: DataSubject | undefined },
  meta: Meta | undefined,
): Promise<PayloadMedia | undefined> {
  const original = subject?.objects.find(({ kind }) => kind === ORIGINAL)
  if (!subject || !original || !hasData(subject)) return undefined
  const media = playedAs(subject, original, mayShowContent(caller, row))
  if (original.content_type !== 'image/jpeg' || !caller.access.permits('payloads:play', subject)) return media
  const { client, client_id } = caller
  const { payload_reference } = row
  try {
    const in_file = await readInFile(ctx, client, payload_reference, original, meta)
    return in_file ? { ...media, in_file } : media
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { client_id, payload_reference, kind: ORIGINAL }, error)
    return media
  }
}

function playedAs(
  { objects }: DataSubject,
  original: DataSubject['objects'][number],
  showsContent: boolean,
): PayloadMedia {
  const rendition = objects.find(({ kind }) => kind === PLAYBACK)
  const played = original.details.is_playable ? original : rendition
  const {
    is_playable: _own,
    unplayable_reason,
    scanner: _scanner,
    being_prepared,
    ...details
  } = original.details
  return {
    content_type: original.content_type,
    size: original.size,
    ...details,
    is_playable: played !== undefined,
    ...(played
      ? {
          playback: played === original ? 'original' : 'rendition',
          playback_content_type: played.content_type,
        }
      : unplayable_reason && { unplayable_reason }),
    has_peaks: showsContent && objects.some(({ kind }) => kind === PEAKS),
    being_prepared: being_prepared === true,
  }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<T>
}
