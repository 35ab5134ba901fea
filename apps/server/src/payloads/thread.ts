import { MessageDocument, PayloadSummary, type ThreadMessage } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import type { House } from '../house.ts'
import { actorOf, type Handler, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { insertPayloadAudit } from './address-store.ts'
import { isDamage, reportDamage } from './data-damage.ts'
import {
  attachmentKind,
  type DataSubject,
  findDataSubjects,
  openObject,
  ORIGINAL,
  readWhole,
} from './data-objects.ts'
import { type ListFilter, resolveFilter } from './list-filter.ts'
import type { Queryable } from '../ports/database/lease.ts'
import type { ListKey } from './list-keys.ts'
import { readListPage } from './list-page.ts'
import { readListTotal } from './list-total.ts'

/** Messages opened at a time. */
const AT_ONCE = 4
/** Bytes of a message, attachments included, up to which its text is shown in the conversation. */
const MESSAGE_LIMIT = 64 * 1024 ** 2

/** The messages of a conversation, newest first, with the texts of those that the caller may open. */
export function readThread(house: House): Handler<'readThread'> {
  return async (context, { params, query }) => {
    const { caller } = context
    const list = `readThread ${caller.client_id} ${JSON.stringify([params.device_reference, params.thread_id])}`
    const from =
      query.last_key === undefined
        ? undefined
        : (house.cursors.open(list, query.last_key) as unknown as ListKey)
    const found = await context.read(async (q) => {
      const filter = await resolveFilter(q, caller.client_id, caller.access, 'devices.sms:read', {
        ...params,
        service: 'messages',
        date_filter: 'payload_time',
      })
      if (!filter) throw new Problem('not_found', { detail: 'no such conversation in reach' })
      if (query.type === 'total') return readListTotal(q, filter)
      return readMessages(q, filter, query.limit, from)
    })
    if ('total' in found) return found
    const { rows, next, subjects } = found
    if (rows.length === 0 && !from && !next) throw new Problem('not_found', { detail: 'no message in reach' })
    const data = await openAll(house, context, rows, subjects)
    const shown = data.flatMap(({ payload_reference, text }) =>
      text === undefined ? [] : (subjects.get(payload_reference)?.payload_id ?? []),
    )
    if (shown.length > 0) {
      const entry = { at: context.now, portal_user: actorOf(caller), action: 'devices.sms:read' }
      // Before any text leaves: each message that is read stands in its own audit, with the call.
      await context.write((tx, log_id) =>
        insertPayloadAudit(tx, caller.client_id, shown, { ...entry, log_id }),
      )
    }
    const last_key = next && house.cursors.seal(list, next)
    return { count: data.length, ...(last_key ? { last_key } : {}), data }
  }
}

async function readMessages(q: Queryable, filter: ListFilter, limit: number, from: ListKey | undefined) {
  const { rows, next } = await readListPage(q, filter, limit, from)
  const messages = rows.map((row) => PayloadSummary.parse(JSON.parse(row)))
  const references = messages.map(({ payload_reference }) => payload_reference)
  return { rows: messages, next, subjects: await findDataSubjects(q, filter.client_id, references) }
}

async function openAll(
  house: House,
  context: PortalContext,
  rows: readonly PayloadSummary[],
  subjects: ReadonlyMap<string, DataSubject>,
): Promise<ThreadMessage[]> {
  const messages: ThreadMessage[] = []
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    const some = rows.slice(i, i + AT_ONCE)
    messages.push(
      ...(await Promise.all(
        some.map((row) => openMessage(house, context, row, subjects.get(row.payload_reference))),
      )),
    )
  }
  return messages
}

async function openMessage(
  house: House,
  { caller }: PortalContext,
  row: PayloadSummary,
  subject: DataSubject | undefined,
): Promise<ThreadMessage> {
  const status = dataStatus({ action: 'payloads:play', access: caller.access, payload: subject })
  // Whoever may not play in this group reads no text either; that the message exists, the list has said already.
  if (status === 'GroupNotAuthorised') return { ...row, status: 'TypeNotAuthorised' }
  const original = subject?.objects.find(({ kind }) => kind === ORIGINAL)
  if (status !== 'Ok') return { ...row, status }
  if (!original || original.size > MESSAGE_LIMIT) return { ...row, status: 'NoS3Url' }
  const { client, client_id } = caller
  try {
    const opened = await openObject(house, client, row.payload_reference, original)
    return { ...row, status, ...contentOf(subject, await readWhole(opened)) }
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(house, { client_id, payload_reference: row.payload_reference, kind: ORIGINAL }, error)
    return { ...row, status: 'NoS3Url' }
  }
}

function contentOf(
  subject: DataSubject | undefined,
  bytes: Buffer,
): Pick<ThreadMessage, 'text' | 'attachments'> {
  const { text, attachments } = MessageDocument.parse(JSON.parse(bytes.toString()))
  if (!attachments?.length) return { text }
  return {
    text,
    attachments: attachments.map(({ name, content_type, data }, part) => ({
      ...(name === undefined ? {} : { name }),
      // What it is, where that is known, instead of what its sender says.
      content_type:
        subject?.objects.find(({ kind }) => kind === attachmentKind(part))?.content_type ?? content_type,
      size: Buffer.byteLength(data, 'base64'),
      part,
    })),
  }
}
