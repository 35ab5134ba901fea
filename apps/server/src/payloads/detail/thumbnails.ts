import type { Thumbnail } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject, readWhole, type StoredObject, THUMBNAIL } from '../data-objects.ts'
import { findDataSubjects } from '../store.ts'

/** Thumbnails opened concurrently: each is small, and each needs the key service. */
const AT_ONCE = 8

/**
 * Returns thumbnails of photos and films, by the same permission as the data call. One call is one audit entry; opening
 * a single photo is audited where it happens.
 */
export function readThumbnails(ctx: AppContext): Handler<'readThumbnails'> {
  return async (context, { query: { payload_references } }) => {
    const { caller } = context
    const subjects = await context.readFromReplica((q) => findDataSubjects(q, payload_references))
    const data = payload_references.map((payload_reference): Thumbnail => {
      const payload = subjects.get(payload_reference)
      const status = dataStatus({ action: 'payloads:play', access: caller.access, payload })
      return { payload_reference, status }
    })
    const wanted = data
      .flatMap((answer) => {
        const objects = answer.status === 'Ok' ? subjects.get(answer.payload_reference)?.objects : undefined
        const object = objects?.find(({ kind }) => kind === THUMBNAIL)
        return object ? [{ answer, object }] : []
      })
      .values()
    const open = async () => {
      for (const { answer, object } of wanted) {
        const jpeg = await openThumbnail(ctx, caller, answer.payload_reference, object)
        if (jpeg) answer.jpeg = jpeg.toString('base64')
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, open))
    return { data }
  }
}

/** The thumbnail; reports a damaged one to the client's staff and returns undefined, so that the others still show. */
async function openThumbnail(
  ctx: AppContext,
  { client, client_id }: { client: string; client_id: number },
  payload_reference: string,
  object: StoredObject,
): Promise<Buffer | undefined> {
  try {
    return await readWhole(await openObject(ctx, client, payload_reference, object))
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { client_id, payload_reference, kind: THUMBNAIL }, error)
    return undefined
  }
}
