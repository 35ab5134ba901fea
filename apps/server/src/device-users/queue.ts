import type { Handler } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { readQueue } from './queue-store.ts'
import { findUser } from './store.ts'

/** Pending payloads on a user's devices; payloads and devices of other groups are left out. */
export const readUserQueue: Handler<'readUserQueue'> = async (context, { params }) => {
  const { access } = context.caller
  const user = await context.read((q) => findUser(q, params.device_user_reference))
  if (!user || !access.permits('users.queue:read', user))
    throw new Problem('not_found', { detail: 'no such device user' })
  const { device_user_id } = user
  const devices = await context.read((q) =>
    readQueue(q, { device_user_id, reach: access.groups('users.queue:read') }),
  )
  return { devices, is_empty: devices.every(({ waiting, is_unseen }) => waiting === 0 && !is_unseen) }
}
