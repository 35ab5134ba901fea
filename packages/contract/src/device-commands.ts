import * as z from 'zod/mini'
import { UpdatedBy } from './access.ts'
import {
  listOrder,
  ADMIN_GROUPS,
  dateRange,
  DEVICE,
  endpoints,
  get,
  ownerNames,
  getPage,
  pageQuery,
  post,
  put,
} from './endpoint.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  DeviceReference,
  EpochSeconds,
  GroupReference,
  prose,
  queryInteger,
  Ulid,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** Commands to a device (spec section 5); `allow_uninstall` is a type of its own there, sent by the same call. */
export const COMMANDS = [
  'sync_data',
  'diagnostics_upload',
  'reupload_sms_messages',
  'sms_auto_response',
  'send_verification_sms',
  'remove_device_admin',
  'allow_factory_reset',
  'allow_power_off',
  'allow_uninstall',
] as const
export type CommandName = (typeof COMMANDS)[number]

/**
 * Commands after which a device may stop recording: each requires its own action in addition to the one for commands.
 */
export const DANGEROUS_COMMANDS = [
  'remove_device_admin',
  'allow_factory_reset',
  'allow_power_off',
  'allow_uninstall',
] as const satisfies readonly CommandName[]

/** The action with which commands are sent. */
export const SEND_COMMAND = 'devices.commands:send'

/** The action that a dangerous command requires in addition to `SEND_COMMAND`; undefined for the others. */
export const actionOfCommand = (command: CommandName): string | undefined =>
  (DANGEROUS_COMMANDS as readonly CommandName[]).includes(command) ? `devices.commands:${command}` : undefined

/** States of a command and when they are reached (spec section 4). */
export const COMMAND_STATES = ['Sent', 'Acknowledged', 'Completed', 'Failed'] as const
export type CommandState = (typeof COMMAND_STATES)[number]

/** Why a command failed: the device reported an error, or did not answer. */
export const COMMAND_FAILURES = ['reported', 'no_answer'] as const

/** Days after which a command that no device answered has failed. */
export const COMMAND_ANSWER_DAYS = 30

/** Text of the automatic reply to messages. */
export const AUTO_RESPONSE_LIMIT = 480

const nothing = z.strictObject({})

/** Parameters of each command. */
export const COMMAND_PARAMS = {
  sync_data: nothing,
  diagnostics_upload: nothing,
  /** Only messages of this period; without both limits, all messages on the device. */
  reupload_sms_messages: z.strictObject({ from: z.optional(EpochSeconds), to: z.optional(EpochSeconds) }),
  /** The automatic reply to text messages; `null`: none. */
  sms_auto_response: z.strictObject({ text: z.nullable(prose(1, AUTO_RESPONSE_LIMIT)) }),
  send_verification_sms: nothing,
  remove_device_admin: nothing,
  allow_factory_reset: nothing,
  allow_power_off: nothing,
  allow_uninstall: nothing,
} as const satisfies Record<CommandName, z.ZodMiniObject>

/** `params` is optional if the command has no required parameters. */
const order = <const Name extends CommandName>(command: Name) =>
  z.strictObject({ command: z.literal(command), params: z.prefault(COMMAND_PARAMS[command], {} as never) })

/** A command as a caller sends it (spec section 7: command and params). */
export const CommandInput = z.discriminatedUnion('command', [
  order('sync_data'),
  order('diagnostics_upload'),
  order('reupload_sms_messages'),
  order('sms_auto_response'),
  order('send_verification_sms'),
  order('remove_device_admin'),
  order('allow_factory_reset'),
  order('allow_power_off'),
  order('allow_uninstall'),
])
export type CommandInput = z.output<typeof CommandInput>

/** A command to a device with its outcome (spec section 3). */
export const DeviceCommand = z.strictObject({
  client: ClientReference,
  command_reference: Ulid,
  command: z.enum(COMMANDS),
  params: z.record(z.string(), z.unknown()),
  device_reference: DeviceReference,
  /** Of the device when it was sent. */
  group: GroupReference,
  state: z.enum(COMMAND_STATES),
  ...authors({ raised_by: z.string() }),
  sent_at: EpochSeconds,
  acknowledged_at: z.nullable(EpochSeconds),
  /** Time of completion or failure. */
  completed_at: z.nullable(EpochSeconds),
  failure: z.nullable(z.enum(COMMAND_FAILURES)),
  /** Report of the device about the outcome. */
  message: z.nullable(z.string()),
  updated_by: UpdatedBy,
  ...ownerNames,
})
export type DeviceCommand = z.output<typeof DeviceCommand>

/** Actions of which some commands require one in addition. */
export const COMMAND_POWERS = DANGEROUS_COMMANDS.map((command) => `devices.commands:${command}`)

const narrowed = {
  commands: z.optional(uniqueList(z.enum(COMMANDS), 1, COMMANDS.length)),
  states: z.optional(uniqueList(z.enum(COMMAND_STATES), 1, COMMAND_STATES.length)),
  raised_by: z.optional(UserReference),
  /** By time of sending, as the order. */
  ...dateRange,
  order: listOrder,
}

export const commandEndpoints = endpoints({
  listCommands: {
    ...get(ADMIN_GROUPS, 'commands'),
    action: 'commands:list',
    support: true,
    summary: 'List the commands of devices in the caller’s groups, newest or oldest first',
    query: {
      ...pageQuery,
      ...narrowed,
      groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
      device_reference: z.optional(DeviceReference),
    },
    response: getPage(DeviceCommand),
  },
  listCommandsOfDevice: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}/commands'),
    action: 'devices.commands:list',
    support: true,
    summary: 'List the commands of a device, newest or oldest first',
    query: { ...pageQuery, ...narrowed },
    response: getPage(DeviceCommand),
    problems: ['not_found'],
  },
  sendCommand: {
    ...post(ADMIN_GROUPS, 'devices/{device_reference}/commands'),
    action: SEND_COMMAND,
    powers: COMMAND_POWERS,
    summary: 'Send a command to a device',
    description:
      'Commands that can stop recording require an additional action, such as `devices.commands:allow_uninstall`. The device executes the command when it is online.',
    body: CommandInput,
    response: DeviceCommand,
    problems: ['not_found', 'not_permitted', 'wrong_state'],
  },
})

/** Maximum commands of one response to a device. */
export const COMMANDS_AT_ONCE = 100
/** Maximum seconds of a long poll for commands. */
export const COMMAND_WAIT_SECONDS = 55

/** Report of a device about a command. */
export const REPORTED_STATES = [
  'Acknowledged',
  'Completed',
  'Failed',
] as const satisfies readonly CommandState[]

/** A command as its device receives it. */
export const SentCommand = z.strictObject({
  command_reference: Ulid,
  command: z.enum(COMMANDS),
  /** As sent; for `send_verification_sms` also the code and the recipient number. */
  params: z.record(z.string(), z.unknown()),
  state: z.enum(COMMAND_STATES),
  sent_at: EpochSeconds,
})
export type SentCommand = z.output<typeof SentCommand>

/** Command calls of the device. */
export const commandDeliveryEndpoints = endpoints({
  fetchCommands: {
    ...get(DEVICE, 'commands'),
    summary: 'List the open commands of the calling device, oldest first',
    query: { wait: z._default(queryInteger(0, COMMAND_WAIT_SECONDS), 0) },
    response: z.strictObject({ commands: z.array(SentCommand) }),
  },
  reportCommand: {
    ...put(DEVICE, 'commands/{command_reference}'),
    summary: 'Acknowledge, complete or fail a command, idempotently, as its device',
    body: z.strictObject({ state: z.enum(REPORTED_STATES), message: z.optional(z.nullable(prose(1, 1000))) }),
    response: z.strictObject({ command_reference: Ulid, state: z.enum(COMMAND_STATES) }),
    problems: ['not_found'],
  },
})
