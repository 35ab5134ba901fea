import { findUser } from '../../device-users/store.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { findListedDevice } from './fleet-store.ts'
import { type Period, readNumbers } from './numbers-store.ts'

/** Which numbers a phone had when, and who held it then. */
export const readDeviceNumbers: Handler<'readDeviceNumbers'> = async (context, { params }) => {
  const device = await context.read((q) => findListedDevice(q, params.device_reference))
  if (!device || !context.caller.access.permits('devices.numbers:read', device))
    throw new Problem('not_found', { detail: 'no such device' })
  return {
    numbers: within(context, 'devices.numbers:read', await context.read((q) => readNumbers(q, device))),
  }
}

/** Which numbers somebody had when, on whichever phones. */
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

/** Of times in groups out of reach nothing is told. */
const within = (
  { caller }: PortalContext,
  action: 'devices.numbers:read' | 'users.numbers:read',
  periods: readonly Period[],
) =>
  periods.flatMap(({ group_id, ...period }) => (caller.access.permits(action, { group_id }) ? [period] : []))
