import type { PortalUser } from './context.ts'
import { Problem } from './problem.ts'

/**
 * Refuses client apps where only people may act. Support mode cannot reach such calls. Problem:
 * not_permitted.
 */
export function assertPerson({ is_client_app }: PortalUser): void {
  if (is_client_app) throw new Problem('not_permitted', { detail: 'not for client apps' })
}
