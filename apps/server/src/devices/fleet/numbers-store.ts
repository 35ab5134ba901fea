import type { NumberPeriod } from '@custodia/contract'
import type { Queryable } from '../../ports/database/lease.ts'

/** Maximum number of periods in an answer; a device takes years to have more. */
const LIMIT = 1000

/** SQL: claims `n` to show. A claim without a report since another device has the number does not count. */
const IS_SHOWN = '(n.last_reported is not null or not n.is_contested)'

/** SQL: current numbers of device `d` as JSON; uncontested numbers first. */
export const CURRENT_NUMBERS = `coalesce((select jsonb_agg(jsonb_build_object('phone_number', n.phone_number, 'slot_index', n.slot_index,
    'since', n.from_at, 'last_reported', n.last_reported, 'first_verified', n.first_verified, 'last_verified', n.last_verified,
    'is_contested', n.is_contested) order by n.is_contested, n.slot_index, n.claim_id)
  from device_numbers n where n.client_id = d.client_id and n.device_id = d.device_id and n.to_at is null and ${IS_SHOWN}), '[]')`

/**
 * SQL: whether device `d` has or had a number in the ranges of reversed digits. $1 is the client; `reach` limits former
 * numbers to visible groups.
 */
export const hadNumber = (lows: string, highs: string, reach: string): string => `d.device_id = any(array(
  select n.device_id from unnest(${lows}::text[], ${highs}::text[]) as e (low, high)
  join device_numbers n on n.client_id = $1 and n.reversed >= e.low and n.reversed < e.high
  where ${IS_SHOWN} and (n.to_at is null or ${reach}::int[] is null or exists (select from device_history h
    where h.client_id = n.client_id and h.device_id = n.device_id and h.group_id = any(${reach})
      and h.from_at < n.to_at and (h.to_at is null or h.to_at > n.from_at)))
  union all
  select l.device_id from unnest(${lows}::text[], ${highs}::text[]) as e (low, high)
  join devices l on l.client_id = $1 and l.legacy_phone_number is not null and ${LEGACY} >= e.low and ${LEGACY} < e.high))`

/** Must equal the indexed expression. */
const LEGACY = `(reverse(regexp_replace(l.legacy_phone_number, '[^0-9]', '', 'g')) collate "C")`

export type Period = NumberPeriod & { group_id: number }

/** Number periods of a device or of the devices of a user, newest first. */
export async function readNumbers(
  q: Queryable,
  of: { device_id: number } | { device_user_id: number },
): Promise<Period[]> {
  const [column, id] =
    'device_id' in of ? ['n.device_id', of.device_id] : ['h.device_user_id', of.device_user_id]
  const { rows } = await q.query<Period>(
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
     where n.client_id = $1 and ${column} = $2 and ${IS_SHOWN} and (p.to_at is null or p.from_at < p.to_at)
     order by p.from_at desc, n.claim_id desc limit ${LIMIT}`,
    [q.client_id, id],
    'device_id' in of ? 'numbers_of_device' : 'numbers_of_user',
  )
  return rows
}
