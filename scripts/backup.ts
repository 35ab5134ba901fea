// `npm run backup -- <folder> [--keys=<folder>]`: a backup of the installation that the environment describes, while it runs.
import { parseArgs } from 'node:util'
import { backUp } from '../apps/server/src/backup/backup.ts'
import { tellOfFailure } from '../apps/server/src/backup/tell-of-failure.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { openObjects } from '../apps/server/src/open-objects.ts'
import { sayAndExit } from './say-and-exit.ts'

const now = () => Math.floor(Date.now() / 1000)

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { keys: { type: 'string' } } })
  const [target, ...more] = positionals
  if (target === undefined || more.length > 0) throw new Error('npm run backup -- <folder> [--keys=<folder>]')
  const config = readConfig(process.env)
  const objects = openObjects(config, Buffer.alloc(0), now)
  const { folder, manifest } = await backUp(config, objects, { target, keys: values.keys }, now).catch(
    async (error: unknown) => {
      await tellOfFailure(config, error, now).catch(() => undefined)
      throw error
    },
  )
  const { count, size } = manifest.objects
  console.log(
    `${folder}: database, ${count} objects (${manifest.objects.new} new, ${Math.round(size / 1e6)} MB in all), ` +
      `${manifest.keys.length} key files, in ${manifest.finished_at - manifest.began_at} s`,
  )
}

await main().catch(sayAndExit)
