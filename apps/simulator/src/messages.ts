import { createHash } from 'node:crypto'
import type { Recording } from '@custodia/device-sdk'
import type { MessageDocument } from '@custodia/contract'
import type { CarriedPhone } from './carried-phone.ts'
import type { Contact } from './contacts.ts'

/** One line of a conversation before it becomes a payload. */
export interface Message {
  payload_type: 'SMS' | 'RCS' | 'MMS'
  payload_reference: string
  payload_time: number
  direction: 'I' | 'O'
  contact: Contact
  text: string
  attachments?: MessageDocument['attachments']
}

export function messageRecording(phone: CarriedPhone, message: Message): Recording {
  const { payload_type, payload_reference, payload_time, direction, contact, text, attachments } = message
  const document: MessageDocument = { text, ...(attachments ? { attachments } : {}) }
  return {
    payload_type,
    meta: {
      ...phone.common(payload_reference, payload_time),
      thread_id: threadOf(phone.person.phone_number, contact.phone_number),
      direction,
      length: Array.from(text).length,
      message_id: systemName(payload_reference),
      message_parties: [{ ...contact, direction }],
    },
    data: () => whole(Buffer.from(JSON.stringify(document))),
  }
}

/** A message as its device uploads it again: a new reference, the same system id. */
export const uploadedAgain = ({ meta, ...recording }: Recording, payload_reference: string): Recording => ({
  ...recording,
  meta: { ...meta, payload_reference } as Recording['meta'],
})

/** The id of a message in the device's system, constant over uploads. */
const systemName = (first: string) => createHash('sha256').update(first).digest('hex').slice(0, 32)

/** The same thread in both directions. */
function threadOf(own: string, other: string): string {
  return createHash('sha256').update(`${own} ${other}`).digest('hex').slice(0, 16)
}

/** Bytes as a stream with one chunk. */
export async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
