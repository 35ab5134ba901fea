import * as z from 'zod/mini'
import { PayloadType, Service } from './payload-types.ts'
import { DeviceUserReference, PayloadReference } from './scalars.ts'

/** Maximum suggestions of one response. */
export const SUGGESTIONS = 8
/** Minimum typed characters for the suggestion of a reference. */
export const REFERENCE_BEGINNING = 6

/** A suggestion for a search: a party, a holder of a phone, or one payload. */
export const Suggestion = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('party'),
    contact_name: z.nullable(z.string()),
    phone_number: z.nullable(z.string()),
    services: z.array(Service),
  }),
  z.strictObject({
    kind: z.literal('person'),
    device_user_reference: DeviceUserReference,
    name: z.nullable(z.string()),
    services: z.array(Service),
  }),
  z.strictObject({
    kind: z.literal('payload'),
    payload_reference: PayloadReference,
    payload_type: PayloadType,
  }),
])
export type Suggestion = z.output<typeof Suggestion>
