/** Carries a run of a transfer out, or reconciles a config, in a process of its own, which its test kills at any moment. */
import { readConfig } from '../config.ts'
import { AuditLog } from '../http/audit.ts'
import { openArchive } from '../open-archive.ts'
import { egressOf } from '../ports/egress/guard.ts'
import { carryOutRun } from '../transfers/engine.ts'
import { reconcileConfig } from '../transfers/reconciliation/reconcile.ts'

const [client = '', client_id = '', act = '', subject = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const archive = await openArchive(config)
const ctx = {
  ...archive,
  egress: egressOf(config),
  audit: new AuditLog(archive.db),
  now: () => Math.floor(Date.now() / 1000),
}
process.stdout.write('begins\n')
const account = { client, client_id: Number(client_id) }
const { signal } = new AbortController()
await (act === 'reconcile'
  ? reconcileConfig(ctx, { ...account, reference: subject }, signal)
  : carryOutRun(ctx, { ...account, transfer_id: subject }, signal))
await archive.close()
