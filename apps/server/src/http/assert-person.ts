import type { PortalUser } from './context.ts'
import { Problem } from './problem.ts'

/** Refuses client apps where only people act. Support mode needs no check: the row of such a call does not open it. Problem: not_permitted. */
export function assertPerson({ is_client_app }: PortalUser): void {
  if (is_client_app) throw new Problem('not_permitted', { detail: 'not for client apps' })
}
