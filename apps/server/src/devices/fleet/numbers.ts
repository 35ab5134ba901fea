import { findUser } from '../../device-users/store.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { findListedDevice } from './fleet-store.ts'
import { type Period, readNumbers } from './numbers-store.ts'

/** Numbers of a device over time, with their holders. */
export const readDeviceNumbers: Handler<'readDeviceNumbers'> = async (context, { params }) => {
  const device = await context.read((q) => findListedDevice(q, params.device_reference))
  if (!device || !context.caller.access.permits('devices.numbers:read', device))
    throw new Problem('not_found', { detail: 'no such device' })
  return {
    numbers: within(context, 'devices.numbers:read', await context.read((q) => readNumbers(q, device))),
  }
}

/** Numbers of a user over time, across devices. */
export const readNumbersOfUser: Handler<'readNumbersOfUser'> = async (context, { params }) => {
  const user = await context.read((q) => findUser(q, params.device_user_reference))
  if (!user || !context.caller.access.permits('users.numbers:read', user))
    throw new Problem('not_found', { detail: 'no such device user' })
  const { device_user_id } = user
  return {
    numbers: within(
      context,
      'users.numbers:read',
      await context.read((q) => readNumbers(q, { device_user_id })),
    ),
  }
}

/** Removes periods in groups outside the caller's reach. */
const within = (
  { caller }: PortalContext,
  action: 'devices.numbers:read' | 'users.numbers:read',
  periods: readonly Period[],
) =>
  periods.flatMap(({ group_id, ...period }) => (caller.access.permits(action, { group_id }) ? [period] : []))
