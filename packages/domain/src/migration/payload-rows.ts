import {
  CALL_TYPES,
  DIRECTIONS,
  fault,
  isDataless,
  MESSAGE_TYPES,
  PARSE_OPTIONS,
  PAYLOAD_META,
  PAYLOAD_TYPES,
  type PayloadMeta,
  type PayloadType,
  Sha256,
  text,
  toFaults,
} from '@custodia/contract'
import { type Cells, Reader, wallClock } from './cells.ts'
import { check, type Read, result } from './fleet-rows.ts'

/** A recording of the legacy platform. */
export interface PayloadRow {
  legacy_payload_reference: string
  /** When the legacy platform processed it; for display only. */
  legacy_processed_time: number | undefined
  payload_type: PayloadType
  device_user_reference: string | undefined
  device_reference: string | undefined
  legacy_phone_number: string | undefined
  /** All of its metadata but the reference, which it is given here. */
  meta: Omit<PayloadMeta, 'payload_reference'>
  text: string | undefined
  /** Files below `media/`: the recording, or what was attached to a message. */
  media: string[]
  media_sha256: string | undefined
  /** Its data comes with another run. */
  data_follows: boolean
  /** Lists of the parties of a call that are of different lengths. */
  is_mismatching: boolean
}

const isMessage = (type: PayloadType) => (MESSAGE_TYPES as readonly PayloadType[]).includes(type)
const isCall = (type: PayloadType) => (CALL_TYPES as readonly PayloadType[]).includes(type)

/** Stands in the metadata of a row until there is one. */
const NO_REFERENCE = '0'.repeat(26)

/**
 * Reads a row of recordings.
 * @param now epoch seconds: later recording times are invalid
 */
export function readPayload(cells: Cells, now: number): Read<PayloadRow> {
  const reader = new Reader(cells)
  const legacy_payload_reference = reader.required('LegacyPayloadReference')
  if (legacy_payload_reference)
    check(reader, 'LegacyPayloadReference', text(1, 255), legacy_payload_reference)
  const payload_type = reader.option('PayloadType', PAYLOAD_TYPES)
  if (reader.text('PayloadType') === undefined) reader.required('PayloadType')
  const payload_time = reader.time('PayloadTime')
  if (reader.text('PayloadTime') === undefined) reader.required('PayloadTime')
  const payload_end_time = reader.time('PayloadEndTime')
  for (const [column, at] of Object.entries({ PayloadTime: payload_time, PayloadEndTime: payload_end_time }))
    if (at !== undefined && at > now) reader.faults.push(fault(column, 'invalid'))
  if (payload_time !== undefined && payload_end_time !== undefined && payload_end_time < payload_time)
    reader.faults.push(fault('PayloadEndTime', 'invalid'))
  const media_sha256 = reader.text('MediaSha256')?.toLowerCase()
  if (media_sha256 !== undefined) check(reader, 'MediaSha256', Sha256, media_sha256)
  const legacy_phone_number = reader.text('legacy_phone_number')
  const common = {
    legacy_payload_reference,
    legacy_processed_time: reader.time('legacy_processed_time'),
    device_user_reference: reader.text('UserReference'),
    device_reference: reader.text('DeviceReference'),
    legacy_phone_number,
    media: (reader.list('MediaFile') ?? []).map((name) => name.replace(/^media\//, '')),
    media_sha256,
    data_follows: reader.yes('DataFollows') ?? false,
  }
  if (payload_type === undefined || payload_time === undefined || reader.faults.length > 0)
    return { item: legacy_payload_reference, faults: reader.faults }
  const { meta, is_mismatching } = getMeta(reader, payload_type, payload_time, payload_end_time)
  const parsed = PAYLOAD_META[payload_type].safeParse(
    { ...meta, payload_reference: NO_REFERENCE },
    PARSE_OPTIONS,
  )
  if (!parsed.success && !is_mismatching)
    reader.faults.push(
      ...toFaults(parsed.error.issues).map((each) => ({ ...each, path: getColumn(each.path) })),
    )
  return result(reader, legacy_payload_reference, {
    ...common,
    payload_type,
    meta: meta as PayloadRow['meta'],
    text: isMessage(payload_type) ? reader.prose('Text') : undefined,
    is_mismatching,
  })
}

/** Columns from which fields of the metadata come. */
const COLUMNS: Readonly<Record<string, string>> = {
  second_parties: 'Parties',
  message_parties: 'Parties',
  payload_end_time: 'PayloadEndTime',
  timezone: 'Timezone',
  timezone_offset: 'TimezoneOffset',
  direction: 'Direction',
  thread_id: 'ThreadId',
  reason_for_blocking: 'ReasonForBlocking',
  payload_notes: 'Notes',
}
function getColumn(path: string): string {
  const [field = '', ...rest] = path.split('.')
  return [COLUMNS[field] ?? field, ...rest].join('.')
}

function getMeta(reader: Reader, type: PayloadType, start: number, end: number | undefined) {
  const timezone_offset = reader.number('TimezoneOffset') ?? 0
  const common = {
    timezone: reader.text('Timezone') ?? 'UTC',
    timezone_offset,
    local_time: wallClock(start, timezone_offset),
    payload_time: start,
  }
  const stop = end ?? start
  if (isCall(type)) {
    const { parties, is_mismatching } = getParties(reader, start, stop)
    const reason = type === 'BlockedCall' ? { reason_for_blocking: reader.text('ReasonForBlocking') } : {}
    const call = { ...common, payload_end_time: stop, size: 0, second_parties: parties, ...reason }
    return { meta: call, is_mismatching }
  }
  if (isMessage(type)) {
    const numbers = reader.list('Parties') ?? []
    const names = reader.list('PartyNames')
    return {
      meta: {
        ...common,
        thread_id: reader.text('ThreadId') ?? `legacy ${numbers.toSorted().join(' ')}`.slice(0, 255),
        direction: reader.option('Direction', DIRECTIONS),
        length: reader.prose('Text').length,
        message_parties: numbers.map((phone_number, i) => ({
          phone_number,
          ...(names?.[i] ? { contact_name: names[i] } : {}),
        })),
      },
      is_mismatching: names !== undefined && names.length !== numbers.length,
    }
  }
  const notes = reader.text('Notes')
  const noted = notes === undefined ? {} : { payload_notes: notes }
  if (type === 'Interview')
    return {
      meta: {
        ...common,
        payload_end_time: stop,
        payload_duration: stop - start,
        ...noted,
        interview_pause_times: [],
      },
      is_mismatching: false,
    }
  return { meta: { ...common, ...noted }, is_mismatching: false }
}

/** Parties of a call, from parallel lists: each present list must have one entry per party. */
function getParties(reader: Reader, start: number, stop: number) {
  const numbers = reader.list('Parties') ?? []
  const names = reader.list('PartyNames')
  const directions = reader.list('PartyDirections')
  const starts = reader.times('PartyStartTimes')
  const durations = reader.list('PartyDurations')
  const direction = reader.option('Direction', DIRECTIONS)
  const is_mismatching = [names, directions, starts, durations].some(
    (list) => list !== undefined && list.length !== numbers.length,
  )
  const parties = numbers.map((phone_number, i) => ({
    phone_number: phone_number === '' ? null : phone_number,
    ...(names?.[i] ? { contact_name: names[i] } : {}),
    direction: directions?.[i] ?? direction,
    start_time: starts?.[i] ?? start,
    duration: durations?.[i] === undefined ? stop - start : Number(durations[i]),
  }))
  return { parties, is_mismatching }
}

/** Whether a recording of a row is to have data in files. */
export const needsMedia = ({ payload_type }: Pick<PayloadRow, 'payload_type'>): boolean =>
  !isDataless(payload_type) && !isMessage(payload_type)
