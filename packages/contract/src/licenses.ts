import * as z from 'zod/mini'
import { stored } from './access.ts'
import { ADMIN_ACCOUNT, endpoints, get, INTERNAL, getPage, pageQuery, put } from './endpoint.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import { Count, LicenseLimit, text } from './scalars.ts'

/** Limit per service; 0 means none (spec section 9). */
export const LicenseLimits = z.record(z.enum(DEVICE_SERVICES), LicenseLimit)
export type LicenseLimits = z.output<typeof LicenseLimits>

/** Limits of a client, and the activated devices that have each service on. */
export const Licenses = z.strictObject({
  client_name: z.string(),
  limits: LicenseLimits,
  used: z.record(z.enum(DEVICE_SERVICES), Count),
  ...stored,
})
export type Licenses = z.output<typeof Licenses>

export const licenseEndpoints = endpoints({
  readLicenses: {
    ...get(ADMIN_ACCOUNT, 'licenses'),
    action: 'licenses:list',
    support: true,
    summary: 'List the licences per service with limit and use',
    response: Licenses,
  },
})

export const internalLicenseEndpoints = endpoints({
  listLicenses: {
    ...get(INTERNAL, 'licenses'),
    action: 'internal.licenses:list',
    summary: 'List the licences of all clients',
    query: { ...pageQuery, search: z.optional(text(1, 255)) },
    response: getPage(Licenses),
  },
  saveLicenses: {
    ...put(INTERNAL, 'clients/{client}/licenses'),
    action: 'internal.licenses:update',
    summary: 'Replace the licence limits of a client',
    body: z.strictObject({ limits: LicenseLimits }),
    response: Licenses,
    problems: ['not_found', 'already_exists', 'changed_meanwhile'],
  },
})
