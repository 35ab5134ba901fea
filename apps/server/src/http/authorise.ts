import type { Endpoint } from '@custodia/contract'
import type { Phone, PortalUser } from './context.ts'
import { Problem } from './problem.ts'

/** The fields of a caller that permissions depend on. */
type Caller =
  | Pick<Phone, 'kind'>
  | (Pick<PortalUser, 'kind' | 'is_provider' | 'support_reference' | 'terms_accepted_at'> & {
      access: Pick<PortalUser['access'], 'may'>
    })

/**
 * Throws unless the caller may make this call. Devices need no action beyond their token. The profile uses
 * the same `access.may`, so it lists no action whose calls are refused.
 */
export function authorise(endpoint: Endpoint, action: string, caller: Caller): void {
  if (caller.kind === 'device') return
  if (endpoint.portal === 'internal' && (!caller.is_provider || caller.support_reference !== undefined))
    throw new Problem('not_found', { detail: 'the internal area is the provider’s' })
  if (caller.support_reference !== undefined && !endpoint.support)
    throw new Problem('not_permitted', { detail: 'in support mode' })
  if (endpoint.before_terms) return
  if (caller.terms_accepted_at === null) throw new Problem('terms_required')
  if (!caller.access.may(action)) throw new Problem('not_permitted', { detail: `no role permits ${action}` })
}
