import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { Total } from './paging.ts'
import { Service } from './payload-types.ts'
import { DeviceUserReference, text } from './scalars.ts'

/** Recordings with a number are counted so far; of what has more the newest count, and what services have that have none among these. */
export const CONTACTS_COUNTED = 500
/** People that one answer names: those with most of them. */
export const CONTACTS_NAMED = 10

/** Recordings of a service; `is_capped`: not all were counted, there may be more. */
const ServiceTotal = z.strictObject({ service: Service, ...Total.shape })

/** Recordings with a number, as far as the caller sees them. */
export const Contacts = z.strictObject({
  /** The list filter for the same recordings: the number in any notation, if it is long enough to be unique. */
  filter: z.union([z.strictObject({ search: z.string() }), z.strictObject({ number: z.string() })]),
  /** Services that have some. */
  services: z.array(ServiceTotal),
  /** Of the client's people, whose phones recorded them. */
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

export const contactEndpoints = endpoints({
  readContacts: {
    method: 'GET',
    portal: 'client',
    path: 'contacts',
    authentication: 'portal',
    action: 'payloads:list',
    concerns: 'groups',
    support: true,
    summary: 'How often a number comes in what the caller may see, and with whom of the client’s people',
    query: {
      /** As a payload has it. */
      number: text(1, 255),
    },
    response: Contacts,
  },
})
