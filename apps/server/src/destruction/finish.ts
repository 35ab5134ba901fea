import type { House } from '../house.ts'
import { findUnnoted, setFile, setMark } from './outside-store.ts'
import { endIntent, findIntents, type Intent } from './ledger-store.ts'

/** Destroyed payloads that are read at a time. */
const BATCH = 100

type Parts = Pick<House, 'db' | 'keys' | 'objects'>

/**
 * Removes what lies outside the database of destroyed payloads: first their keys, once they are noted beside them,
 * then their objects, and looks whether they are gone. Each step
 * may be done again, so whoever is broken off, or is one of several, goes on where it was. One that fails does not keep the others waiting.
 * Resolves to how many are done.
 */
export async function finishDestructions(
  parts: Parts,
  { client_id, client }: { client_id: number; client: string },
  signal: AbortSignal,
): Promise<number> {
  const failures: unknown[] = []
  let done = 0
  for (let after = 0; ;) {
    const intents = await parts.db.read(client_id, (q) => findIntents(q, { after, limit: BATCH }))
    await noteOutside(parts, { client_id, client }, intents)
    for (const intent of intents) {
      signal.throwIfAborted()
      try {
        const objects = await remove(parts, client, intent)
        await parts.db.write(client_id, (tx) => endIntent(tx, intent.payload_id, objects))
        done += 1
      } catch (error) {
        failures.push(error)
      }
    }
    if (intents.length < BATCH) break
    after = intents.at(-1)?.payload_id ?? after
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some destructions could not be finished.')
  return done
}

/** Notes beside the keys what is destroyed, before anything of it is removed. */
async function noteOutside(
  { db, keys }: Parts,
  { client_id, client }: { client_id: number; client: string },
  intents: readonly Intent[],
): Promise<void> {
  const ids = intents.map(({ payload_id }) => payload_id)
  const found = await db.read(client_id, (q) => findUnnoted(q, client, ids))
  if (found.length === 0) return
  const mark = await keys.ledger.append(found.map(({ line }) => line))
  const noted = found.map(({ payload_id }) => payload_id)
  await db.write(client_id, async (tx) => {
    await setFile(tx, noted, mark.file)
    await setMark(tx, mark)
  })
}

/** Resolves to how many objects are gone, once they are. */
async function remove({ keys, objects }: Parts, client: string, intent: Intent): Promise<number> {
  const { payload_reference, key_names, object_keys } = intent
  // Which reads back what it wiped.
  await keys.forget(key_names)
  const places = new Set(object_keys)
  // Also what attempts left that broke off, and uploads that were refused.
  const prefix = `${client}/${payload_reference}/`
  for await (const { key } of objects.list(prefix)) places.add(key)
  for (const key of places) await objects.delete(key)
  for (const key of places)
    if (await objects.head(key)) throw new Error('An object of a destroyed payload is still there.')
  for await (const _ of objects.list(prefix))
    throw new Error('An object of a destroyed payload has come meanwhile.')
  return places.size
}
