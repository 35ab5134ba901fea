import { Payload, PayloadMedia, type PayloadState, type PayloadType } from '@custodia/contract'
import { associatedData, openRange, type OpenedRange } from '@custodia/envelope'
import * as z from 'zod/mini'
import type { House } from '../house.ts'
import type { Queryable } from '../ports/database/lease.ts'
import type { KeyContext } from '../ports/keys/port.ts'
import { stateOfCode, typeOfCode } from './codes.ts'

/** Kinds of stored objects: the phone's own bytes, and what was derived from them. */
export const ORIGINAL = 'original'
export const PLAYBACK = 'playback'
export const PEAKS = 'peaks'
/** What conversations show of a message, as JSON (`message-text.ts`), and the whole of a text too long for that. */
export const TEXT = 'text'
export const WHOLE_TEXT = 'whole-text'
/** An attachment of a message, counted from 0. */
export const attachmentKind = (part: number): string => `attachment-${part}`

/** What the wrapped data key of a payload's objects is bound to. */
export const dekContext = (client: string, payload_reference: string): KeyContext => ({
  client,
  purpose: 'dek',
  reference: payload_reference,
})

/** What processing found out about an object. Older rows may know less. */
const Details = z.partial(
  z.strictObject({
    ...z.pick(PayloadMedia, {
      duration: true,
      width: true,
      height: true,
      codec: true,
      is_playable: true,
      unplayable_reason: true,
      being_prepared: true,
    }).def.shape,
    scanner: Payload.def.shape.scanner,
  }),
)
export type ObjectDetails = z.output<typeof Details>

/** A stored object that can still be opened. */
export interface StoredObject {
  kind: string
  object_key: string
  wrapped_dek: Buffer
  sealed_size: number
  size: number
  content_type: string
  checksum: string | null
  details: ObjectDetails
}

/** What must be known of a payload before its data is handed out. */
export interface DataSubject {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  group_id: number
  objects: StoredObject[]
}

/** The payloads of the tenant with these references and their openable objects; unknown references are left out. */
export async function findDataSubjects(
  q: Queryable,
  client_id: number,
  references: readonly string[],
): Promise<Map<string, DataSubject>> {
  const payloads = await q.query<{
    payload_id: number
    payload_reference: string
    type: number
    state: number
    group_id: number
  }>(
    `select payload_id, payload_reference, type, state, group_id from payloads
     where client_id = $1 and payload_reference = any($2)`,
    [client_id, references],
    'data_subjects',
  )
  const subjects = new Map<number, DataSubject>()
  for (const { type, state, ...row } of payloads.rows) {
    const subject = { ...row, payload_type: typeOfCode(type), payload_state: stateOfCode(state), objects: [] }
    subjects.set(row.payload_id, subject)
  }
  const objects = await q.query<StoredObject & { payload_id: number }>(
    `select payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details from payload_objects
     where client_id = $1 and payload_id = any($2) and wrapped_dek is not null order by kind`,
    [client_id, [...subjects.keys()]],
    'data_objects',
  )
  for (const { payload_id, details, ...row } of objects.rows) {
    const known = Details.safeParse(details)
    subjects.get(payload_id)?.objects.push({ ...row, details: known.success ? known.data : {} })
  }
  return new Map([...subjects.values()].map((subject) => [subject.payload_reference, subject]))
}

/** Opens an object for reading by position. Throws before anything is read when its key or its header is refused. */
export async function openObject(
  house: Pick<House, 'keys' | 'objects'>,
  client: string,
  payload_reference: string,
  object: Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size'>,
): Promise<OpenedRange> {
  const dek = await house.keys.unwrap(object.wrapped_dek, dekContext(client, payload_reference))
  try {
    return await openRange(dek, associatedData({ client, payload_reference, kind: object.kind }), {
      // The size that was verified when the object was stored: a shorter file is refused, wherever it is read.
      size: object.sealed_size,
      read: (start, end, into) => house.objects.read(object.object_key, { start, end }, into),
    })
  } finally {
    dek.fill(0)
  }
}

/** All bytes of an opened object: for small ones. */
export async function readWhole(opened: OpenedRange): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of opened.read(0, opened.plaintextSize)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
