import { backUp } from '../backup/backup.ts'
import { tellOfFailure } from '../backup/tell-of-failure.ts'
import { readConfig } from '../config.ts'
import { openObjects } from '../open-objects.ts'
import { defineCommand, epochSeconds, exactly, EXIT } from './command.ts'

/** `custodia backup`: a backup of the installation that the environment describes, while it runs. */
export const backup = defineCommand({
  usage: `custodia backup <folder> [--keys=<folder>]

  --keys  where the keys go; without it into the same folder, which is then as secret as they are`,
  options: { keys: { type: 'string' } },
  async run({ keys }, positionals) {
    const [target = ''] = exactly(1, positionals)
    const config = readConfig(process.env)
    const objects = openObjects(config, Buffer.alloc(0), epochSeconds)
    const { folder, manifest } = await backUp(config, objects, { target, keys }, epochSeconds).catch(
      async (error: unknown) => {
        await tellOfFailure(config, error, epochSeconds).catch(() => undefined)
        throw error
      },
    )
    const { count, size } = manifest.objects
    console.log(
      `${folder}: database, ${count} objects (${manifest.objects.new} new, ${Math.round(size / 1e6)} MB in all), ` +
        `${manifest.keys.length} key files, in ${manifest.finished_at - manifest.began_at} s`,
    )
    return EXIT.done
  },
})
