import * as z from 'zod/mini'
import { ESCALATE } from './access.ts'
import { Device, deviceFilters } from './devices.ts'
import { ADMIN_GROUPS, endpoints, post, put } from './endpoint.ts'
import { Fault, RowProblem } from './fault.ts'
import { BATCH_LIMIT, DeviceUserReference, text } from './scalars.ts'

/** The decision about a waiting device: confirm its claimed holder, or reject it. */
export const HOLDER_DECISIONS = ['confirm', 'reject'] as const
export type HolderDecision = (typeof HOLDER_DECISIONS)[number]

/** Decision about a pending device. */
export const DecideHolderBody = z.strictObject({
  /** A rejected device returns to its former holder; a new device is blocked. */
  decision: z.enum(HOLDER_DECISIONS),
  /** The holder; absent: the claimed one. */
  device_user_reference: z.optional(DeviceUserReference),
})
export type DecideHolderBody = z.output<typeof DecideHolderBody>

/** Columns of a file of decisions; one of the first two identifies the device. */
export const HOLDER_COLUMNS = ['serial_number', 'device_reference', 'device_user_reference'] as const
export type HolderColumn = (typeof HOLDER_COLUMNS)[number]
/** Maximum characters of a cell. */
export const HOLDER_CELL_LIMIT = 255
/** Maximum devices of one call. */
export const HOLDER_ROWS_LIMIT = BATCH_LIMIT

/** Most devices that one call decides by a filter: each takes several statements. */
export const HOLDER_MATCH_LIMIT = 1000

const cell = z.optional(text(0, HOLDER_CELL_LIMIT))

/** A device, by its reference or its serial number, and its holder; empty: the claimed one. */
export const HolderRow = z.strictObject({
  serial_number: cell,
  device_reference: cell,
  device_user_reference: cell,
} satisfies Record<HolderColumn, typeof cell>)
export type HolderRow = z.output<typeof HolderRow>

/** Actual or previewed outcome of each device. */
const HoldersAnswer = z.strictObject({
  rows: z.array(
    z.strictObject({
      outcome: z.enum(['decided', 'refused']),
      /** The device after the decision. */
      device: z.nullable(Device),
      /** Reason for the refusal, other than faults of cells. */
      problem: z.optional(RowProblem),
      faults: z.array(Fault),
    }),
  ),
  /** Whether more than the limit matched. */
  is_cut: z.boolean(),
})
export type HoldersAnswer = z.output<typeof HoldersAnswer>

const deciding = {
  ...ADMIN_GROUPS,
  powers: [ESCALATE],
} as const

const many = {
  ...deciding,
  query: deviceFilters,
  body: z.strictObject({
    decision: z.enum(HOLDER_DECISIONS),
    /** Absent: the pending devices that match the query. */
    rows: z.optional(z.array(HolderRow).check(z.minLength(1), z.maxLength(HOLDER_ROWS_LIMIT))),
  }),
  response: HoldersAnswer,
} as const

export const deviceHolderEndpoints = endpoints({
  confirmDeviceHolder: {
    ...put(deciding, 'devices/{device_reference}/holder'),
    action: 'devices.holder:confirm',
    summary: 'Confirm or reject the holder of a pending device',
    body: DecideHolderBody,
    response: Device,
    problems: ['not_found', 'changed_meanwhile', 'escalation'],
  },
  decideDeviceHolders: {
    ...post(many, 'device_holders'),
    action: 'devices.holder:decide',
    summary: 'Decide about many pending devices, or those that match a filter, each with its own outcome',
  },
  reviewDeviceHolders: {
    ...post(many, 'device_holders/review'),
    action: 'devices.holder:review',
    summary: 'Preview the decisions about pending devices',
  },
})
