import { join } from 'node:path'
import type { Config } from './config.ts'
import type { DiskSpace } from './ports/disk-space.ts'
import { filesystemStore } from './ports/objects/filesystem.ts'
import type { ObjectStore } from './ports/objects/port.ts'

/** Where objects lie that are files. */
export const objectsFolder = (dataDir: string): string => join(dataDir, 'objects')

/** The settings that say where objects lie; they can be handed to another thread. */
export type ObjectSettings = Pick<Config, 'dataDir' | 's3' | 'clientPortalUrl'>

/**
 * The object store of the configuration. Only an installation with a bucket loads the client of S3.
 * @param upload_secret signs upload addresses; readers need none
 * @param space the disk space that uploads reserve
 */
export async function openObjects(
  { dataDir, s3, clientPortalUrl }: ObjectSettings,
  upload_secret: Buffer,
  now: () => number,
  space?: DiskSpace,
): Promise<ObjectStore> {
  if (!s3) {
    return filesystemStore({
      root: objectsFolder(dataDir),
      base_url: clientPortalUrl,
      upload_secret,
      now,
      ...(space ? { take: space.take } : {}),
    })
  }
  const { s3Store } = await import('./ports/objects/s3.ts')
  return s3Store({
    bucket: s3.bucket,
    region: s3.region,
    ...(s3.endpoint ? { endpoint: s3.endpoint } : {}),
    ...(s3.accessKeyId && s3.secretAccessKey
      ? { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey }
      : {}),
    force_path_style: s3.forcePathStyle,
    object_lock: s3.hasLock,
    now,
  })
}
