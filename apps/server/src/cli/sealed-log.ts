import { clientIdOf } from '../clients/store.ts'
import { readConfig } from '../config.ts'
import { AuditLog } from '../http/audit.ts'
import { openArchive } from '../open-archive.ts'
import { resolveSealedLog } from '../sealed-log/contradictions.ts'
import { defineCommand, exactly, EXIT, required, UsageError } from './command.ts'

/** `custodia sealed-log resolve`: destruction goes on although the log contradicts a checkpoint (docs/evidence.md). */
export const sealedLog = defineCommand({
  usage: `custodia sealed-log resolve --client=<name> --reason=<why: 3 to 500 characters>

Accepts that the sealed log of an account contradicts a checkpoint, for example after a restore. Retention destroys again. The account's log says that the operator did it, and why.`,
  options: { client: { type: 'string' }, reason: { type: 'string' } },
  async run(values, positionals) {
    if (exactly(1, positionals)[0] !== 'resolve') throw new UsageError('only resolve is known')
    const client = required(values.client, 'client')
    const reason = required(values.reason, 'reason').trim()
    if (reason.length < 3 || reason.length > 500) throw new UsageError('--reason: 3 to 500 characters')
    const archive = await openArchive(readConfig(process.env))
    try {
      const client_id = await clientIdOf(archive.db, client)
      if (client_id === undefined) throw new Error(`there is no client ${client}`)
      const parts = { ...archive, audit: new AuditLog(archive.db) }
      if ((await resolveSealedLog(parts, { client_id, reason })) === 0)
        throw new Error('the sealed log contradicts no checkpoint')
      console.log(`${client}: retention destroys again; the log of the account says so.`)
      return EXIT.done
    } finally {
      await archive.close()
    }
  },
})
