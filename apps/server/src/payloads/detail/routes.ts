import {
  CARD_NOTES,
  type PayloadContents,
  Peaks,
  type RestoreStatus,
  type Thread,
  type Thumbnail,
} from '@custodia/contract'
import { dataStatus, hasData } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { getPage } from '../../http/page.ts'
import { maySee, Problem, refusalOf, withinReach } from '../../http/problem.ts'
import { listArchive } from '../../ports/archives/list-archive.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject, ORIGINAL, PEAKS, readWhole, type StoredObject, THUMBNAIL } from '../data-objects.ts'
import { readDataArchive } from '../data/archive.ts'
import { readData, readPayloadData } from '../data/data.ts'
import { restorePayloads } from '../deletion-store.ts'
import { countPayloads, readContacts } from '../lists/contacts.ts'
import {
  listConversations,
  listPayloads,
  listPayloadsOfDevice,
  listPayloadsOfUser,
  suggestPayloads,
} from '../lists/list.ts'
import { getScope } from '../lists/store/scope.ts'
import { countThreads, listThreads, type ThreadKey } from '../lists/store/threads.ts'
import { findListeners, findReviewable } from '../plays/store.ts'
import { findSealedMetadata, openSealedMetadata, type SealedMetadata } from '../sealed-metadata-store.ts'
import { completenessRoutes } from '../sequence.ts'
import { type DataSubject, findDataSubjects, notePayloadAudit, writeOff } from '../store.ts'
import { findPayloadAudit, findReceipts } from './read-store.ts'
import { mayShowContent, payloadInReach, readPayload, type RetentionFacts } from './read.ts'
import { readPayloadPlaces, readThread } from './thread.ts'

/** Thumbnails opened concurrently: each is small, and each needs the key service. */
const AT_ONCE = 8

/**
 * Returns thumbnails of photos and films with their notes, by the same permission as the data call. One call is one audit entry; opening
 * a single photo is audited where it happens.
 */
function readThumbnails(ctx: AppContext): Handler<'readThumbnails'> {
  return async (context, { query: { payload_references } }) => {
    const { caller } = context
    const { subjects, sealed } = await context.readFromReplica(async (q) => {
      const subjects = await findDataSubjects(q, payload_references)
      const ids = [...subjects.values()].flatMap((payload) =>
        dataStatus({ action: 'payloads:play', access: caller.access, payload }) === 'Ok'
          ? payload.payload_id
          : [],
      )
      return { subjects, sealed: await findSealedMetadata(q, ids) }
    })
    const metadata = new Map(sealed.map((each) => [each.payload_reference, each]))
    const data = payload_references.map((payload_reference): Thumbnail => {
      const payload = subjects.get(payload_reference)
      const status = dataStatus({ action: 'payloads:play', access: caller.access, payload })
      return { payload_reference, status }
    })
    const wanted = data.filter(({ status }) => status === 'Ok').values()
    const open = async () => {
      for (const answer of wanted) {
        const { objects = [] } = subjects.get(answer.payload_reference) ?? {}
        const object = objects.find(({ kind }) => kind === THUMBNAIL)
        if (!object && objects.some(({ details }) => details.being_prepared)) answer.being_prepared = true
        const jpeg = object && (await openThumbnail(ctx, caller, answer.payload_reference, object))
        if (jpeg) answer.jpeg = jpeg.toString('base64')
        const meta = metadata.get(answer.payload_reference)
        const notes = meta && (await openNotes(ctx, caller.client_id, meta))
        if (notes) answer.notes = notes.slice(0, CARD_NOTES)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, open))
    return { data }
  }
}

/** The thumbnail; reports a damaged one to the client's staff and returns undefined, so that the others still show. */
async function openThumbnail(
  ctx: AppContext,
  { client, client_id }: { client: string; client_id: number },
  payload_reference: string,
  object: StoredObject,
): Promise<Buffer | undefined> {
  try {
    return await readWhole(await openObject(ctx, client, payload_reference, object))
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { client_id, payload_reference, kind: THUMBNAIL }, error)
    return undefined
  }
}

/** The recorder's notes; reports damaged metadata to the client's staff and returns undefined. */
async function openNotes(
  ctx: AppContext,
  client_id: number,
  sealed: SealedMetadata,
): Promise<string | undefined> {
  try {
    const { payload_notes } = await openSealedMetadata(ctx, sealed)
    return typeof payload_notes === 'string' ? payload_notes : undefined
  } catch (error) {
    if (!isDamage(error)) throw error
    const { payload_reference } = sealed
    await reportDamage(ctx, { client_id, payload_reference, kind: 'meta' }, error)
    return undefined
  }
}

const ACTION = 'devices.sms:list'

/**
 * The conversations of a device. Problem: not_found, when the caller sees neither the device nor a message of
 * it.
 */
function listThreadsOfDevice({ cursors }: Pick<AppContext, 'cursors'>): Handler<'listThreads'> {
  return ({ caller, readFromReplica }, { params, query }) =>
    readFromReplica(async (q) => {
      const { client_id, access } = caller
      const unknown = new Problem('not_found', {
        detail: 'neither the device nor a message of it is in reach',
      })
      const device = await findGroupOfDevice(q, params.device_reference)
      const scope = getScope(access, ACTION, { service: 'messages' })
      if (!device || scope.length === 0) throw unknown
      const within = { scope, device_id: device.device_id }
      const assertKnown = () => {
        if (!access.permits(ACTION, device)) throw unknown
      }
      if (query.type === 'total') {
        const total = await countThreads(q, within)
        if (total === 0) assertKnown()
        return { total }
      }
      const name = `listThreads ${params.device_reference}`
      const page = await getPage<Thread, ThreadKey>(
        cursors,
        { name, client_id, query },
        (after, limit) => listThreads(q, within, { after, limit }),
        ({ last_message_at, thread_id }) => [last_message_at, thread_id],
      )
      if (page.count === 0 && query.last_key === undefined) assertKnown()
      return page
    })
}

/**
 * Writes off the data of one payload. Problems: as `refusalOf`; wrong_state when it is not late or has arrived.
 */
const writeOffPayload =
  (): Handler<'writeOffPayload'> =>
  (context, { params: { payload_reference } }) =>
    context.write(async (tx, log_id) => {
      const { caller, action, now } = context
      const found = (await findDataSubjects(tx, [payload_reference])).get(payload_reference)
      const subject = withinReach(context, found, 'payloads')
      const written_off_at = await writeOff(tx, subject.payload_id, getActor(caller))
      if (written_off_at === undefined)
        throw new Problem('wrong_state', { detail: 'it is not awaited and late' })
      await notePayloadAudit(tx, [subject.payload_id], {
        at: now,
        log_id,
        portal_user: getActor(caller),
        action,
      })
      return { payload_reference, written_off_at }
    })

/** The endpoints of portal users for payloads. */
export const payloadReadRoutes = (ctx: AppContext, facts: RetentionFacts) => ({
  ...completenessRoutes(),
  writeOffPayload: writeOffPayload(),
  countPayloads,
  listConversations: listConversations(ctx),
  listPayloads: listPayloads(ctx),
  listPayloadsOfDevice: listPayloadsOfDevice(ctx),
  listPayloadsOfUser: listPayloadsOfUser(ctx),
  listThreads: listThreadsOfDevice(ctx),
  readContacts,
  readData: readData(ctx),
  readDataArchive: readDataArchive(ctx),
  readPayload: readPayload(ctx, facts),
  readPayloadAudit: readPayloadAudit(),
  readPayloadContents: readPayloadContents(ctx),
  readPayloadData: readPayloadData(ctx),
  readPayloadPeaks: readPayloadPeaks(ctx),
  readPayloadPlaces: readPayloadPlaces(ctx),
  readThread: readThread(ctx),
  readThumbnails: readThumbnails(ctx),
  restorePayload: restorePayload(),
  restorePayloads: restoreManyPayloads(),
  suggestPayloads: suggestPayloads(),
})

/** The audit entries and receipts of a payload, newest first. */
function readPayloadAudit(): Handler<'readPayloadAudit'> {
  return (context, { params }) =>
    context.read(async (q) => {
      const { payload_id, payload_reference } = await payloadInReach(
        q,
        context,
        'payloads.audit:read',
        params.payload_reference,
      )
      const records = await findPayloadAudit(q, payload_id)
      const { length = null } = (await findReviewable(q, payload_reference)) ?? {}
      const [receipts, listeners] = [await findReceipts(q, payload_id), await findListeners(q, payload_id)]
      return { payload_reference, records, receipts, listeners, length }
    })
}

/** The waveform of a recording with sound, drawn from the sealed object that processing made. */
function readPayloadPeaks(ctx: AppContext): Handler<'readPayloadPeaks'> {
  return async (context, { params: { payload_reference } }) => {
    const { client, client_id } = context.caller
    const subject = await context.read(async (q) => {
      const row = await payloadInReach(q, context, 'payloads:read', payload_reference)
      // A waveform shows when people speak, which is content.
      if (!mayShowContent(context.caller, row))
        throw new Problem('not_found', { detail: 'content, in support mode' })
      return (await findDataSubjects(q, [payload_reference])).get(payload_reference)
    })
    const object = subject?.objects.find(({ kind }) => kind === PEAKS)
    if (!subject || !object || !hasData(subject)) throw new Problem('not_found', { detail: 'no waveform' })
    try {
      const bytes = await readWhole(await openObject(ctx, client, payload_reference, object))
      return Peaks.parse(JSON.parse(bytes.toString()))
    } catch (error) {
      if (isDamage(error)) await reportDamage(ctx, { client_id, payload_reference, kind: PEAKS }, error)
      throw error
    }
  }
}

/** Lists an archive on request: file names are content, so the caller needs the permission to read the archive. */
function readPayloadContents(ctx: AppContext): Handler<'readPayloadContents'> {
  // A compressed tar is unpacked to list it: one at a time per process, so that one caller cannot occupy all threads.
  let last: Promise<unknown> = Promise.resolve()
  return async (context, { params: { payload_reference } }) => {
    const { client, client_id, access } = context.caller
    const payload = await context.read(async (q) => {
      await payloadInReach(q, context, 'payloads:read', payload_reference)
      return (await findDataSubjects(q, [payload_reference])).get(payload_reference)
    })
    const status = dataStatus({ action: 'payloads:download', access, payload })
    const original = payload?.objects.find(({ kind }) => kind === ORIGINAL)
    if (status !== 'Ok' || !original) throw new Problem('not_found', { detail: status })
    const mine = last.then(() => listed(ctx, client, payload_reference, original))
    last = mine.catch(() => undefined)
    try {
      return await mine
    } catch (error) {
      if (isDamage(error)) await reportDamage(ctx, { client_id, payload_reference, kind: ORIGINAL }, error)
      throw error
    }
  }
}

async function listed(
  ctx: AppContext,
  client: string,
  payload_reference: string,
  original: StoredObject,
): Promise<PayloadContents> {
  const opened = await openObject(ctx, client, payload_reference, original)
  try {
    return await listArchive({ size: opened.plaintextSize, read: (start, end) => opened.read(start, end) })
  } finally {
    opened.forget()
  }
}

/**
 * Restores one deleted payload. Problems: as `refusalOf`; wrong_state, when it is not deleted, or destroyed.
 */
const restorePayload =
  (): Handler<'restorePayload'> =>
  async (context, { params: { payload_reference } }) => {
    const { subjects, statuses, states } = await restored(context, [payload_reference])
    const status = statuses.get(payload_reference)
    const payload_state = states.get(payload_reference)
    if (status === 'Ok' && payload_state) return { payload_reference, payload_state }
    if (status === undefined || status === 'NotPermitted')
      throw refusalOf(context, subjects.get(payload_reference), 'payloads')
    throw new Problem('wrong_state', { detail: `it is not to be restored: ${status}` })
  }

/** Restores each of these payloads on its own. */
const restoreManyPayloads =
  (): Handler<'restorePayloads'> =>
  async (context, { body: { payload_references } }) => {
    const { statuses } = await restored(context, payload_references)
    return {
      data: payload_references.map((payload_reference) => ({
        payload_reference,
        status: statuses.get(payload_reference) ?? 'NoMatchingRecord',
      })),
    }
  }

function restored(context: PortalContext, references: readonly string[]) {
  const { caller, action, now } = context
  return context.write(async (tx, log_id) => {
    const subjects = await findDataSubjects(tx, references)
    const inReach = [...subjects.values()].filter((subject) => caller.access.permits(action, subject))
    const isRefused = (subject: DataSubject) =>
      !inReach.includes(subject) && maySee(caller.access, 'payloads', subject)
    const by = getActor(caller)
    const taken = await restorePayloads(
      tx,
      inReach.map(({ payload_id }) => payload_id),
      { now, by },
    )
    const ids = taken.map(({ payload_id }) => payload_id)
    await notePayloadAudit(tx, ids, { at: now, log_id, portal_user: by, action })
    const stateById = new Map(taken.map(({ payload_id, payload_state }) => [payload_id, payload_state]))
    const getStatus = ({ payload_id, payload_state }: DataSubject): RestoreStatus =>
      stateById.has(payload_id) ? 'Ok' : payload_state === 'Destroyed' ? 'Destroyed' : 'NotDeleted'
    return {
      subjects,
      statuses: new Map<string, RestoreStatus>([
        ...[...subjects.values()].filter(isRefused).map(refused),
        ...inReach.map((subject) => [subject.payload_reference, getStatus(subject)] as const),
      ]),
      states: new Map(
        inReach.map((subject) => [subject.payload_reference, stateById.get(subject.payload_id)]),
      ),
    }
  })
}

const refused = ({ payload_reference }: DataSubject) => [payload_reference, 'NotPermitted'] as const
