import type { Party, Payload } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { visible } from '../../ui/visible.ts'
import { ownerText } from './owner-text.ts'

/** Parties named in a title. */
const NAMED = 2

/** Contact name on the device, else the number; the network may withhold it. */
export const partyText = ({ contact_name, phone_number }: Party, i18n: I18n): string =>
  visible(contact_name || phone_number || '') || i18n._(msg`Number withheld`)

/** What a title needs. */
export type Sides = Pick<
  Payload,
  | 'parties'
  | 'party_count'
  | 'person_name'
  | 'device_user_reference'
  | 'device_model'
  | 'device_reference'
  | 'direction'
>

const ours = ownerText

/** First second party and the count of others; the device user where none is known. */
export function othersText(payload: Sides, i18n: I18n): string {
  const parties = payload.parties ?? []
  if (parties.length === 0) return ours(payload)
  const names = parties
    .slice(0, NAMED)
    .map((party) => partyText(party, i18n))
    .join(', ')
  const more = (payload.party_count ?? parties.length) - Math.min(NAMED, parties.length)
  return more > 0 ? i18n._(msg`${names} ${plural(more, { one: 'and # more', other: 'and # more' })}`) : names
}

/** Both parties of a call by direction: 'Call from Harriet to +44…'. */
export function callTitle(payload: Sides, i18n: I18n): string {
  const [us, others] = [ours(payload), othersText(payload, i18n)]
  if ((payload.parties ?? []).length === 0) return i18n._(msg`Call of ${us}`)
  if (payload.direction === 'I') return i18n._(msg`Call from ${others} to ${us}`)
  if (payload.direction === 'O') return i18n._(msg`Call from ${us} to ${others}`)
  return i18n._(msg`Call of ${us} with ${others}`)
}

/** Both parties of a message by direction. */
export function messageTitle(payload: Sides, i18n: I18n): string {
  const [us, others] = [ours(payload), othersText(payload, i18n)]
  if ((payload.parties ?? []).length === 0) return i18n._(msg`Message of ${us}`)
  if (payload.direction === 'I') return i18n._(msg`Message from ${others} to ${us}`)
  if (payload.direction === 'O') return i18n._(msg`Message from ${us} to ${others}`)
  return i18n._(msg`Message of ${us} with ${others}`)
}

/** Title of a row's preview, where its list names the device user. */
export const callWith = (payload: Sides, i18n: I18n): string => {
  const others = othersText(payload, i18n)
  return i18n._(msg`Call with ${others}`)
}
export const messageWith = (payload: Sides, i18n: I18n): string => {
  const others = othersText(payload, i18n)
  return i18n._(msg`Message with ${others}`)
}

/** Device user: an interview has no known second party. */
export const interviewTitle = (payload: Sides, i18n: I18n): string => {
  const us = ours(payload)
  return i18n._(msg`Interview of ${us}`)
}
export const videoTitle = (payload: Sides, i18n: I18n): string => {
  const us = ours(payload)
  return i18n._(msg`Video recorded by ${us}`)
}
export const diagnosticsTitle = (payload: Sides, i18n: I18n): string => {
  const us = ours(payload)
  return i18n._(msg`Diagnosis of ${us}`)
}
export const photoTitle = (payload: Sides, i18n: I18n): string => {
  const us = ours(payload)
  return i18n._(msg`Photo taken by ${us}`)
}
