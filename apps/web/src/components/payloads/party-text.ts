import type { Party, Payload } from '@custodia/contract'
import { msg, plural } from '@lingui/core/macro'
import type { I18n } from '@lingui/core'
import { visible } from '../../ui/visible.ts'

/** Parties named in a title. */
const NAMED = 2

/** Name of a party as the phone knew it, else the number; a number may be withheld by the network. */
export const partyText = ({ contact_name, phone_number }: Party, i18n: I18n): string =>
  visible(contact_name || phone_number || '') || i18n._(msg`Number withheld`)

type Sides = Pick<
  Payload,
  'parties' | 'party_count' | 'device_user_reference' | 'device_reference' | 'direction'
>

/** Who of ours it is about: the user, else the device. */
const ours = (payload: Sides): string => visible(payload.device_user_reference ?? payload.device_reference)

/** The others: the first of them, and how many more; where none is known, who of ours. */
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

/** Both sides of a call, in the direction that it went: 'Call from Harriet to +44…'. */
export function callTitle(payload: Sides, i18n: I18n): string {
  const [us, others] = [ours(payload), othersText(payload, i18n)]
  if ((payload.parties ?? []).length === 0) return i18n._(msg`Call of ${us}`)
  if (payload.direction === 'I') return i18n._(msg`Call from ${others} to ${us}`)
  if (payload.direction === 'O') return i18n._(msg`Call from ${us} to ${others}`)
  return i18n._(msg`Call of ${us} with ${others}`)
}

/** Both sides of a message, in the direction that it went. */
export function messageTitle(payload: Sides, i18n: I18n): string {
  const [us, others] = [ours(payload), othersText(payload, i18n)]
  if ((payload.parties ?? []).length === 0) return i18n._(msg`Message of ${us}`)
  if (payload.direction === 'I') return i18n._(msg`Message from ${others} to ${us}`)
  if (payload.direction === 'O') return i18n._(msg`Message from ${us} to ${others}`)
  return i18n._(msg`Message of ${us} with ${others}`)
}

/** What a row is called above its preview, where its list tells who of ours it is. */
export const callWith = (payload: Sides, i18n: I18n): string => {
  const others = othersText(payload, i18n)
  return i18n._(msg`Call with ${others}`)
}
export const messageWith = (payload: Sides, i18n: I18n): string => {
  const others = othersText(payload, i18n)
  return i18n._(msg`Message with ${others}`)
}

/** Whose phone recorded it: an interview is with nobody whom the phone knows. */
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
