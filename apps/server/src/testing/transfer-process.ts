/** Carries a run of a transfer out in a process of its own, which its test kills at any moment. */
import { readConfig } from '../config.ts'
import { AuditLog } from '../http/audit.ts'
import { openArchive } from '../open-archive.ts'
import { egressOf } from '../ports/egress/guard.ts'
import { carryOutRun } from '../transfers/engine.ts'

const [client = '', client_id = '', transfer_id = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const archive = await openArchive(config)
const house = {
  ...archive,
  egress: egressOf(config),
  audit: new AuditLog(archive.db),
  now: () => Math.floor(Date.now() / 1000),
}
process.stdout.write('begins\n')
await carryOutRun(house, { client, client_id: Number(client_id), transfer_id }, new AbortController().signal)
await archive.close()
