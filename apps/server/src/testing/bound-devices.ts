import type { AuthenticateRequest } from '@custodia/contract'
import { type DeviceKeyPair, newDeviceKey, signAuthentication } from '@custodia/envelope'
import { ulid } from 'ulid'
import { hardwareOf } from '../device-records/hardware.ts'
import type { Sql } from './test-context.ts'

/** What a device says, without the proof of its key. */
export type Unsigned = Omit<AuthenticateRequest, 'device_key' | 'signature'>

/**
 * Signs requests of test devices, each with a key by its serial number, else IMEI, else installation. A device is
 * bound before its first request, as after an administrator's confirmation: to the person of its e-mail address, else
 * to the default group.
 */
export function boundDevices(sql: Sql) {
  const pairs = new Map<string, Promise<DeviceKeyPair>>()
  async function bind(client_id: number, stated: Unsigned): Promise<DeviceKeyPair> {
    const pair = newDeviceKey()
    const { serial_number, imeis } = hardwareOf(stated)
    const pinned = await sql(PIN, [client_id, pair.device_key, serial_number, imeis])
    if (pinned.length === 0) await sql(BIND, [client_id, pair.device_key, stated.email ?? null, ulid()])
    return pair
  }
  return async (client_id: number, stated: Unsigned): Promise<AuthenticateRequest> => {
    const name = `${client_id} ${stated.serial_number ?? stated.imeis[0] ?? stated.installation_id}`
    const bound = pairs.get(name) ?? bind(client_id, stated)
    pairs.set(name, bound)
    const { device_key, private_key } = await bound
    return { ...stated, device_key, signature: signAuthentication(private_key, stated) }
  }
}

/** A device that the test has inserted. */
const PIN = `update devices set device_key = $2, key_pinned_at = 0
  where client_id = $1 and device_key is null and (serial_number = $3 or imeis && $4::text[]) returning device_id`
const BIND = `insert into devices (client_id, device_reference, device_key, key_pinned_at, device_user_id, group_id, updated_at, updated_by)
  select d.client_id, $4, $2, 0, u.device_user_id, coalesce(u.group_id, d.group_id), 0, 'test'
  from account_defaults d left join device_users u on u.client_id = d.client_id and lower(u.email) = lower($3) and u.deleted_at is null
  where d.client_id = $1`
