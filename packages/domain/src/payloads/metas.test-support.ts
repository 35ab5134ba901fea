/** One metadata of each form, as a phone would send it. */
import type { BlockedCallMeta, CallMeta, InterviewMeta, MessageMeta, PictureMeta } from '@custodia/contract'

const common = {
  payload_reference: '01J9Z3W6T5R8Q2N4M7K1H0G9F8',
  timezone: 'Europe/Dublin',
  timezone_offset: 60,
  local_time: '2026-09-21T14:13:20',
  payload_time: 1_790_000_000,
  payload_carrier_metadata: [
    { carrier_name: 'Eir', phone_number: '+353871234567', slot_index: 0 },
    { carrier_name: 'Three', phone_number: null, slot_index: 1 },
  ],
}
const party = (phone_number: string | null, contact_name?: string | null) => ({
  phone_number,
  contact_name,
  direction: 'O' as const,
  start_time: 1_790_000_000,
  duration: 61,
})

export const callMeta: CallMeta = {
  ...common,
  payload_end_time: 1_790_000_065,
  size: 81_920,
  second_parties: [party('+442071234567', 'Fiona Doyle')],
}
export const conferenceMeta: CallMeta = {
  ...callMeta,
  payload_full_duration: 63,
  second_parties: [party('+441'), party(null), party(' +442 ', ''), party('+441', 'Again'), party('+443')],
}
export const blockedCallMeta: BlockedCallMeta = {
  ...callMeta,
  payload_end_time: 1_790_000_000,
  second_parties: [],
  reason_for_blocking: 'No recording possible',
}
export const messageMeta: MessageMeta = {
  ...common,
  thread_id: 'thread-1',
  direction: 'I',
  length: 42,
  message_parties: [{ phone_number: 'ACME, Inc' }, { phone_number: '+353871234567', direction: 'CC' }],
}
export const olderMessageMeta: MessageMeta = {
  ...common,
  thread_id: 'thread-1',
  direction: 'O',
  length: 0,
  second_party: '50123',
  saved_name_for_second_party: 'Bank',
}
export const interviewMeta: InterviewMeta = {
  ...common,
  payload_end_time: 1_790_000_600,
  payload_duration: 540,
  payload_notes: 'Q3 review',
  interview_pause_times: [{ start_time: 1_790_000_100, duration: 60 }],
}
export const photoMeta: PictureMeta = {
  ...common,
  payload_carrier_metadata: undefined,
  payload_notes: '😀'.repeat(200),
}
