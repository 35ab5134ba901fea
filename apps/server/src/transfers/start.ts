import type { TransferConfigInput } from '@custodia/contract'
import { nextRuns } from '@custodia/domain'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { newId } from '../http/new-id.ts'
import type { JobAddress } from '../ports/jobs.ts'
import type { Tx } from '../ports/database/lease.ts'
import { insertRun } from './run-store.ts'
import { noteGathering, type StoredConfig } from './store.ts'

const RunInput = z.object({ client_id: z.int(), client: z.string(), transfer_id: z.string() })

/** Job that runs a transfer. */
export const CARRY_OUT: JobAddress<z.output<typeof RunInput>> = {
  name: 'transfers.carry-out',
  input: RunInput,
  key: ({ transfer_id }) => transfer_id,
  // At most two runs per client at a time, so that slow targets do not delay other clients.
  fair: {
    lanes: { transfers: { batch: 1, workers: 8, per_client: 2, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'transfers', cost: 1 }),
    is_swept: true,
  },
}

/** Next scheduled start after `now`; null: none. */
export const nextStart = (
  { schedule, is_active }: Pick<TransferConfigInput, 'schedule' | 'is_active'>,
  now: number,
): number | null => (schedule !== null && is_active ? (nextRuns(schedule, now, 1)[0] ?? null) : null)

/**
 * Starts a run of a locked config: from the end of its last window to now or the scheduled time. Resolves to its id.
 */
export async function startRun(
  { jobs }: Pick<AppContext, 'jobs'>,
  tx: Tx,
  { config, gathered_to, next_at }: StoredConfig,
  { now, by, scheduled_for }: { now: number; by: string; scheduled_for: number | null },
): Promise<string> {
  const transfer_id = newId()
  // A manual run may have passed the scheduled time: a window never goes back.
  const report_to = Math.max(scheduled_for ?? now, gathered_to ?? 0)
  await insertRun(tx, {
    transfer_id,
    transfer_config_reference: config.transfer_config_reference,
    transfer_type: config.transfer_type,
    created_at: now,
    scheduled_for,
    report_from: gathered_to,
    report_to,
    role_reference: config.role_reference,
    updated_by: by,
  })
  await noteGathering(tx, config.transfer_config_reference, {
    gathered_to: report_to,
    next_at: scheduled_for === null ? next_at : nextStart(config, now),
  })
  await jobs.send(tx, CARRY_OUT, { client_id: tx.client_id, client: config.client, transfer_id })
  return transfer_id
}
