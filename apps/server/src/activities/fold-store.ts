import { DATA_ADDRESS_SECONDS } from '@custodia/contract'
import type { Bind } from '../ports/database/binder.ts'

/**
 * Folded actions: a play or download makes an entry for the address and one for its use; opening a recording makes
 * several.
 */
const FOLDED = ['payloads:read', 'payloads:play', 'payloads:download']
/** Seconds within which a player requests a new address after the old one expired. */
const RENEWAL_SECONDS = 10
/** Seconds for which an address that has ended is known as one. */
const KNOWN_SECONDS = 86_400

const quoted = FOLDED.map((action) => `'${action}'`).join(', ')

/** Whether entry `row` records delivered data. Unescaped quotation marks enclose keys only. */
const isUse = (row: string) => `position('"data_address":"' in ${row}.parameters) > 0`
/** Whether the entry requests a further part of data after its address expired. */
const isExpiry = (row: string) =>
  `(not ${row}.is_allowed and ${row}.denial_reason = 'address_expired: expired')`

/** Same person, network, right and recording; so both are in the reach of the same readers. */
const isAlike = (other: string, row: string) =>
  `${other}.client_id = ${row}.client_id and ${other}.payload_reference = ${row}.payload_reference and ${other}.action = ${row}.action
    and ${other}.user_reference = ${row}.user_reference and ${other}.user_ip = ${row}.user_ip
    and ${other}.is_client_app = ${row}.is_client_app and ${other}.support_reference is not distinct from ${row}.support_reference
    and ${other}.group_id is not distinct from ${row}.group_id and ${other}.user_group is not distinct from ${row}.user_group`

/** Something that was done before `row`, at most so many seconds, and within the period. */
const doneBefore = (row: string, seconds: number, from: string, condition: string) =>
  `exists (select from portal_activities b where ${isAlike('b', row)} and ${condition}
    and b.activity_time >= greatest(${from}, ${row}.activity_time - ${seconds}) and b.activity_time <= ${row}.activity_time
    and (b.activity_time, b.log_id) < (${row}.activity_time, ${row}.log_id))`

/**
 * SQL that is true of an entry `r` that starts a folded row, and false of a continuation: the use of an address, a
 * further part of a read, an expired address during playback, and its successor. It depends on earlier entries only,
 * so pages are stable.
 * @param from beginning of the period, epoch seconds: the first entry of the period represents earlier ones
 */
export function standsForItself(from: number, bind: Bind): string {
  const start = bind(from, 'bigint')
  const used = doneBefore('r', DATA_ADDRESS_SECONDS, start, 'b.is_allowed')
  const known = (row: string) => doneBefore(row, KNOWN_SECONDS, start, 'b.is_allowed')
  const renewed = `exists (select from portal_activities e where ${isAlike('e', 'r')} and ${isExpiry('e')}
    and e.activity_time >= greatest(${start}, r.activity_time - ${RENEWAL_SECONDS}) and e.activity_time <= r.activity_time
    and (e.activity_time, e.log_id) < (r.activity_time, r.log_id) and ${known('e')})`
  return `case when r.payload_reference is null or r.action not in (${quoted}) then true
    when ${isExpiry('r')} then not ${known('r')}
    when not r.is_allowed then true
    when r.action = 'payloads:read' or ${isUse('r')} then not ${used}
    else not ${renewed} end`
}

/**
 * SQL of `was_handed_out` of an entry `r`; for a folded one, whether data was delivered before the user asked again.
 */
export const wasHandedOut = (isFolded: boolean): string =>
  `case when r.action in ('payloads:play', 'payloads:download') and r.payload_reference is not null and r.is_allowed then ${isUse('r')}${
    isFolded
      ? ` or exists (select from portal_activities b where ${isAlike('b', 'r')} and b.is_allowed and ${isUse('b')}
          and b.activity_time between r.activity_time and r.activity_time + ${DATA_ADDRESS_SECONDS}
          and (b.activity_time, b.log_id) > (r.activity_time, r.log_id)
          and not exists (select from portal_activities c where ${isAlike('c', 'r')} and c.is_allowed and not ${isUse('c')}
            and c.activity_time between r.activity_time and b.activity_time
            and (c.activity_time, c.log_id) > (r.activity_time, r.log_id) and (c.activity_time, c.log_id) < (b.activity_time, b.log_id)))`
      : ''
  } end`
