import { clientIdOf } from '../clients/store.ts'
import { readConfig } from '../config.ts'
import { AuditLog } from '../http/audit.ts'
import { openArchive } from '../open-archive.ts'
import { disableDualControl } from '../proposals/disable-dual-control.ts'
import { defineCommand, exactly, EXIT, required, UsageError } from './command.ts'

/** `custodia two-people off`: for an account in which no two are left who could decide (docs/legal-holds.md). */
export const twoPeople = defineCommand({
  usage: `custodia two-people off --client=<name> --reason=<why: 3 to 500 characters>

Switches dual control off for an account in which no two people are left who could decide. The account's log says that the operator did it, and why.`,
  options: { client: { type: 'string' }, reason: { type: 'string' } },
  async run(values, positionals) {
    if (exactly(1, positionals)[0] !== 'off') throw new UsageError('only off is known')
    const client = required(values.client, 'client')
    const reason = required(values.reason, 'reason').trim()
    if (reason.length < 3 || reason.length > 500) throw new UsageError('--reason: 3 to 500 characters')
    const archive = await openArchive(readConfig(process.env))
    try {
      const client_id = await clientIdOf(archive.db, client)
      if (client_id === undefined) throw new Error(`there is no client ${client}`)
      const parts = { ...archive, audit: new AuditLog(archive.db) }
      if (!(await disableDualControl(parts, { client_id, reason })))
        throw new Error('two people are not asked for')
      console.log(`${client}: one person decides again; the log of the account says so.`)
      return EXIT.done
    } finally {
      await archive.close()
    }
  },
})
