// `npm run restore -- <backup> <data folder> […]`: puts an installation back; docs/operations.md tells when to use which option.
import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { restore, type Restored } from '../apps/server/src/backup/restore.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { openObjects } from '../apps/server/src/open-objects.ts'
import { sayAndExit } from './say-and-exit.ts'

const USAGE =
  'npm run restore -- <backup> <data folder> [--keys=<folder>] [--archive=<WAL_ARCHIVE>] [--wal=<pg_wal>] [--until=<time>]'

async function main(): Promise<void> {
  const option = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { keys: option, archive: option, wal: option, until: option },
  })
  const [backup, dataDir, ...more] = positionals
  if (backup === undefined || dataDir === undefined || more.length > 0) throw new Error(USAGE)
  const config = readConfig({ ...process.env, CUSTODIA_DATA: dataDir, WAL_ARCHIVE: '' })
  const { keys, archive, wal } = values
  const until = values.until === undefined ? undefined : epochOf(values.until)
  const began = performance.now()
  const objects = openObjects(config, Buffer.alloc(0), () => Math.floor(Date.now() / 1000))
  const restored = await restore(config, { backup, keys, archive, wal, until }, objects)
  console.log(
    `${resolve(dataDir)}: the backup of ${restored.manifest.name}, ${restored.log} more files of log, ` +
      `${restored.objects} objects put, in ${Math.round((performance.now() - began) / 1000)} s`,
  )
  console.log(tellReplay(restored.replay))
  console.log('Next: npm run verify')
}

/** What was destroyed since the backup, and what is not known of that. */
function tellReplay(replay: Restored['replay']): string {
  if (!replay)
    return 'There is no ledger of destructions: what was destroyed since this backup is not known, and is there again.'
  const { destroyed, waiting, held, unknown, newest } = replay
  return [
    `${destroyed} payloads destroyed once more`,
    ...(waiting > 0 ? [`${waiting} follow once a server has processed them`] : []),
    ...(held > 0
      ? [
          `${held} destroyed since are there again: a legal hold of this backup keeps them, and their keys are there`,
        ]
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
function epochOf(time: string): number {
  const at = /(?:Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) / 1000 : Number.NaN
  if (Number.isNaN(at)) throw new Error('--until: must be a time with its zone, such as 2026-11-22T10:30:00Z')
  return at
}

await main().catch(sayAndExit)
