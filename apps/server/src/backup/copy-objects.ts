import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { ObjectExists, ObjectNotFound, type ObjectStore } from '../ports/objects/port.ts'
import { type CopiedFile, digestOf } from './copy-file.ts'
import { eachOf } from './each-of.ts'
import { OBJECT_LIST } from './manifest.ts'

/** An object as a backup lists it. */
export interface ListedObject {
  key: string
  size: number
  sha256: string
}

export interface CopiedObjects {
  count: number
  size: number
  new: number
  list: CopiedFile
}

/**
 * Copies every object that the target lacks, hashed on the way, and lists all in `folder`. Objects are written once,
 * so those that an earlier backup (`before`) lists are not read again; those of an interrupted backup are read from
 * the target.
 */
export async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  folder: string,
  before: string | undefined,
): Promise<CopiedObjects> {
  const known = new Map<string, ListedObject>()
  if (before) for await (const each of readList(join(before, OBJECT_LIST))) known.set(each.key, each)
  const there = new Map<string, number>()
  for await (const { key, size } of to.list('')) there.set(key, size)
  const path = join(folder, OBJECT_LIST)
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const totals = { count: 0, size: 0, new: 0 }
  await eachOf(from.list(''), async ({ key, size }) => {
    const has = there.get(key)
    if (has !== undefined && has !== size)
      throw new Error(`object ${key} has ${has} bytes in the backup, and now ${size}`)
    const listed = has === undefined ? undefined : known.get(key)
    const found = listed ?? (await (has === undefined ? fetched(from, to, key) : hashed(to, key)))
    if (!found) return
    totals.count++
    totals.size += found.size
    if (has === undefined) totals.new++
    if (!out.write(`${JSON.stringify({ key, size: found.size, sha256: found.sha256 })}\n`))
      await once(out, 'drain')
  })
  out.end()
  await once(out, 'close')
  return { ...totals, list: { path: OBJECT_LIST, ...(await digestOf(path)) } }
}

/** Restores every missing object; an existing one must have its size. Resolves to the number of restored objects. */
export async function restoreObjects(list: string, from: ObjectStore, to: ObjectStore): Promise<number> {
  let put = 0
  await eachOf(readList(list), async ({ key, size, sha256 }) => {
    const there = await to.head(key)
    if (there && there.size !== size)
      throw new Error(`object ${key} has ${there.size} bytes, and ${size} in the backup`)
    if (there) return
    await to.put(key, from.read(key), { size, sha256 })
    put++
  })
  return put
}

/** Undefined if the object was removed meanwhile: no row needs it then. */
async function fetched(
  from: ObjectStore,
  to: ObjectStore,
  key: string,
): Promise<Omit<ListedObject, 'key'> | undefined> {
  try {
    return await to.put(key, from.read(key))
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined
    if (error instanceof ObjectExists) return hashed(to, key)
    throw error
  }
}

async function hashed(store: ObjectStore, key: string): Promise<Omit<ListedObject, 'key'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of store.read(key)) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, sha256: hash.digest('hex') }
}

async function* readList(path: string): AsyncGenerator<ListedObject> {
  await access(path)
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield JSON.parse(line) as ListedObject
}
