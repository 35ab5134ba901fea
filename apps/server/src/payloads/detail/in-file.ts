import type { PayloadMedia } from '@custodia/contract'
import { distanceBetween } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { EXIF_HEAD, readExif } from '../../ports/media/index.ts'
import { openObject, type StoredObject } from '../data-objects.ts'

/** Metres by which device and camera may differ without a contradiction: a position may be minutes old. */
const NEAR = 1000

/** Compares place and time in a photo's first bytes with the device's metadata. */
export async function readInFile(
  ctx: Pick<AppContext, 'keys' | 'objects'>,
  client: string,
  payload_reference: string,
  original: StoredObject,
  meta: Record<string, unknown> | undefined,
): Promise<PayloadMedia['in_file']> {
  const opened = await openObject(ctx, client, payload_reference, original)
  const head: Uint8Array[] = []
  try {
    for await (const chunk of opened.read(0, Math.min(EXIF_HEAD, opened.plaintextSize))) head.push(chunk)
  } finally {
    opened.forget()
  }
  const { location, taken_at } = readExif(Buffer.concat(head))
  if (location === undefined && taken_at === undefined) return undefined
  const phone = placeOf(meta)
  const metres_away = location && phone && Math.round(distanceBetween(location, phone))
  return {
    ...(location && { location }),
    ...(metres_away !== undefined && { metres_away }),
    contradicts_phone: metres_away !== undefined && metres_away > NEAR + (phone?.accuracy ?? 0),
    ...(taken_at && { taken_at }),
  }
}

interface Place {
  latitude: number
  longitude: number
  accuracy?: number
}

/** The device's position at the time of recording; the metadata was validated on arrival. */
const placeOf = (meta: Record<string, unknown> | undefined): Place | undefined =>
  (meta?.payload_location as Place | null | undefined) ?? undefined
