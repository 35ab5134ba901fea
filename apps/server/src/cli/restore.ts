import { resolve } from 'node:path'
import { restore, type RestoreResult } from '../backup/restore.ts'
import { readConfig } from '../config.ts'
import { openObjects } from '../open-objects.ts'
import { defineCommand, epochSeconds, exactly, EXIT, UsageError } from './command.ts'

/** `custodia restore`: puts an installation back; docs/backup.md says when to use which option. */
export const restoreCommand = defineCommand({
  usage: `custodia restore <backup> <data folder> [--keys=<folder>] [--wal=<pg_wal>] [--until=<time>] [--timeline=<timeline>]
    [--without-database]

  --keys              where the keys of the backup lie
  --wal               what is left of the log of the lost database
  --until             restores the database as it was then, such as 2026-11-22T10:30:00Z
  --timeline          restores that timeline: a number, or current for that of the backup; without it the latest
  --without-database  restores keys and objects for the database of DATABASE_URL, which its own tools have restored

The embedded database also gets the log that lies in WAL_ARCHIVE.`,
  options: {
    keys: { type: 'string' },
    wal: { type: 'string' },
    until: { type: 'string' },
    timeline: { type: 'string' },
    'without-database': { type: 'boolean', default: false },
  },
  async run({ keys, wal, timeline, 'without-database': withoutDatabase, ...values }, positionals) {
    const [backup = '', dataDir = ''] = exactly(2, positionals)
    const until = values.until === undefined ? undefined : getEpoch(values.until)
    const config = readConfig({ ...process.env, CUSTODIA_DATA: dataDir })
    if (timeline !== undefined && !/^(?:latest|current|[1-9]\d*)$/.test(timeline))
      throw new UsageError('--timeline: a number, current or latest')
    if (withoutDatabase && config.database.url === undefined)
      throw new UsageError('--without-database: DATABASE_URL is not set')
    const began = performance.now()
    const objects = await openObjects(config, Buffer.alloc(0), epochSeconds)
    const restored = await restore(config, { backup, keys, wal, until, timeline, withoutDatabase }, objects)
    console.log(
      `${resolve(dataDir)}: the backup of ${restored.manifest.name}, ` +
        (restored.last === undefined ? '' : `the database up to ${restored.last.toISOString()}, `) +
        `${restored.objects} objects put, in ${Math.round((performance.now() - began) / 1000)} s`,
    )
    console.log(describeReplay(restored.replay))
    console.log('Retention is paused in every account: check legal holds, then resume it')
    console.log('Next: custodia verify')
    return EXIT.done
  },
})

/** Describes the replayed destructions, and those that could not be matched. */
function describeReplay(replay: RestoreResult['replay']): string {
  if (!replay)
    return 'There is no ledger of destructions: what was destroyed since this backup is not known, and is there again.'
  const { destroyed, waiting, kept, unknown, newest } = replay
  return [
    `${destroyed} payloads destroyed once more`,
    ...(waiting > 0 ? [`${waiting} follow once a server has processed them`] : []),
    ...(kept > 0
      ? [`${kept} destroyed since are there again, with their keys: retention destroys them if they are due`]
      : []),
    ...(unknown > 0
      ? [`${unknown} in the ledger are not in this backup at all: nothing was to be done`]
      : []),
    newest === null
      ? 'the ledger has nothing that this backup does not know'
      : `the ledger reaches to ${new Date(newest * 1000).toISOString()}; destructions after that are not known`,
  ].join('; ')
}

/** Seconds of an ISO time, which must name its zone: a restore to the wrong hour is hard to notice. */
function getEpoch(time: string): number {
  const at = /(?:Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) / 1000 : Number.NaN
  if (Number.isNaN(at))
    throw new UsageError('--until: must be a time with its zone, such as 2026-11-22T10:30:00Z')
  return at
}
