import type { Recording } from '@custodia/device-sdk'
import { abortedCall, blockedCall, callRecording } from '../calls.ts'
import type { CarriedPhone } from '../carried-phone.ts'
import { chance, namedReference } from '../chance.ts'
import { CONTACTS } from '../contacts.ts'
import { SHORT_TEXTS } from '../conversations.ts'
import type { DemoAccount } from '../demo-account.ts'
import type { Media } from '../media.ts'
import { messageRecording } from '../messages.ts'
import { interviewRecording, pictureRecording } from '../room-recordings.ts'
import type { Act } from './life.ts'

/** A recording of a person at a time; its reference depends on both only. */
export function recordedBy(
  phone: CarriedPhone,
  { account_reference }: DemoAccount,
  { at, what }: Extract<Act, { kind: 'record' }>,
  media: Media,
): Recording {
  const { locale, email } = phone.person
  const payload_reference = namedReference(`${account_reference} life ${email} ${at}`)
  const dice = chance(payload_reference)
  const moment = { payload_reference, payload_time: at, dice, turn: dice.between(0, 50) }
  const contact = dice.pick(CONTACTS[locale])
  const pick = (kind: Parameters<Media['pick']>[0]) => media.pick(kind, locale, moment.turn)
  switch (what) {
    case 'message':
      return messageRecording(phone, {
        ...moment,
        payload_type: 'SMS',
        direction: dice.pick(['I', 'O'] as const),
        contact,
        text: dice.pick(SHORT_TEXTS),
      })
    case 'call':
      return callRecording(phone, moment, pick('call'), [contact], dice.next() < 0.05)
    case 'conference':
      return callRecording(phone, moment, pick('call'), CONTACTS[locale].slice(0, dice.between(2, 4)))
    case 'aborted':
      return abortedCall(phone, moment, contact)
    case 'blocked':
      return blockedCall(phone, moment, contact)
    case 'photo':
      return pictureRecording(phone, 'Photo', moment, pick('photo'))
    case 'interview':
      return interviewRecording(phone, moment, pick('interview'))
  }
}
