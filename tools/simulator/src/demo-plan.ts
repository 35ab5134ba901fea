import type { Recording } from '@custodia/device-sdk'
import {
  abortedCall,
  blockedCall,
  borrowedPhoto,
  callRecording,
  type Contact,
  CONTACTS,
  diagnosticsRecording,
  EICAR,
  interviewRecording,
  messageRecording,
  pictureRecording,
  uploadedAgain,
  whole,
} from './calls.ts'
import { type CarriedPhone, carriedPhone } from './carried-phone.ts'
import { CONVERSATIONS } from './conversations.ts'
import { type Chance, chance, namedReference, workingMoment } from './itinerary.ts'
import type { DemoAccount, Media, MediaKind } from './media.ts'
import { getQuietPerson } from './people/quiet-people.ts'

/** Number of payloads per type in a demo account. */
interface Amounts {
  callsPerPerson: number
  conferences: number
  intermittent: number
  blocked: number
  aborted: number
  interviews: number
  photos: number
  videos: number
  diagnostics: number
  /** Calls that arrive more than a week late. */
  late: number
  /** 1: all conversations, 3: every third. */
  everyConversation: number
  /** Whether it contains a tampered upload and one with a virus test file. */
  hasFailures: boolean
}

const LARGE: Amounts = {
  callsPerPerson: 3,
  conferences: 3,
  intermittent: 2,
  blocked: 3,
  aborted: 3,
  interviews: 4,
  photos: 4,
  videos: 2,
  diagnostics: 2,
  late: 2,
  everyConversation: 1,
  hasFailures: true,
}
const SMALL: Amounts = {
  callsPerPerson: 2,
  conferences: 1,
  intermittent: 1,
  blocked: 1,
  aborted: 1,
  interviews: 1,
  photos: 2,
  videos: 1,
  diagnostics: 1,
  late: 1,
  everyConversation: 3,
  hasFailures: false,
}

/** Number of people from which an account is large. */
const LARGE_FROM = 5

const amountsFor = (people: number): Amounts => (people >= LARGE_FROM ? LARGE : SMALL)

/** One payload of the demo; `isTampered`: the holder alters it after sealing. */
interface PlannedRecording {
  recording: Recording
  isTampered: boolean
}

/** A device of the demo with all its payloads, oldest first. */
export interface PlannedPhone {
  phone: CarriedPhone
  payloads: PlannedRecording[]
  /** Messages that it uploads again after the others. */
  again: Recording[]
}

/** Time, place and party of a recording. */
interface Occasion {
  phone: CarriedPhone
  payload_reference: string
  payload_time: number
  dice: Chance
  turn: number
  contacts: readonly Contact[]
  contact: Contact
}

/** Minimum age of a recording in seconds, so that none ends in the future. */
const MARGIN = 3600
const LATE = { newest: 8, oldest: 12 }
/** At any time some recordings are due under a policy of one or two days. */
const SETTLED = { newest: 3 }
const BROUGHT_AGAIN = 2

/** All payloads of an account's devices up to `now` (epoch seconds). References depend on the account only. */
export async function demoPlan(account: DemoAccount, media: Media, now: number): Promise<PlannedPhone[]> {
  const { account_reference } = account
  const phones = account.people.map(emptyPhone)
  const amounts = amountsFor(phones.length)
  const start = chance(account_reference)

  function plan(
    kind: string,
    count: number,
    make: (occasion: Occasion) => Recording,
    span: { newest?: number; oldest?: number; isTampered?: boolean } = {},
  ): void {
    const first = start.between(0, phones.length - 1)
    for (let turn = 0; turn < count; turn++) {
      const carrier = phones[(first + turn) % phones.length]
      if (!carrier) return
      const { phone, payloads } = carrier
      const dice = chance(`${account_reference} ${kind} ${turn}`)
      const all = CONTACTS[phone.person.locale]
      const contacts = all.map((_, i) => all[(i + turn + first) % all.length] as Contact)
      const recording = make({
        phone,
        payload_reference: namedReference(`${account_reference} ${kind} ${turn}`),
        payload_time: workingMoment(dice, phone.timezone, now, { ...getSpan(phone, span), length: MARGIN }),
        dice,
        turn,
        contacts,
        contact: contacts[0] as Contact,
      })
      payloads.push({ recording, isTampered: span.isTampered ?? false })
    }
  }

  const pick = (kind: MediaKind, o: Occasion) => media.pick(kind, o.phone.person.locale, o.turn)
  const call = (parties: number, isIntermittent: boolean) => (o: Occasion) => {
    // Conferences of three, four and five parties, the holder included.
    const others = parties === 1 ? 1 : parties + (o.turn % 3)
    return callRecording(o.phone, o, pick('call', o), o.contacts.slice(0, others), isIntermittent)
  }
  const photo = (o: Occasion) => pictureRecording(o.phone, 'Photo', o, pick('photo', o))
  // One photo has another position than the device.
  const photoOrBorrowed = (o: Occasion) =>
    o.turn === 0 ? borrowedPhoto(o.phone, o, pick('photo', o)) : photo(o)

  plan('call', phones.length * amounts.callsPerPerson, call(1, false))
  plan('conference', amounts.conferences, call(2, false))
  plan('intermittent', amounts.intermittent, call(1, true))
  plan('late', amounts.late, call(1, false), LATE)
  plan('blocked', amounts.blocked, (o) => blockedCall(o.phone, o, o.contact))
  plan('aborted', amounts.aborted, (o) => abortedCall(o.phone, o, o.contact))
  plan('interview', amounts.interviews, (o) => interviewRecording(o.phone, o, pick('interview', o)), SETTLED)
  plan('photo', amounts.photos, photoOrBorrowed, SETTLED)
  plan('video', amounts.videos, (o) => pictureRecording(o.phone, 'Video', o, pick('video', o)))
  plan('diagnostics', amounts.diagnostics, (o) =>
    diagnosticsRecording(o.phone, o, 'Weekly self-check', pick('diagnostics', o).open),
  )
  if (amounts.hasFailures) {
    plan('tampered', 1, photo, { isTampered: true })
    plan('eicar', 1, (o) =>
      diagnosticsRecording(o.phone, o, 'Scanner self-test', () => whole(Buffer.from(EICAR.join('')))),
    )
  }
  await planConversations(phones, account, media, now)
  for (const { payloads } of phones) {
    payloads.sort((a, b) => a.recording.meta.payload_time - b.recording.meta.payload_time)
  }
  return phones
}

const emptyPhone = (person: DemoAccount['people'][number]): PlannedPhone => ({
  phone: carriedPhone(person),
  payloads: [],
  again: [],
})

async function planConversations(
  phones: PlannedPhone[],
  { account_reference }: DemoAccount,
  media: Media,
  now: number,
): Promise<void> {
  const { everyConversation } = amountsFor(phones.length)
  for (const [turn, conversation] of CONVERSATIONS.entries()) {
    if (turn % everyConversation !== 0) continue
    const speakers = phones.filter(({ phone }) => phone.person.locale === conversation.locale)
    const speaker = speakers[turn % speakers.length]
    if (speaker) {
      const picked = media.pick(conversation.locale === 'pt-BR' ? 'mms' : 'photo', conversation.locale, 0)
      const lines = await getConversation(account_reference, turn, speaker.phone, now, () =>
        picked.attachment(),
      )
      speaker.payloads.push(...lines.map((recording) => ({ recording, isTampered: false })))
      if (turn === 0)
        speaker.again = lines
          .slice(-BROUGHT_AGAIN)
          .map((line) => uploadedAgain(line, namedReference(`${line.meta.payload_reference} again`)))
    }
  }
}

/** Range in days before now in which a device records; a silent device stopped earlier. */
function getSpan({ person }: CarriedPhone, span: { newest?: number; oldest?: number }) {
  const { newest = 0, oldest = 7 } = span
  return { newest: Math.max(newest, getQuietPerson(person)?.days ?? 0), oldest }
}

type Attachment = { name: string; content_type: string; data: string }

async function getConversation(
  account_reference: string,
  turn: number,
  phone: CarriedPhone,
  now: number,
  attach: () => Promise<Attachment>,
): Promise<Recording[]> {
  const conversation = CONVERSATIONS[turn]
  if (!conversation) return []
  const { locale, type, contact, lines, picture } = conversation
  const dice = chance(`${account_reference} thread ${turn}`)
  const length = lines.reduce((sum, [, , minutes]) => sum + minutes * 60, 0)
  let payload_time = workingMoment(dice, phone.timezone, now, {
    ...getSpan(phone, {}),
    length: length + MARGIN,
  })
  const other: Contact =
    typeof contact === 'string'
      ? { phone_number: contact, contact_name: null }
      : (CONTACTS[locale][contact] as Contact)
  const recordings: Recording[] = []
  for (const [i, [direction, text, minutes]] of lines.entries()) {
    payload_time += minutes * 60 + dice.between(3, 50)
    recordings.push(
      messageRecording(phone, {
        payload_type: type === 'MMS' && i !== picture ? 'SMS' : type,
        payload_reference: namedReference(`${account_reference} thread ${turn} ${i}`),
        payload_time,
        direction,
        contact: other,
        text,
        ...(i === picture ? { attachments: [await attach()] } : {}),
      }),
    )
  }
  return recordings
}
