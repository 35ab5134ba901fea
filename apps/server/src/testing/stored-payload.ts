import type { PayloadState, PayloadType } from '@custodia/contract'
import { associatedData, metaKind, seal, sealMeta, wrapDek } from '@custodia/envelope'
import { ulid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import { getServiceCode, STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import { TEXT } from '../payloads/data-objects.ts'
import { dekContext } from '../ports/keys/contexts.ts'

/** A payload that a test wants to find in a running server. */
export interface StoredPayload {
  client: string
  group: string
  /** The person of the payload, if any. */
  device_user?: string
  payload_type?: PayloadType
  payload_state?: PayloadState
  /** When it was recorded and came, in epoch seconds; absent: now. */
  payload_time?: number
  /** Opened bytes; absent: none. */
  bytes?: Buffer
  content_type?: string
  /** What a message says, as its conversation shows it; absent: no message. */
  text?: string
  /** An attachment of the text. */
  file_name?: string
  document?: { thread_id?: string; [field: string]: unknown }
  /** A payload whose device recorded this one too. */
  same_device_as?: string
  meta?: object
}

/** SQL: gives payloads another time of processing, `where` a condition on them. */
export const processAt = (time: string, where = 'true'): string => `
  with p as (update payloads set processed_at = ${time} where ${where} returning payload_id, processed_at)
  update payload_changes c set processed_at = p.processed_at from p where c.payload_id = p.payload_id`

/** Puts a payload into the database and its sealed bytes into the store, as if a phone had sent it. Answers its reference. */
export async function storePayload(ctx: AppContext, payload: StoredPayload): Promise<string> {
  const { client, group, payload_type = 'Call', payload_state = 'Processed', bytes } = payload
  const { owner } = ctx.db
  const payload_reference = ulid()
  const now = payload.payload_time ?? ctx.now()
  const { rows: groups } = await owner.query<{ client_id: number; group_id: number }>(
    `select client_id, group_id from groups join clients using (client_id) where client = $1 and group_reference = $2`,
    [client, group],
  )
  const [place] = groups
  if (!place) throw new Error(`no group ${group}`)
  const { client_id, group_id } = place
  const { rows: devices } = payload.same_device_as
    ? await owner.query<{ device_id: number }>(
        'select device_id from payloads where payload_reference = $1',
        [payload.same_device_as],
      )
    : await owner.query<{ device_id: number }>(
        `insert into devices (client_id, device_reference, group_id, updated_at, updated_by) values ($1, $2, $3, 0, 'test') returning device_id`,
        [client_id, `phone ${payload_reference}`, group_id],
      )
  const { rows: payloads } = await owner.query<{ payload_id: number }>(
    `insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, is_late, announced_at,
       uploaded_at, processed_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8,
       (select device_user_id from device_users where client_id = $1 and device_user_reference = $9), false, $6, $6, $6, $6) returning payload_id`,
    [
      client_id,
      payload_reference,
      getServiceCode(payload_type),
      TYPE_CODES[payload_type],
      STATE_CODES[payload_state],
      now,
      group_id,
      devices[0]?.device_id,
      payload.device_user,
    ],
  )
  const payload_id = payloads[0]?.payload_id
  await owner.query(
    `insert into payload_changes (payload_id, client_id, service, group_id, type, updated_at, processed_at)
     select payload_id, client_id, service, group_id, type, updated_at, processed_at from payloads where payload_id = $1`,
    [payload_id],
  )
  const { document = {} } = payload
  await owner.query(
    `insert into payload_documents (payload_id, client_id, thread_id, list_doc) values ($1, $2, $3, $4)`,
    [payload_id, client_id, document.thread_id ?? null, JSON.stringify(document)],
  )
  const dek = Buffer.alloc(32, 7)
  const { rows: keys } = await owner.query<{ key_id: string; public_key: string }>(
    'select key_id, public_key from client_keys where client_id = $1',
    [client_id],
  )
  const { iv, meta } = sealMeta(
    dek,
    { client, payload_reference, kind: metaKind(payload_type) },
    payload.meta ?? {},
  )
  await owner.query(
    `insert into payload_envelopes (payload_id, client_id, key_id, encrypted_dek, iv, sealed_meta, fingerprint) values ($1, $2, $3, $4, $5, $6, '')`,
    [
      payload_id,
      client_id,
      keys[0]?.key_id,
      Buffer.from(wrapDek(keys[0]?.public_key ?? '', dek), 'base64'),
      iv,
      Buffer.from(meta, 'base64'),
    ],
  )
  const store = async (kind: string, content: Buffer, content_type: string, details: object) => {
    const object_key = `${client}/${ulid()}`
    const aad = associatedData({ client, payload_reference, kind })
    const source = async function* () {
      yield content
    }
    const { size } = await ctx.objects.put(object_key, seal(dek, aad, source()))
    await owner.query(
      `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, details, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)`,
      [
        client_id,
        payload_id,
        kind,
        object_key,
        await ctx.keys.wrap(dek, dekContext(client, payload_reference)),
        size,
        content.length,
        content_type,
        details,
      ],
    )
  }
  if (bytes) await store('original', bytes, payload.content_type ?? 'audio/mp4', { is_playable: true })
  if (payload.text !== undefined)
    await store(TEXT, Buffer.from(JSON.stringify(getText(payload))), 'application/json', {})
  return payload_reference
}

const getText = ({ text, file_name: name }: StoredPayload) =>
  name === undefined
    ? { text }
    : { text, attachments: [{ name, content_type: 'application/pdf', size: 1, part: 0 }] }
