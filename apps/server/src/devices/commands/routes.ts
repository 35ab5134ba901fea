import {
  actionOfCommand,
  type Api,
  type CommandInput,
  COMMANDS_AT_ONCE,
  type DeviceCommand,
  fault,
  type HandlerInput,
  type SentCommand,
} from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import {
  getActor,
  type DeviceContext,
  type Handler,
  type Handlers,
  type PortalContext,
} from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem, withinReach } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { findListedDevice } from '../fleet/fleet-store.ts'
import { lockSet } from '../fleet/routes.ts'
import { issueVerification } from '../numbers/numbers.ts'
import { forgetUnusedCodes } from '../numbers/store.ts'
import { type ListContext, listReports, type ReportList, whereIn } from '../reports/list.ts'
import { COMMAND_LIST, findCommand, findOpenCommands, insertCommands, moveCommand } from './command-store.ts'
import { type WaitingDevices, wakeDevice } from './jobs.ts'

/**
 * Returns the open commands of a device. `wait` holds the answer for up to so many seconds; empty answers write no
 * audit entry.
 */
const fetchCommands =
  (ctx: Pick<AppContext, 'config'>, waiting: WaitingDevices): Handler<'fetchCommands'> =>
  async (context, { query: { wait } }) => {
    const { client_id, device_id } = context.caller
    const read = () => context.read((q) => findOpenCommands(q, device_id, COMMANDS_AT_ONCE))
    const toResponse = async (commands: SentCommand[]) => {
      if (commands.length === 0) context.leaveNoEntry()
      return { commands: await withSecrets(ctx, context, commands) }
    }
    if (wait === 0) return toResponse(await read())
    // Begins the wait before the query, so that a new command ends it.
    const turn = await waiting.begin(`${client_id} ${device_id}`, wait)
    context.reply.raw.once('close', turn.end)
    try {
      let commands = await read()
      if (!commands.some(isNews)) {
        await turn.over
        commands = await read()
      }
      return await toResponse(commands)
    } finally {
      turn.end()
    }
  }

const isNews = ({ state }: SentCommand) => state === 'Sent'

/** Adds secrets that are not stored: a new verification code replaces the previous one. */
async function withSecrets(
  { config }: Pick<AppContext, 'config'>,
  context: DeviceContext,
  commands: SentCommand[],
): Promise<SentCommand[]> {
  const { caller, now } = context
  if (!commands.some((each) => each.command === 'send_verification_sms' && isNews(each))) return commands
  const { device_id } = caller
  const verification_code = await context.write(async (tx) => {
    await forgetUnusedCodes(tx, device_id)
    return issueVerification(tx, { device_id, now })
  })
  const verification = { verification_code, gateway_number: config.smsGatewayNumber ?? null }
  return commands.map((each) =>
    each.command === 'send_verification_sms' && isNews(each) ? { ...each, params: verification } : each,
  )
}

/** Lists of commands, of all devices and of one. */
export const commandLists = (ctx: ListContext): Handlers<'listCommands' | 'listCommandsOfDevice'> => ({
  listCommands: (context, { query }) => listReports<DeviceCommand>(ctx, context, getList(query)),
  listCommandsOfDevice: (context, { params: subject, query }) =>
    listReports<DeviceCommand>(ctx, context, { ...getList(query), subject }),
})

const getList = (query: HandlerInput<Api['listCommands']>['query']): ReportList => ({
  name: 'commands',
  query,
  of: COMMAND_LIST,
  conditions: [
    ...whereIn('command', query.commands),
    ...whereIn('state', query.states),
    ...whereIn('raised_by', query.raised_by === undefined ? undefined : [query.raised_by]),
  ],
})

type Parts = Pick<AppContext, 'config' | 'jobs' | 'push'>

/**
 * Sends a command to a device. Problems: as `refusalOf`; not_permitted without the action that a
 * dangerous command needs; wrong_state, for a deactivated device; invalid_input, for a text message without a gateway.
 */
const sendCommand =
  (ctx: Parts): Handler<'sendCommand'> =>
  (context, { params: { device_reference }, body }) =>
    context.write(async (tx) => {
      const device = withinReach(context, await findListedDevice(tx, device_reference, true), 'devices')
      const action = actionOfCommand(body.command)
      if (action !== undefined && !context.caller.access.permits(action, device))
        throw new Problem('not_permitted', { detail: `no role permits ${action}` })
      if (device.is_deactivated)
        throw new Problem('wrong_state', { faults: [fault('command', 'device_deactivated')] })
      const [command_reference = ''] = await sendTo(ctx, context, tx, [device], body)
      return findCommand(tx, command_reference)
    })

/**
 * Sends a command to each of these devices, or to each one that matches the filter, as far as the caller may.
 * Deactivated devices are left out: they fetch no commands. Problem: invalid_input, for a text message without a
 * gateway.
 */
const sendCommands =
  (ctx: Parts): Handler<'sendCommands'> =>
  (context, { query, body: { order, ...body } }) =>
    context.write(async (tx) => {
      const actions = [context.action, actionOfCommand(order.command) ?? context.action]
      const { permitted, outcomes } = await lockSet(context, tx, { query, body }, actions)
      const { active = [], deactivated = [] } = Object.groupBy(permitted, (device) =>
        device.is_deactivated ? 'deactivated' : 'active',
      )
      await sendTo(ctx, context, tx, active, order)
      context.noteFacts({ devices: active.length, command: order.command })
      const refused = new Set(deactivated.map(({ device_reference }) => device_reference))
      const data = outcomes.data.map((each) =>
        refused.has(each.device_reference) ? { ...each, status: 'Deactivated' as const } : each,
      )
      return { ...outcomes, data }
    })

/** Stores a command to each device, wakes them and returns the references. */
async function sendTo(
  { config, jobs, push }: Parts,
  { caller, now }: PortalContext,
  tx: Tx,
  devices: readonly { device_id: number; group_id: number }[],
  body: CommandInput,
): Promise<string[]> {
  if (body.command === 'send_verification_sms' && config.smsGatewayNumber === undefined)
    throw new Problem('invalid_input', { faults: [fault('command', 'no_sms_gateway')] })
  const { client_id } = tx
  if (push) await jobs.send(tx, wakeDevice, ...devices.map(({ device_id }) => ({ client_id, device_id })))
  const sent = devices.map((device) => ({ ...device, command_reference: newId() }))
  await insertCommands(tx, sent, body, { raised_by: getActor(caller), sent_at: now })
  return sent.map(({ command_reference }) => command_reference)
}

/**
 * Stores a device's report on its command and returns the state. A repeated or late report changes nothing. Problem:
 * not_found.
 */
const reportCommand: Handler<'reportCommand'> = (
  context,
  { params: { command_reference }, body: { state, message = null } },
) =>
  context.write(async (tx) => {
    const { device_id } = context.caller
    const command = { device_id, command_reference }
    const reached = await moveCommand(tx, command, { state, message, now: context.now })
    if (reached === undefined) throw new Problem('not_found', { detail: 'no command of this device' })
    return { command_reference, state: reached }
  })

/** Command routes of devices and the portal. */
export const commandRoutes = (
  ctx: AppContext,
  waiting: WaitingDevices,
): ReturnType<typeof commandLists> &
  Handlers<'sendCommand' | 'sendCommands' | 'fetchCommands' | 'reportCommand'> => ({
  ...commandLists(ctx),
  sendCommand: sendCommand(ctx),
  sendCommands: sendCommands(ctx),
  fetchCommands: fetchCommands(ctx, waiting),
  reportCommand,
})
