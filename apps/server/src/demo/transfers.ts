import { TRANSFERABLE_TYPES, type TransferConfigInput, type TransferSettings } from '@custodia/contract'
import { findClient } from '../clients/store.ts'
import type { House } from '../house.ts'
import { NO_SECRETS, sealSecrets } from '../transfers/secrets.ts'
import { nextStart } from '../transfers/start.ts'
import { findConfig, lockConfigs, writeConfig } from '../transfers/store.ts'
import { noteDemoAct } from './acts.ts'

/** The storage of a pretend customer, to which the demo's account transfers. */
export interface DemoTarget {
  host: string
  port: number
  username: string
  password: string
  /** Of its host key, as `ssh-keygen -l` shows it. */
  fingerprint: string
}

const REFERENCE = 'customer-archive'
const BY = 'alice'
/** Far from the hours at which somebody looks around. */
const SCHEDULE = 'cron(0 3 ? * SUN *)'

/** A transfer config that goes to that storage and has not run yet, unless the account has it. */
export async function seedDemoTransfers(
  house: Pick<House, 'db' | 'keys' | 'now'>,
  client: string,
  { host, port, username, password, fingerprint }: DemoTarget,
): Promise<void> {
  const account = await findClient(house.db, client)
  if (!account) return
  const settings: TransferSettings = {
    transfer_type: 'Payload',
    payload_types: [...TRANSFERABLE_TYPES],
    schedule: SCHEDULE,
    pgp_key: null,
    transfer_file_format: 'Zipped',
    params: {
      target_type: 'SFTP',
      server: host,
      port,
      username,
      root_directory: '/records',
      host_key: fingerprint,
    },
    is_active: true,
  }
  const secrets: Pick<TransferConfigInput, 'sftp_password'> = { sftp_password: password }
  const sealed = await sealSecrets(house, client, REFERENCE, NO_SECRETS, secrets)
  const now = house.now()
  await house.db.write(account.client_id, async (tx) => {
    await lockConfigs(tx)
    if (await findConfig(tx, REFERENCE)) return
    const next_at = nextStart(settings, now)
    await writeConfig(tx, REFERENCE, settings, sealed, {
      updated_at: now,
      updated_by: BY,
      gathered_to: null,
      next_at,
    })
    const parameters = { params: { transfer_config_reference: REFERENCE }, body: settings }
    await noteDemoAct(house, tx, { by: BY, at: now, action: 'transfer_configs:create', parameters })
  })
}
