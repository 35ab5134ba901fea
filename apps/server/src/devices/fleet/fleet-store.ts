import {
  DAY,
  type Device,
  type DeviceHistory,
  type DeviceProof,
  type DeviceService,
  type DeviceState,
  type NumberPeriod,
  type Silence,
  type SILENT_DAYS,
  WAITING_COUNT_LIMIT,
} from '@custodia/contract'
import { clientColumn } from '../../clients/store.ts'
import { countFleet } from '../../device-records/counts-store.ts'
import {
  devicesByNumber,
  holdersByWords,
  IS_SHOWN_NUMBER,
  type SearchNumber,
} from '../../device-records/names-store.ts'
import { endTokens } from '../../device-records/token-store.ts'
import { HELD_DEVICE } from '../../held-records/store.ts'
import { binder } from '../../ports/database/binder.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { sortedSql, type SortedPage, startsWith } from '../../ports/database/sorted.ts'
import { DEVICE_STATE } from '../identity-store.ts'

/** Maximum number of periods in an answer; a device takes years to have more. */
const LIMIT = 1000

/** SQL: current numbers of device `d` as JSON; uncontested numbers first. */
const CURRENT_NUMBERS = `coalesce((select jsonb_agg(jsonb_build_object('phone_number', n.phone_number, 'slot_index', n.slot_index,
    'since', n.from_at, 'last_reported', n.last_reported, 'first_verified', n.first_verified, 'last_verified', n.last_verified,
    'is_contested', n.is_contested) order by n.is_contested, n.slot_index, n.claim_id)
  from device_numbers n where n.client_id = d.client_id and n.device_id = d.device_id and n.to_at is null and ${IS_SHOWN_NUMBER}), '[]')`

/**
 * SQL: models in which each of the words begins a word. A client has few models: they are read one by one from their
 * index. $1 is the client.
 */
const modelsByWords = (words: string): string => {
  const next = (after: string) =>
    `(select f.model_text from devices f where f.client_id = $1 and f.deleted_at is null ${after} order by f.model_text limit 1)`
  return `with recursive m as (
      ${next('')} union all select ${next('and f.model_text > m.model_text')} from m where m.model_text is not null)
    select model_text from m where (select bool_and(position(' ' || word in ' ' || regexp_replace(model_text, '[^[:alnum:]]+', ' ', 'g')) > 0)
      from unnest(${words}) word)`
}

/**
 * SQL: ids of the devices whose reference, serial number, IMEI or email starts with a text, or whose model or holder's
 * name has the words. Each part reads its own index. $1 is the client.
 */
const devicesByText = (start: string, words: string, isNumber: boolean): string =>
  [
    `select f.device_id from devices f where f.client_id = $1 and ${startsWith('f.reference_text', start)}`,
    `select f.device_id from devices f where f.client_id = $1 and f.serial_number is not null and ${startsWith('f.serial_text', start)}`,
    `select f.device_id from devices f left join device_users h using (client_id, device_user_id)
     where f.client_id = $1 and f.email is not null and h.email is null and ${startsWith('f.email_text', start)}`,
    `select f.device_id from device_users h join devices f using (client_id, device_user_id)
     where h.client_id = $1 and h.email is not null and ${startsWith('h.email_text', start)}`,
    `select f.device_id from devices f where f.client_id = $1 and f.device_user_id = any(array(${holdersByWords(words)}))`,
    // Digits alone are a number, not a model.
    ...(isNumber
      ? [
          ...['f.imeis[1] collate "C"', 'f.imeis[2] collate "C"'].map(
            (imei) =>
              `select f.device_id from devices f where f.client_id = $1 and ${imei} >= ${start} and ${imei} < ${start} || ':'`,
          ),
          `select f.device_id from devices f where f.client_id = $1 and f.imeis[3] collate "C" is not null
             and position(',' || ${start} in ',' || array_to_string(f.imeis, ',')) > 0`,
        ]
      : [
          `select f.device_id from devices f where f.client_id = $1 and f.deleted_at is null and f.model_text = any(array(${modelsByWords(words)}))`,
        ]),
  ].join(' union all ')

export type Period = NumberPeriod & { group_id: number }

/** Number periods of a device or of the devices of a user, newest first. */
export function readNumbers(
  q: Queryable,
  of: { device_id: number } | { device_user_id: number },
): Promise<Period[]> {
  const [column, id] =
    'device_id' in of ? ['n.device_id', of.device_id] : ['h.device_user_id', of.device_user_id]
  return q.rows<Period>(
    `select n.phone_number, n.slot_index, p.from_at as "from", p.to_at as "to", d.device_reference, u.device_user_reference,
       h.group_id, g.group_reference as "group", n.is_contested, n.last_reported,
       case when p.to_at is null or n.first_verified < p.to_at then n.first_verified end as first_verified,
       case when p.to_at is null or n.last_verified < p.to_at then n.last_verified when n.first_verified < p.to_at then n.first_verified end
         as last_verified
     from device_numbers n
     join device_history h on h.client_id = n.client_id and h.device_id = n.device_id
     cross join lateral (select greatest(n.from_at, h.from_at) as from_at, least(n.to_at, h.to_at) as to_at) p
     join devices d on d.client_id = n.client_id and d.device_id = n.device_id
     join groups g on g.client_id = h.client_id and g.group_id = h.group_id
     left join device_users u on u.client_id = h.client_id and u.device_user_id = h.device_user_id
     where n.client_id = $1 and ${column} = $2 and ${IS_SHOWN_NUMBER} and (p.to_at is null or p.from_at < p.to_at)
     order by p.from_at desc, n.claim_id desc limit ${LIMIT}`,
    [q.client_id, id],
  )
}

/** A stored device with internal fields. */
export interface DeviceRecord extends Device {
  device_id: number
  group_id: number
}

export interface DeviceFilter {
  reach: readonly number[] | 'all'
  device_user_id?: number | undefined
  /** Lower-case text, the number that it may be, and prefixes that all match the holder's name. */
  search?: { text: string; number: SearchNumber | undefined; words: readonly string[] } | undefined
  number?: SearchNumber | undefined
  groups?: readonly string[] | undefined
  services?: readonly DeviceService[] | undefined
  states?: readonly DeviceState[] | undefined
  silent_days?: (typeof SILENT_DAYS)[number] | undefined
  silences?: readonly Silence[] | undefined
  seen_days?: (typeof SILENT_DAYS)[number] | undefined
  app_version?: string | undefined
  os_version?: string | undefined
  is_legacy?: boolean | undefined
  proofs?: readonly DeviceProof[] | undefined
  is_waiting?: boolean | undefined
  is_held?: boolean | undefined
  references?: readonly string[] | undefined
  /** Epoch seconds, for `silent_days` and `seen_days`. */
  now: number
}

const PROOF = `case when d.attested_at is not null then 'hardware' when d.device_key is not null then 'key' else 'none' end`
/** Counts the payloads in the reserved group. */
const PAYLOADS = `case when d.waiting_since is not null then (select count(*)::int from (
  select from payloads p where p.client_id = d.client_id and p.device_id = d.device_id and p.group_id = d.group_id
  limit ${WAITING_COUNT_LIMIT + 1}) brought) end`
const COLUMNS = `${clientColumn('d.client_id')}, d.device_id, d.group_id, d.device_reference, ${DEVICE_STATE} as device_state, u.device_user_reference, g.group_reference as "group",
  d.granted_services as services, d.unlicensed_services, d.imeis, coalesce(u.email, d.email) as email, u.first_name, u.surname, d.last_seen,
  d.silence, y.last_payload_at, (y.squares / y.gaps)::int as usual_gap, d.is_deactivated, d.deactivation_date, d.activated_at, d.blocked_at, d.blocked_by, d.is_legacy, d.legacy_phone_number, ${CURRENT_NUMBERS} as phone_numbers,
  ${PROOF} as proof, d.waiting_since, d.waiting_reason, ${PAYLOADS} as waiting_payloads, r.device_user_reference as requested_user_reference,
  o.device_reference as same_hardware_as, d.model, d.os_version, d.app_version, d.serial_number, d.fcm_token, d.installation_id, d.updated_at, d.updated_by, ${HELD_DEVICE} as is_held`
const FROM =
  'devices d join groups g using (client_id, group_id) left join device_users u using (client_id, device_user_id)'
/** Joins the requested holder and the number of uploads of a waiting device. */
const REQUESTED_HOLDER = `left join device_users r on r.client_id = d.client_id and r.device_user_id = d.requested_user_id
  left join devices o on o.client_id = d.client_id and o.device_id = d.same_hardware_as
  left join device_baselines y on y.client_id = d.client_id and y.device_id = d.device_id`

function getConditions(q: Queryable, { reach, now, ...filter }: DeviceFilter) {
  const { bind, values } = binder()
  const client = bind(q.client_id, 'int')
  const groups = reach === 'all' ? undefined : bind(reach, 'int[]')
  const { search, number, device_user_id, states, services, silent_days, seen_days, is_waiting, is_held } =
    filter
  const { app_version, os_version, is_legacy, proofs, silences, references } = filter
  const byNumber = (typed: SearchNumber) => devicesByNumber(typed, bind, groups ?? 'null::int[]')
  const bySearch = ({ text, words, number: typed }: NonNullable<DeviceFilter['search']>) =>
    [
      devicesByText(bind(text, 'text'), bind(words, 'text[]'), /^\d+$/.test(text)),
      ...(typed ? [byNumber(typed)] : []),
    ].join(' union all ')
  const narrowing = [
    device_user_id !== undefined && `d.device_user_id = ${bind(device_user_id, 'int')}`,
    search && `d.device_id = any(array(${bySearch(search)}))`,
    number && `d.device_id = any(array(${byNumber(number)}))`,
    filter.groups && `g.group_reference = any(${bind(filter.groups, 'text[]')})`,
    services && `d.granted_services && ${bind(services, 'text[]')}`,
    states && `${DEVICE_STATE} = any(${bind(states, 'text[]')})`,
    silent_days && `d.last_seen < ${bind(daysAgo(silent_days, now), 'bigint')}`,
    seen_days && `d.last_seen > ${bind(daysAgo(seen_days, now), 'bigint')}`,
    app_version !== undefined && `d.app_version = ${bind(app_version, 'text')}`,
    os_version !== undefined && `d.os_version = ${bind(os_version, 'text')}`,
    is_legacy !== undefined && `d.is_legacy = ${bind(is_legacy, 'boolean')}`,
    proofs && `${PROOF} = any(${bind(proofs, 'text[]')})`,
    is_waiting !== undefined &&
      `(d.waiting_since is not null and d.blocked_at is null) = ${bind(is_waiting, 'boolean')}`,
    silences && `d.silence = any(${bind(silences, 'text[]')})`,
    is_held !== undefined && `${HELD_DEVICE} = ${bind(is_held, 'boolean')}`,
    references && `d.device_reference = any(${bind(references, 'text[]')})`,
  ].filter(Boolean)
  const within = groups === undefined ? '' : ` and d.group_id = any(${groups})`
  return {
    where: [`d.client_id = ${client} and d.deleted_at is null${within}`, ...narrowing].join(' and '),
    bind,
    values,
  }
}

const daysAgo = (days: string, now: number): number => now - Number(days) * DAY

/** SQL: sort value of a device without a holder. */
const NO_NAME = `(''::text collate "C")`

const SORTS = {
  holder: 'u.name_text',
  last_seen: { number: 'coalesce(d.last_seen, 0)' },
  model: 'd.model_text',
  app_version: 'd.app_version_text',
  os_version: 'd.os_version_text',
}

/** Lists devices by reference or in another order, with the sort value of each. */
export function listDevices(
  q: Queryable,
  filter: DeviceFilter,
  asked: SortedPage,
): Promise<(DeviceRecord & { sort_value: string | number })[]> {
  const { where, bind, values } = getConditions(q, filter)
  const isByHolder = asked.sort?.endsWith('holder')
  const { value, order, page } = sortedSql(SORTS, 'd.device_reference', asked, bind)
  const direction = asked.sort?.startsWith('-') ? 'desc' : 'asc'
  // Only devices of these days are sorted.
  const isByDay = asked.sort?.endsWith('last_seen')
  const beyond = direction === 'desc' ? '<=' : '>='
  const byDay =
    isByDay && asked.from
      ? `d.seen_day ${beyond} ${bind(Math.floor(Number(asked.from[0]) / DAY), 'int')}`
      : 'true'
  const found = (of: string, by: string, rows = page) =>
    `select d.device_id, ${by} as sort_value, d.device_reference from ${FROM} where ${where} and ${of} ${rows.replaceAll(value, by)}`
  return q.rows<DeviceRecord & { sort_value: string | number }>(
    // The page is found before its columns, which cost more than the order of all devices. Devices without a holder
    // come apart, so that the others come in the order of the index of names.
    `with page as materialized (${
      isByHolder
        ? `select * from ((${found('d.device_user_id is null', NO_NAME)})
           union all (${found('u.device_user_id is not null', value)})) found
           order by sort_value ${direction}, device_reference ${direction} limit ${Number(asked.limit)}`
        : isByDay
          ? found(byDay, value, page.replace('order by ', `order by d.seen_day ${direction}, `))
          : found('true', value)
    })
     select ${COLUMNS}, sort_value from page
     join ${FROM.replace('devices d', 'devices d using (device_id)')} ${REQUESTED_HOLDER} order by ${order}`,
    values,
  )
}

type LockedDevice = Pick<DeviceRecord, 'device_id' | 'group_id' | 'device_reference' | 'is_deactivated'>

/** Locks at most `limit` devices that match the filter, ordered by reference. */
export function lockDevices(tx: Tx, filter: DeviceFilter, limit: number): Promise<LockedDevice[]> {
  const { where, bind, values } = getConditions(tx, filter)
  return tx.rows<LockedDevice>(
    `select d.device_id, d.group_id, d.device_reference, d.is_deactivated from ${FROM} where ${where}
     order by d.device_reference limit ${bind(limit, 'int')} for no key update of d`,
    values,
  )
}

/** Holders of the devices that match the filter, with the number of these devices; null: devices without a holder, first. */
export function findHolders(
  q: Queryable,
  filter: DeviceFilter,
  limit: number,
): Promise<{ device_user_reference: string | null; devices: number }[]> {
  const { where, bind, values } = getConditions(q, filter)
  return q.rows<{ device_user_reference: string | null; devices: number }>(
    `select u.device_user_reference, count(*)::int as devices from ${FROM} where ${where}
     group by 1 order by 1 nulls first limit ${bind(limit, 'int')}`,
    values,
  )
}

/** Counts the devices that match the filter. */
export function countDevices(q: Queryable, filter: DeviceFilter): Promise<number> {
  const { reach, now: _now, ...narrowing } = filter
  // The database maintains the count of whole groups.
  if (Object.values(narrowing).every((each) => each === undefined)) return countFleet(q, 'd', reach)
  const { where, values } = getConditions(q, filter)
  return q.count(`select count(*)::int as total from ${FROM} where ${where}`, values)
}

/** Returns the device unless deleted. Inside a change it also locks the device. */
export function findListedDevice(
  q: Queryable,
  device_reference: string,
  lock = false,
): Promise<DeviceRecord | undefined> {
  return q.row<DeviceRecord>(
    `select ${COLUMNS} from ${FROM} ${REQUESTED_HOLDER} where d.client_id = $1 and d.device_reference = $2 and d.deleted_at is null
     ${lock ? 'for no key update of d' : ''}`,
    [q.client_id, device_reference],
  )
}

/** Maximum number of holder periods in an answer; a device takes years to have more. */
const HISTORY_LIMIT = 1000

type FleetStorePeriod = DeviceHistory['history'][number] & { group_id: number }

/** Holder periods of a device, newest first. */
export function readHistory(q: Queryable, device_id: number): Promise<FleetStorePeriod[]> {
  return q.rows<FleetStorePeriod>(
    `select h.from_at as "from", h.to_at as "to", h.group_id, u.device_user_reference, g.group_reference as "group"
     from device_history h join groups g using (client_id, group_id) left join device_users u using (client_id, device_user_id)
     where h.client_id = $1 and h.device_id = $2 order by h.from_at desc limit ${HISTORY_LIMIT}`,
    [q.client_id, device_id],
  )
}

/** Fields that the server sets, not the device. */
type Mark = 'is_deactivated' | 'deactivation_date' | 'blocked_at' | 'blocked_by'

/** Updates the marks of a device. */
export async function markDevice(
  tx: Tx,
  device_id: number,
  marks: Partial<Record<Mark, number | string | boolean | null>>,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  const all = Object.entries({ ...marks, ...by })
  await tx.query(
    `update devices set ${all.map(([column], i) => `${column} = $${i + 3}`).join(', ')} where client_id = $1 and device_id = $2`,
    [tx.client_id, device_id, ...all.map(([, value]) => value)],
  )
}

/** Deactivates devices and ends their tokens; those without access keep their date. */
export async function endAccess(
  tx: Tx,
  device_ids: readonly number[],
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  await tx.query(
    `update devices set is_deactivated = true, deactivation_date = coalesce(deactivation_date, $3), updated_at = $3, updated_by = $4
     where client_id = $1 and device_id = any($2) and not is_deactivated`,
    [tx.client_id, device_ids, by.updated_at, by.updated_by],
  )
  await endTokens(tx, device_ids)
}

/** Wire form of a device. Only a caller who `knows_holds` sees that a holder is on hold. */
export function toResponse(
  { device_id: _id, group_id: _group, is_held, ...device }: DeviceRecord,
  knows_holds: boolean,
): Device {
  return knows_holds && is_held !== undefined ? { ...device, is_held } : device
}
