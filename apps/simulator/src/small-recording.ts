import type { Recording } from '@custodia/device-sdk'
import { ulid } from 'ulid'
import type { CarriedPhone } from './carried-phone.ts'
import { chance } from './chance.ts'
import { CONTACTS } from './contacts.ts'
import { SHORT_TEXTS } from './conversations.ts'
import { messageRecording } from './messages.ts'

/** A text message of this time (epoch seconds) with a new reference: the smallest payload with data. */
export function smallRecording(phone: CarriedPhone, now: number): Recording {
  const payload_reference = ulid()
  const dice = chance(payload_reference)
  return messageRecording(phone, {
    payload_type: 'SMS',
    payload_reference,
    payload_time: now,
    direction: dice.pick(['I', 'O'] as const),
    contact: dice.pick(CONTACTS[phone.person.locale]),
    text: dice.pick(SHORT_TEXTS),
  })
}
