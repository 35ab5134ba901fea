import * as z from 'zod/mini'
import { COMMAND_POWERS, CommandInput, SEND_COMMAND } from './device-commands.ts'
import { deviceFilters } from './devices.ts'
import { ADMIN_GROUPS, endpoints, inClient } from './endpoint.ts'
import { enrolmentDays, enrolmentNote, NewEnrolment } from './enrolments.ts'
import { LOCALES } from './phrases.ts'
import { BATCH_LIMIT, DeviceReference, DeviceUserReference, FILTER_LIMIT, uniqueList } from './scalars.ts'

/** Outcome of a command for one of several devices. */
export const SEND_STATUSES = ['Ok', 'NoMatchingRecord', 'NotPermitted'] as const
export type SendStatus = (typeof SEND_STATUSES)[number]

/** How people receive their codes: on a printed sheet, whose text the answer has, or by e-mail. */
export const CODE_CHANNELS = ['mail', 'sheet'] as const
export type CodeChannel = (typeof CODE_CHANNELS)[number]

/** Outcome of an enrolment for one of several device users. */
export const ENROL_STATUSES = ['Ok', 'NoMatchingRecord', 'Offboarded', 'NoAddress'] as const
export type EnrolStatus = (typeof ENROL_STATUSES)[number]

/** Acts on several devices or device users at once. */
export const fleetActEndpoints = endpoints({
  sendCommands: {
    method: 'POST',
    ...ADMIN_GROUPS,
    path: 'commands',
    action: SEND_COMMAND,
    powers: COMMAND_POWERS,
    summary: 'Send a command to a selection of up to 100 devices, or to all that match a filter',
    description: `Each device that the caller may list has its own outcome. Without a selection, sends to up to ${FILTER_LIMIT} devices that match the query, in the order of the list.`,
    params: inClient,
    query: deviceFilters,
    body: z.strictObject({
      order: CommandInput,
      /** Only these, whatever the query says. */
      device_references: z.optional(uniqueList(DeviceReference, 1, BATCH_LIMIT)),
    }),
    response: z.strictObject({
      data: z.array(z.strictObject({ device_reference: DeviceReference, status: z.enum(SEND_STATUSES) })),
      /** Whether more than the limit matched. */
      is_cut: z.boolean(),
    }),
  },
  enrolUsers: {
    method: 'POST',
    ...ADMIN_GROUPS,
    path: 'enrolments/users',
    action: 'users.enrolments:create',
    summary: 'Create an enrolment for one device of each of up to 100 device users',
    description:
      'Each device user has its own outcome. A mailed code goes to the device user’s e-mail address, and the answer does not have it.',
    params: inClient,
    body: z.strictObject({
      device_user_references: uniqueList(DeviceUserReference, 1, BATCH_LIMIT),
      channel: z.enum(CODE_CHANNELS),
      /** Of the mail. */
      language: z._default(z.enum(LOCALES), LOCALES[0]),
      expires_in_days: enrolmentDays,
      description: enrolmentNote,
    }),
    response: z.strictObject({
      data: z.array(
        z.strictObject({
          device_user_reference: DeviceUserReference,
          status: z.enum(ENROL_STATUSES),
          /** For a sheet. */
          enrolment: z.optional(NewEnrolment),
        }),
      ),
    }),
  },
})
