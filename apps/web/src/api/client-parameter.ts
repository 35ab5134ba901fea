import { PROVIDER_CLIENT } from '@custodia/contract'

/** The client parameter of a call: left out for the provider's own account (spec section 7). */
export const clientParameter = (client: string): string | undefined =>
  client === PROVIDER_CLIENT ? undefined : client
