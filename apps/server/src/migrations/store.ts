import { MIGRATION_ERASE_DAYS, type MigrationSettings } from '@custodia/contract'
import { versionOf } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

export { typesOf } from './result-types-store.ts'

const NONE = {
  disable_onboarding: false,
  disable_offboarding: false,
  disable_payloads: false,
  erase_after_days: MIGRATION_ERASE_DAYS,
  updated_at: null,
  updated_by: null,
}

/** Migration settings; by default everything is imported. */
export async function findSettings(q: Queryable): Promise<Omit<MigrationSettings, 'client'>> {
  const { rows } = await q.query<Omit<MigrationSettings, 'version' | 'client'>>(
    `select disable_onboarding, disable_offboarding, disable_payloads, erase_after_days, updated_at, updated_by
     from migration_settings where client_id = $1`,
    [q.client_id],
    'migration_settings',
  )
  const settings = rows[0] ?? NONE
  return { ...settings, version: versionOf(settings) }
}

export async function saveSettings(
  tx: Tx,
  settings: Omit<MigrationSettings, 'client' | 'version' | 'updated_at' | 'updated_by'>,
  { now, by }: { now: number; by: string },
): Promise<void> {
  await tx.query(
    `insert into migration_settings values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (client_id) do update set disable_onboarding = $2, disable_offboarding = $3, disable_payloads = $4, erase_after_days = $5,
       updated_at = $6, updated_by = $7`,
    [
      tx.client_id,
      settings.disable_onboarding,
      settings.disable_offboarding,
      settings.disable_payloads,
      settings.erase_after_days,
      now,
      by,
    ],
    'migration_settings_save',
  )
}
