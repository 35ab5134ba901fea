import { createHash } from 'node:crypto'
import type { Recording } from '@custodia/device-sdk'
import type { MessageDocument } from '@custodia/contract'
import type { CarriedPhone } from './carried-phone.ts'
import type { Contact } from './contacts.ts'

/** One line of a conversation on its way to becoming a payload. */
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

/** A message as its phone brings it again: under another reference, by the name that its system has for it. */
export const uploadedAgain = ({ meta, ...recording }: Recording, payload_reference: string): Recording => ({
  ...recording,
  meta: { ...meta, payload_reference } as Recording['meta'],
})

/** What the phone's system calls a message, whenever it is brought. */
const systemName = (first: string) => createHash('sha256').update(first).digest('hex').slice(0, 32)

/** The same thread whoever writes. */
function threadOf(own: string, other: string): string {
  return createHash('sha256').update(`${own} ${other}`).digest('hex').slice(0, 16)
}

/** Bytes as the stream of one chunk. */
export async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
