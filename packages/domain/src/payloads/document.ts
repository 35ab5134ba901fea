import { SUMMARY_PARTIES } from '@custodia/contract'
import type { Direction, Party, PayloadDocument, PayloadMeta } from '@custodia/contract'
import { timeWarningsOf } from './time-warnings.ts'

/**
 * The immutable part of a list row, written once when the sealed metadata is opened. It is plain text: numbers,
 * contact names, times and references only (docs/security.md). It stays small (about 250 bytes), because bytes limit
 * the speed of lists.
 */
export function payloadDocument(meta: PayloadMeta): PayloadDocument {
  const parties = partiesOf(meta)
  const warnings = timeWarningsOf(meta)
  const document: PayloadDocument = {
    duration: durationOf(meta),
    direction: directionOf(meta),
    parties: parties?.slice(0, SUMMARY_PARTIES),
    party_count: parties?.length,
    timezone: meta.timezone,
    timezone_offset: meta.timezone_offset,
    local_time: meta.local_time,
    time_warnings: warnings.length > 0 ? warnings : undefined,
    thread_id: 'thread_id' in meta ? meta.thread_id : undefined,
    length: 'length' in meta ? meta.length : undefined,
  }
  // Absent rather than undefined, so that the document equals what is read back from JSON.
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))
}

/** Seconds: as the phone measured it, else from start to end; nothing for what has no length in time. */
function durationOf(meta: PayloadMeta): number | undefined {
  if ('payload_duration' in meta && meta.payload_duration !== undefined) return meta.payload_duration
  if ('payload_full_duration' in meta && meta.payload_full_duration !== undefined)
    return meta.payload_full_duration
  if (!('payload_end_time' in meta)) return undefined
  return Math.max(0, meta.payload_end_time - meta.payload_time)
}

/** Of a message: its own; of a call: the first party's, who is the one that called or was called. */
function directionOf(meta: PayloadMeta): Direction | undefined {
  if ('second_parties' in meta) return meta.second_parties[0]?.direction
  return 'direction' in meta ? meta.direction : undefined
}

/** The second parties, of whatever form; undefined where there can be none. */
export function partiesOf(meta: PayloadMeta): Party[] | undefined {
  if ('second_parties' in meta) return meta.second_parties.map(party)
  if ('message_parties' in meta) return meta.message_parties.map(party)
  if ('second_party' in meta) {
    return [party({ phone_number: meta.second_party, contact_name: meta.saved_name_for_second_party })]
  }
  return undefined
}

function party({ phone_number, contact_name, direction }: Party): Party {
  return {
    phone_number,
    ...(contact_name ? { contact_name } : {}),
    ...(direction ? { direction } : {}),
  }
}
