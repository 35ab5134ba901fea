import type { Party, Payload } from '@custodia/contract'
import { msg, plural } from '@lingui/core/macro'
import type { I18n } from '@lingui/core'
import { visible } from '../../ui/visible.ts'

/** Parties named in a title. */
const NAMED = 2

/** Name of a party as the phone knew it, else the number; a number may be withheld by the network. */
export const partyText = ({ contact_name, phone_number }: Party, i18n: I18n): string =>
  visible(contact_name || phone_number || '') || i18n._(msg`Number withheld`)

/** Title of a payload: its first parties, else the user, else the device. */
export function payloadTitle(
  payload: Pick<Payload, 'parties' | 'party_count' | 'device_user_reference' | 'device_reference'>,
  i18n: I18n,
): string {
  const parties = payload.parties ?? []
  if (parties.length === 0) return visible(payload.device_user_reference ?? payload.device_reference)
  const names = parties
    .slice(0, NAMED)
    .map((party) => partyText(party, i18n))
    .join(', ')
  const more = (payload.party_count ?? parties.length) - Math.min(NAMED, parties.length)
  return more > 0 ? i18n._(msg`${names} ${plural(more, { one: 'and # more', other: 'and # more' })}`) : names
}
