import type { PortalUser } from './context.ts'
import { Problem } from './problem.ts'

/** What only the client's own people do, in their own name: not client apps, not staff in support mode. Problem: not_permitted. */
export function assertPerson({ is_client_app, support_reference }: PortalUser): void {
  if (is_client_app) throw new Problem('not_permitted', { detail: 'not for client apps' })
  if (support_reference !== undefined) throw new Problem('not_permitted', { detail: 'in support mode' })
}
