import * as z from 'zod/mini'
import { ESCALATE } from './access.ts'
import { Device } from './devices.ts'
import { endpoints } from './endpoint.ts'
import { Fault, RowProblem } from './faults.ts'
import { inClient } from './paging.ts'
import { BATCH_LIMIT, ClientReference, DeviceReference, DeviceUserReference, text } from './scalars.ts'

/** The decision about a waiting phone: confirm its claimed holder, or reject it. */
export const HOLDER_DECISIONS = ['confirm', 'reject'] as const
export type HolderDecision = (typeof HOLDER_DECISIONS)[number]

/** What becomes of a phone that waits. */
export const DecideHolderBody = z.strictObject({
  /** Rejected, a phone goes back to its holder; one that is new is refused from then on. */
  decision: z.enum(HOLDER_DECISIONS),
  /** The holder; absent: the claimed one. */
  device_user_reference: z.optional(DeviceUserReference),
})
export type DecideHolderBody = z.output<typeof DecideHolderBody>

/** Columns of a file of phones to decide about; one of the first two names the phone. */
export const HOLDER_COLUMNS = ['serial_number', 'device_reference', 'device_user_reference'] as const
export type HolderColumn = (typeof HOLDER_COLUMNS)[number]
/** Characters of one of their cells. */
export const HOLDER_CELL_LIMIT = 255
/** Phones that are decided about in one call. */
export const HOLDER_ROWS_LIMIT = BATCH_LIMIT

const cell = z.optional(text(0, HOLDER_CELL_LIMIT))

/** A phone, by its reference or its serial number, and its holder; empty: the claimed one. */
export const HolderRow = z.strictObject({
  serial_number: cell,
  device_reference: cell,
  device_user_reference: cell,
} satisfies Record<HolderColumn, typeof cell>)
export type HolderRow = z.output<typeof HolderRow>

/** What became of each phone, or would. */
const HoldersAnswer = z.strictObject({
  rows: z.array(
    z.strictObject({
      outcome: z.enum(['decided', 'refused']),
      /** The phone as it is then. */
      device: z.nullable(Device),
      /** Why the row was refused, apart from faults of its cells. */
      problem: z.optional(RowProblem),
      faults: z.array(Fault),
    }),
  ),
})
export type HoldersAnswer = z.output<typeof HoldersAnswer>

const deciding = {
  portal: 'admin',
  authentication: 'portal',
  concerns: 'groups',
  powers: [ESCALATE],
} as const

const many = {
  ...deciding,
  method: 'POST',
  params: inClient,
  body: z.strictObject({
    decision: z.enum(HOLDER_DECISIONS),
    rows: z.array(HolderRow).check(z.minLength(1), z.maxLength(HOLDER_ROWS_LIMIT)),
  }),
  response: HoldersAnswer,
} as const

export const deviceHolderEndpoints = endpoints({
  confirmDeviceHolder: {
    ...deciding,
    method: 'PUT',
    path: 'devices/{device_reference}/holder',
    action: 'devices.holder:confirm',
    summary:
      'Decides whose a phone is that waits for confirmation; what it recorded meanwhile is filed accordingly',
    params: z.object({ client: ClientReference, device_reference: DeviceReference }),
    body: DecideHolderBody,
    response: Device,
    problems: ['not_found', 'changed_meanwhile', 'escalation'],
  },
  decideDeviceHolders: {
    ...many,
    path: 'device_holders',
    action: 'devices.holder:decide',
    summary: 'Decides about many phones that wait, each by itself; one that is refused leaves the others',
  },
  reviewDeviceHolders: {
    ...many,
    path: 'device_holders/review',
    action: 'devices.holder:review',
    summary: 'What deciding would mean, phone by phone, without doing it',
  },
})
