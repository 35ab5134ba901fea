import type { AppContext } from '../app-context.ts'
import { inParallel } from '../ports/objects/filesystem.ts'
import { endIntents, findIntents, type Intent } from './ledger-store.ts'

/** Destroyed payloads per batch. */
const BATCH = 200
const WIDTH = 16

type Parts = Pick<AppContext, 'db' | 'keys' | 'objects'>

/**
 * Deletes keys and objects of destroyed payloads and verifies it. Each step is repeatable, so runs can resume and
 * overlap; a failure does not delay others. Resolves to the number finished.
 */
export async function finishDestructions(
  parts: Parts,
  { client_id, client }: { client_id: number; client: string },
  signal: AbortSignal,
): Promise<number> {
  const failures: unknown[] = []
  let done = 0
  for (let after = 0; ;) {
    signal.throwIfAborted()
    const intents = await parts.db.read(client_id, (q) => findIntents(q, { after, limit: BATCH }))
    const wiped = await wipeAll(parts, intents, failures)
    const gone = await removeAll(parts, client, wiped, failures)
    if (gone.size > 0)
      await parts.db
        .write(client_id, (tx) => endIntents(tx, gone))
        .then(
          () => (done += gone.size),
          (error: unknown) => failures.push(error),
        )
    if (intents.length < BATCH) break
    after = intents.at(-1)?.payload_id ?? after
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some destructions could not be finished.')
  return done
}

/** Wipes and verifies all keys with one sync; one by one after a failure. Resolves to the payloads without keys. */
async function wipeAll({ keys }: Parts, intents: readonly Intent[], failures: unknown[]): Promise<Intent[]> {
  try {
    await keys.forget(intents.flatMap(({ key_names }) => key_names))
    return [...intents]
  } catch {
    const wiped: Intent[] = []
    for (const intent of intents)
      await keys.forget(intent.key_names).then(
        () => wiped.push(intent),
        (error: unknown) => failures.push(error),
      )
    return wiped
  }
}

/**
 * Deletes all objects with one sync per folder; one payload at a time after a failure. Resolves to the number of
 * objects of each clean payload.
 */
async function removeAll(
  { objects }: Parts,
  client: string,
  intents: readonly Intent[],
  failures: unknown[],
): Promise<Map<number, number>> {
  const gone = new Map<number, number>()
  const failed = (error: unknown) => void failures.push(error)
  const getPrefix = ({ payload_reference }: Intent) => `${client}/${payload_reference}/`
  const places = new Map<Intent, Set<string>>()
  await inParallel(intents, WIDTH, async (intent) => {
    const own = new Set(intent.object_keys)
    // Includes objects of interrupted attempts, refused uploads and former versions.
    const find = async () => {
      for await (const { key } of objects.list(getPrefix(intent), 'with_versions')) own.add(key)
      places.set(intent, own)
    }
    await find().catch(failed)
  })
  const isDone = await objects.delete(...[...places.values()].flatMap((own) => [...own])).then(
    () => true,
    () => false,
  )
  await inParallel([...places], WIDTH, async ([intent, own]) => {
    const finish = async () => {
      if (!isDone) await objects.delete(...own)
      for (const key of own)
        if (await objects.head(key)) throw new Error('An object of a destroyed payload is still there.')
      for await (const _ of objects.list(getPrefix(intent), 'with_versions'))
        throw new Error('An object of a destroyed payload appeared during the removal.')
      gone.set(intent.payload_id, own.size)
    }
    await finish().catch(failed)
  })
  return gone
}
