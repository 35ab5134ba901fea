/**
 * Switches off that two people decide, for an account in which no two are left who could (docs/legal-holds.md):
 *
 *     npm run two-people -- off --client=<name> --reason=<why>
 *
 * The account's log says that the operator did it, and why.
 */
import { parseArgs } from 'node:util'
import { clientIdOf } from '../apps/server/src/clients/store.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { AuditLog } from '../apps/server/src/http/audit.ts'
import { openArchive } from '../apps/server/src/open-archive.ts'
import { liftTwoPeople } from '../apps/server/src/proposals/lift.ts'
import { sayAndExit } from './say-and-exit.ts'

const USAGE = 'npm run two-people -- off --client=<name> --reason=<why: 3 to 500 characters>'

async function main(): Promise<void> {
  const option = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { client: option, reason: option },
  })
  const { client = '', reason = '' } = values
  if (positionals.join(' ') !== 'off' || client === '' || reason.trim().length < 3 || reason.length > 500)
    throw new Error(USAGE)
  const archive = await openArchive(readConfig(process.env))
  try {
    const client_id = await clientIdOf(archive.db, client)
    if (client_id === undefined) throw new Error(`there is no client ${client}`)
    const parts = { ...archive, audit: new AuditLog(archive.db) }
    if (!(await liftTwoPeople(parts, { client_id, reason: reason.trim() })))
      throw new Error('two people are not asked for')
    console.log(`${client}: one person decides again; the log of the account says so.`)
  } finally {
    await archive.close()
  }
}

main().catch(sayAndExit)
