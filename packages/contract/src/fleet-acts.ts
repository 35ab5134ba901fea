import * as z from 'zod/mini'
import { ESCALATE } from './access.ts'
import { COMMAND_POWERS, CommandInput, SEND_COMMAND } from './device-commands.ts'
import { deviceUserFilters } from './device-users.ts'
import { deviceFilters } from './devices.ts'
import { ADMIN_GROUPS, endpoints, ownerNames, person_name, post } from './endpoint.ts'
import { enrolmentDays, enrolmentNote, NewEnrolment } from './enrolments.ts'
import { Fault, RowProblem } from './fault.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import { LOCALES } from './phrases.ts'
import {
  BATCH_LIMIT,
  DeviceReference,
  DeviceUserReference,
  FILTER_LIMIT,
  GroupReference,
  uniqueList,
  setBody,
} from './scalars.ts'

/** Outcome of an act for one of several devices. `Deactivated`: the device fetches no commands. */
export const SEND_STATUSES = ['Ok', 'NoMatchingRecord', 'NotPermitted', 'Deactivated'] as const
export type SendStatus = (typeof SEND_STATUSES)[number]

/** How people receive their codes: on a printed sheet, whose text the answer has, or by e-mail. */
export const CODE_CHANNELS = ['mail', 'sheet'] as const
export type CodeChannel = (typeof CODE_CHANNELS)[number]

/** Outcome of an enrolment for one of several device users. */
export const ENROL_STATUSES = ['Ok', 'NoMatchingRecord', 'NotPermitted', 'Offboarded', 'NoAddress'] as const
export type EnrolStatus = (typeof ENROL_STATUSES)[number]

/** Changes of several device users at once. */
export const USER_CHANGES = ['move', 'add_services', 'remove_services', 'offboard', 'onboard'] as const
export type UserChangeName = (typeof USER_CHANGES)[number]

const services = uniqueList(z.enum(DEVICE_SERVICES), 1, DEVICE_SERVICES.length)
export const UserChange = z.discriminatedUnion('change', [
  z.strictObject({ change: z.literal('move'), group: GroupReference }),
  z.strictObject({ change: z.literal('add_services'), services }),
  z.strictObject({ change: z.literal('remove_services'), services }),
  z.strictObject({ change: z.literal('offboard') }),
  z.strictObject({ change: z.literal('onboard') }),
])
export type UserChange = z.output<typeof UserChange>

/** Actual or previewed outcome of a change for one of several device users. */
export const CHANGE_STATUSES = ['Ok', 'Unchanged', 'NoMatchingRecord', 'NotPermitted', 'Refused'] as const
export type ChangeStatus = (typeof CHANGE_STATUSES)[number]

/** These, or all that match the query. */
const ofUsers = {
  device_user_references: z.optional(uniqueList(DeviceUserReference, 1, BATCH_LIMIT)),
}
const ofDevices = {
  device_references: z.optional(uniqueList(DeviceReference, 1, BATCH_LIMIT)),
}
/** Whether more than the limit matched. */
const is_cut = z.boolean()

const DeviceOutcome = z.strictObject({
  device_reference: DeviceReference,
  device_name: ownerNames.device_name,
  status: z.enum(SEND_STATUSES),
})

const changeUsers = {
  method: 'POST',
  ...ADMIN_GROUPS,
  query: deviceUserFilters,
  body: setBody('device_user_references', { order: UserChange, ...ofUsers }),
  response: z.strictObject({
    data: z.array(
      z.strictObject({
        device_user_reference: DeviceUserReference,
        person_name,
        status: z.enum(CHANGE_STATUSES),
        /** Why it was refused, other than faults of fields. */
        problem: z.optional(RowProblem),
        faults: z.array(Fault),
      }),
    ),
    is_cut,
  }),
} as const

/** Acts on several devices or device users at once. */
export const fleetActEndpoints = endpoints({
  sendCommands: {
    ...post(ADMIN_GROUPS, 'commands'),
    action: SEND_COMMAND,
    powers: COMMAND_POWERS,
    summary: 'Send a command to a selection of up to 100 devices, or to all that match a filter',
    description: `Each device that the caller may list has its own outcome. With “all”, sends to up to ${FILTER_LIMIT} devices that match the query, in the order of the list.`,
    query: deviceFilters,
    body: setBody('device_references', { order: CommandInput, ...ofDevices }),
    response: z.strictObject({
      data: z.array(DeviceOutcome),
      is_cut,
    }),
  },
  deactivateDevices: {
    ...post(ADMIN_GROUPS, 'deactivations'),
    action: 'devices:deactivate',
    summary: 'Revoke the tokens of a selection of up to 100 devices, or of all that match a filter',
    description: `Each device that the caller may list has its own outcome. With “all”, deactivates up to ${FILTER_LIMIT} devices that match the query, in the order of the list.`,
    query: deviceFilters,
    body: setBody('device_references', ofDevices),
    response: z.strictObject({
      data: z.array(DeviceOutcome),
      is_cut,
    }),
  },
  changeDeviceUsers: {
    ...changeUsers,
    path: 'user_changes',
    action: 'users:update',
    support: true,
    powers: [ESCALATE],
    summary:
      'Move, offboard or onboard up to 100 device users or all that match a filter, or change their services',
    description: `Each device user has their own outcome. With “all”, changes up to ${FILTER_LIMIT} device users that match the query, in the order of the list.`,
  },
  reviewDeviceUserChanges: {
    ...changeUsers,
    path: 'user_changes/review',
    action: 'users:review',
    summary: 'Preview a change of several device users',
  },
  enrolUsers: {
    ...post(ADMIN_GROUPS, 'enrolments/users'),
    action: 'users.enrolments:create',
    summary: 'Create an enrolment for one device of each of several device users',
    description: `Each device user has their own outcome. A mailed code goes to the device user’s e-mail address, and the answer does not have it. With “all”, mails to up to ${FILTER_LIMIT} device users that match the query, or makes sheets for up to ${BATCH_LIMIT}.`,
    query: deviceUserFilters,
    body: setBody('device_user_references', {
      ...ofUsers,
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
          person_name,
          /** For a sheet. */
          enrolment: z.optional(NewEnrolment),
        }),
      ),
      is_cut,
    }),
  },
})
