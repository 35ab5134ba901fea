import { actionOfCommand, fault, SEND_COMMAND } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import { findListedDevice } from '../fleet/fleet-store.ts'
import { wakePhone } from './jobs.ts'
import { insertCommand } from './command-store.ts'

/**
 * Sends a command to a device. Problems: not_found outside the caller's groups; not_permitted without the action that a
 * dangerous command needs.
 */
export const sendCommand =
  ({ config, jobs, push }: Pick<AppContext, 'config' | 'jobs' | 'push'>): Handler<'sendCommand'> =>
  (context, { params: { device_reference }, body }) =>
    context.write(async (tx) => {
      const { access } = context.caller
      const device = await findListedDevice(tx, device_reference, true)
      if (!device || !access.permits(SEND_COMMAND, device))
        throw new Problem('not_found', { detail: 'no such device' })
      const action = actionOfCommand(body.command)
      if (action !== undefined && !access.permits(action, device))
        throw new Problem('not_permitted', { detail: `no role permits ${action}` })
      if (body.command === 'send_verification_sms' && config.smsGatewayNumber === undefined)
        throw new Problem('invalid_input', { faults: [fault('command', 'no_sms_gateway')] })
      if (push) await jobs.send(tx, wakePhone, { client_id: tx.client_id, device_id: device.device_id })
      return insertCommand(tx, device, body, {
        command_reference: newId(),
        raised_by: actorOf(context.caller),
        sent_at: context.now,
      })
    })
