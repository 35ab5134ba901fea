import { Problem } from '../http/problem.ts'
import { endSessionsOfClient } from '../sessions/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { resumeClient, suspendClient } from '../clients/store.ts'

/**
 * Suspends the tenant's client: its sessions end, and its people and apps are refused until it is resumed. Devices
 * still upload. Problem: wrong_state if it is suspended already.
 */
export async function suspend(tx: Tx, change: { at: number; by: string; reason: string }): Promise<void> {
  if (!(await suspendClient(tx, change))) throw new Problem('wrong_state', { detail: 'suspended already' })
  await endSessionsOfClient(tx, 'client_suspended', change.at)
}

/**
 * Resumes the tenant's client: its people and apps can sign in again. Problem: wrong_state if it is not suspended.
 */
export async function resume(tx: Tx): Promise<void> {
  if (!(await resumeClient(tx))) throw new Problem('wrong_state', { detail: 'not suspended' })
}
