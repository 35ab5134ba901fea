import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints, get, Total } from './endpoint.ts'
import { PayloadType, Service } from './payload-types.ts'
import { DeviceUserReference, PayloadReference, text } from './scalars.ts'

/** Maximum of counted recordings with a number, newest first; services without one among these are counted separately. */
export const CONTACTS_COUNTED = 500
/** Maximum people in a response, those with the most recordings first. */
export const CONTACTS_NAMED = 10

/** Recordings of a service; `is_capped`: the count stopped at its limit. */
const ServiceTotal = z.strictObject({ service: Service, ...Total.shape })

/** Recordings with a number, as far as the caller sees them. */
export const Contacts = z.strictObject({
  /** The list filter for the same recordings: the number in any notation, if it is long enough to be unique. */
  filter: z.union([z.strictObject({ search: z.string() }), z.strictObject({ number: z.string() })]),
  services: z.array(ServiceTotal),
  /** Device users of the recordings. */
  people_total: Total,
  people: z.array(
    z.strictObject({
      device_user_reference: DeviceUserReference,
      name: z.nullable(z.string()),
      services: z.array(ServiceTotal),
    }),
  ),
})
export type Contacts = z.output<typeof Contacts>

/** Maximum suggestions of one response. */
export const SUGGESTIONS = 8
/** Minimum typed characters for the suggestion of a reference. */
export const REFERENCE_BEGINNING = 6

/** A suggestion for a search: a party, a holder of a device, or one payload. */
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

export const contactEndpoints = endpoints({
  readContacts: {
    ...get(CLIENT_GROUPS, 'contacts'),
    action: 'payloads:list',
    support: true,
    matters: true,
    summary: 'Count how often a number appears, and with which device users',
    query: {
      /** The number as the payload contains it. */
      number: text(1, 255),
    },
    response: Contacts,
  },
})
