import { getClientId } from '../clients/store.ts'
import { readConfig } from '../config.ts'
import { AuditLog } from '../http/audit.ts'
import { openArchive } from '../open-archive.ts'
import { disableDualControl } from '../proposals/disable-dual-control.ts'
import { resolveSealedLog } from '../sealed-log/contradictions.ts'
import { writeTileFiles } from '../sealed-log/tile-files.ts'
import { defineCommand, exactly, EXIT, required, UsageError } from './command.ts'

type Archive = Awaited<ReturnType<typeof openArchive>> & { audit: AuditLog }

/**
 * A command with one verb by which the operator acts on an account for a reason.
 * @param run acts; resolves to what was done, as a sentence. Throws when there is nothing to do
 */
const accountAct = (
  command: string,
  verb: string,
  about: string,
  run: (archive: Archive, act: { client_id: number; reason: string }) => Promise<string>,
) =>
  defineCommand({
    usage: `custodia ${command} ${verb} --client=<name> --reason=<why: 3 to 500 characters>\n\n${about}`,
    options: { client: { type: 'string' }, reason: { type: 'string' } },
    async run(values, positionals) {
      if (exactly(1, positionals)[0] !== verb) throw new UsageError(`only ${verb} is known`)
      const client = required(values.client, 'client')
      const reason = required(values.reason, 'reason').trim()
      if (reason.length < 3 || reason.length > 500) throw new UsageError('--reason: 3 to 500 characters')
      const archive = await openArchive(readConfig(process.env))
      try {
        const client_id = await getClientId(archive.db, client)
        if (client_id === undefined) throw new Error(`there is no client ${client}`)
        const done = await run({ ...archive, audit: new AuditLog(archive.db) }, { client_id, reason })
        console.log(`${client}: ${done}`)
        return EXIT.done
      } finally {
        await archive.close()
      }
    },
  })

/** `custodia two-people off`: for an account in which no two are left who could decide (docs/legal-holds.md). */
export const twoPeople = accountAct(
  'two-people',
  'off',
  "Switches dual control off for an account in which no two people are left who could decide. The account's log says that the operator did it, and why.",
  async (archive, act) => {
    if (!(await disableDualControl(archive, act))) throw new Error('two people are not asked for')
    return 'one person decides again; the log of the account says so.'
  },
)

/** `custodia sealed-log resolve`: destruction goes on although the log contradicts a checkpoint (docs/evidence.md). */
export const sealedLog = accountAct(
  'sealed-log',
  'resolve',
  "Accepts that the sealed log of an account contradicts a checkpoint, for example after a restore. Retention destroys again. The account's log says that the operator did it, and why.",
  async (archive, act) => {
    if ((await resolveSealedLog(archive, act)) === 0)
      throw new Error('the sealed log contradicts no checkpoint')
    return 'retention destroys again; the log of the account says so.'
  },
)

/** `custodia log-tiles`: the sealed log as static files for other programs (docs/evidence.md). */
export const logTiles = defineCommand({
  usage: `custodia log-tiles <folder> --client=<name>

Writes the sealed log of an account into a folder that any web server can publish: checkpoint, tiles of hashes and bundles of entries, as C2SP tlog-tiles describes them. Entries have table, time and digest.`,
  options: { client: { type: 'string' } },
  async run(values, positionals) {
    const [folder = ''] = exactly(1, positionals)
    const client = required(values.client, 'client')
    const archive = await openArchive(readConfig(process.env))
    try {
      const client_id = await getClientId(archive.db, client)
      if (client_id === undefined) throw new Error(`there is no client ${client}`)
      const size = await archive.db.read(client_id, (q) => writeTileFiles(q, folder))
      if (size === 0) throw new Error('nothing is sealed yet')
      console.log(`${client}: ${size} entries in ${folder}`)
      return EXIT.done
    } finally {
      await archive.close()
    }
  },
})
