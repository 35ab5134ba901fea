import { notifyProvider } from '../alerts/notify-provider.ts'
import { backUp, insertBackup } from '../backup/backup.ts'
import { readConfig } from '../config.ts'
import { openArchive } from '../open-archive.ts'
import { defineCommand, exactly, EXIT, UsageError } from './command.ts'

/** `custodia backup`: a backup of the installation that the environment describes, while it runs. */
export const backup = defineCommand({
  usage: `custodia backup <folder> [--keys=<folder>] [--without-database]

  --keys              where the keys go; without it into the same folder, which is then as secret as they are
  --without-database  leaves the database of DATABASE_URL out: its own tools back it up

An outside database is dumped as the role of BACKUP_DATABASE_URL.`,
  options: { keys: { type: 'string' }, 'without-database': { type: 'boolean', default: false } },
  async run({ keys, 'without-database': withoutDatabase }, positionals) {
    const [target = ''] = exactly(1, positionals)
    const config = readConfig(process.env)
    if (withoutDatabase && config.database.url === undefined)
      throw new UsageError('--without-database: the embedded database has no other tools')
    const archive = await openArchive(config)
    try {
      const { folder, manifest } = await backUp(archive, { target, keys, withoutDatabase })
      await insertBackup(archive.db, manifest)
      const { count, size } = manifest.objects
      console.log(
        `${folder}: ${withoutDatabase ? '' : 'database, '}${count} objects (${manifest.objects.new} new, ${Math.round(size / 1e6)} MB in all), ` +
          `${manifest.keys.length} key files, in ${manifest.finished_at - manifest.began_at} s`,
      )
      return EXIT.done
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await notifyProvider(archive, {
        alert_key: 'backup',
        text: 'backup_failed',
        values: { reason },
        alert_severity: 'High',
      }).catch(() => undefined)
      throw error
    } finally {
      await archive.close()
    }
  },
})
