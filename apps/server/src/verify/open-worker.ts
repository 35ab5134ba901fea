/** Reads and opens objects in a thread of its own: hashing and deciphering would hold up everything else in the process. */
import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { PayloadType } from '@custodia/contract'
import { associatedData, EnvelopeError, metaKind, openMeta, openSequential } from '@custodia/envelope'
import { openObjects } from '../open-objects.ts'
import type { ObjectSettings } from '../open-objects.ts'
import { ORIGINAL } from '../payloads/data-objects.ts'
import { ObjectNotFound } from '../ports/objects/port.ts'
import type { Check } from './checks.ts'

/** What a thread needs to know to open the store for itself. */
export interface DecryptorSettings {
  objects: ObjectSettings
}

/** An object to be read and opened. */
export interface OpenTask {
  client: string
  payload_reference: string
  /** Absent: there is metadata only. */
  object?: { kind: string; key: string; sealed_size: number }
  /** Absent: the data key is not known yet, and the sealed bytes alone are compared. */
  dek?: Uint8Array
  /** SHA-256 of the sealed bytes as the device announced them. */
  sealed_checksum?: string | null
  /** SHA-256 and size of the opened bytes as they were when the object was stored. */
  checksum?: string | null
  size?: number
  /** Metadata sealed under the same key. */
  meta?: { payload_type: PayloadType; iv: string; sealed: Uint8Array }
}

export interface OpenResult {
  bytes: number
  fault?: { check: Check; detail: string }
}

const { objects } = workerData as DecryptorSettings
const store = await openObjects(objects, Buffer.alloc(0), () => Math.floor(Date.now() / 1000))

parentPort?.on('message', async (tasks: OpenTask[]) => {
  const results: OpenResult[] = []
  for (const task of tasks) results.push(await open(task))
  parentPort?.postMessage(results)
})

async function open(task: OpenTask): Promise<OpenResult> {
  const result: OpenResult = { bytes: 0 }
  const fault = (await openData(task, result)) ?? openMetadata(task)
  task.dek?.fill(0)
  return fault ? { ...result, fault } : result
}

async function openData(task: OpenTask, result: OpenResult): Promise<OpenResult['fault']> {
  const { object, dek, sealed_checksum, checksum, size } = task
  if (!object) return undefined
  const at = `${object.kind}, ${object.key}`
  const sealed = createHash('sha256')
  async function* ciphertext(key: string) {
    for await (const chunk of store.read(key)) {
      if (sealed_checksum) sealed.update(chunk)
      result.bytes += chunk.length
      yield chunk
    }
  }
  try {
    if (!dek) for await (const _ of ciphertext(object.key));
    else {
      const opened = createHash('sha256')
      let length = 0
      const { client, payload_reference } = task
      const aad = associatedData({ client, payload_reference, kind: object.kind })
      for await (const chunk of openSequential(dek, aad, ciphertext(object.key))) {
        opened.update(chunk)
        length += chunk.length
      }
      const digest = opened.digest('hex')
      if (length !== size || (checksum && digest !== checksum))
        return { check: 'content_wrong', detail: `${at}, ${length} bytes` }
    }
    if (sealed_checksum && sealed.digest('hex') !== sealed_checksum)
      return { check: 'object_altered', detail: at }
    return undefined
  } catch (error) {
    if (error instanceof ObjectNotFound) return { check: 'object_missing', detail: at }
    if (!(error instanceof EnvelopeError))
      return { check: 'object_unreadable', detail: `${at}: ${String(error)}` }
    // The device's own bytes that do not open: are they others, or is it the key that is?
    if (object.kind !== ORIGINAL || !sealed_checksum)
      return { check: 'object_unreadable', detail: `${at}: ${error.code}` }
    const check = (await getDigest(object.key)) === sealed_checksum ? 'key_wrong' : 'object_altered'
    return { check, detail: `${at}: ${error.code}` }
  }
}

async function getDigest(key: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of store.read(key)) hash.update(chunk)
  return hash.digest('hex')
}

function openMetadata({ client, payload_reference, dek, meta }: OpenTask): OpenResult['fault'] {
  if (!meta || !dek) return undefined
  try {
    const kind = metaKind(meta.payload_type)
    openMeta(dek, { client, payload_reference, kind }, meta.iv, Buffer.from(meta.sealed).toString('base64'))
    return undefined
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error
    return { check: 'metadata_unreadable', detail: error.code }
  }
}
