/** After a key's destruction and the end of its epoch, no file of an installation contains the key or the device's wrapped data key. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { runningEmbedded } from '../apps/server/src/ports/database/embedded.ts'
import { openDatabase } from '../apps/server/src/ports/database/pool.ts'
import { dekContext, deviceDekContext } from '../apps/server/src/ports/keys/contexts.ts'
import { type KeptDeviceDek, readDeviceDek } from '../apps/server/src/ports/keys/device-dek.ts'
import { localFileKeys } from '../apps/server/src/ports/keys/local-file.ts'
import { type KeyContext, KeyUnknown } from '../apps/server/src/ports/keys/port.ts'
import { HALF, HEAD, getPlace, SLOT } from '../apps/server/src/ports/keys/slots/layout.ts'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { demoPhone, getMessage, getRecording } from '../apps/server/src/testing/phones.ts'
import { serverProcess } from '../tools/rigs/server-process.ts'

describe('a destroyed key', async () => {
  const at = (...path: string[]) => join(top, ...path)
  const top = await mkdtemp(join(tmpdir(), 'custodia-forgotten-'))
  await chmod(top, 0o711)
  // The searched folder contains the server's temporary files.
  const server = await serverProcess({ DEMO: 'true', TMPDIR: top }, at('data'))
  await server.start()
  after(async () => {
    await server.kill({ database: true })
    await removeFolder(top)
  })

  /** A page boundary of the log may split the bytes: search for both halves. */
  const getParts = (bytes: Buffer): Buffer[] => [bytes.subarray(0, 64), bytes.subarray(-64)]

  /** Files below the folder that contain bytes of each group, raw or as hex, the text form of PostgreSQL. */
  async function find(...groups: Buffer[][]): Promise<string[][]> {
    const found = groups.map((): string[] => [])
    const search = searchFor(
      groups.map((group) => group.flatMap((bytes) => [bytes, Buffer.from(bytes.toString('hex'))])),
    )
    for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      for (const group of search(await readFile(path).catch(() => Buffer.alloc(0)))) found[group]?.push(path)
    }
    return found
  }

  it('leaves no trace in the database, log, key folder or temporary files', async () => {
    const phone = await demoPhone(at('data'), server.url, 'Harriet')
    await phone.record(getRecording('SMS', getMessage('to be forgotten')).recording)
    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
    const keys = localFileKeys({ folder: at('data', 'keys') })
    // The folder has its socket.
    process.env.TMPDIR = top
    const db = await openDatabase({
      connection: runningEmbedded(at('data', 'postgres')) ?? '',
      appName: 'test',
    })
    const { rows } = await db.owner.query<{ wrapped_dek: Buffer; payload_reference: string }>(
      'select wrapped_dek, payload_reference from payload_objects join payloads using (client_id, payload_id) order by payload_id desc limit 2',
    )
    const { rows: envelopes } = await db.owner.query<
      KeptDeviceDek & { dek_key: Buffer; payload_reference: string }
    >(
      'select encrypted_dek, dek_key, payload_reference from payload_envelopes join payloads using (client_id, payload_id) order by payload_id desc limit 1',
    )
    await db.owner.query('checkpoint')
    const traces: { key: Buffer; sealed: Buffer; name: Buffer; context: KeyContext }[] = []
    const names = [
      ...rows.map((row) => ({ name: row.wrapped_dek, context: dekContext('acme', row.payload_reference) })),
      ...envelopes.map((row) => ({
        name: row.dek_key,
        context: deviceDekContext('acme', row.payload_reference),
      })),
    ]
    for (const { name, context } of names) {
      const { segment, index } = getPlace(name)
      const slots = await readFile(at('data', 'keys', 'slots', `${segment}.slots`))
      const sealed = Buffer.from(slots.subarray(index * SLOT + HEAD, index * SLOT + HEAD + HALF))
      traces.push({ key: await keys.unwrap(name, context), sealed, name, context })
    }
    assert.equal(traces.length, 2, 'the original, and what seals the key that its phone wrapped')
    const [envelope] = envelopes
    assert.ok(envelope)
    const announced = await readDeviceDek(keys, { ...envelope, client: 'acme' })
    const inLog = (paths: string[]) => paths.some((path) => path.includes('pg_wal'))
    const plain = [Buffer.from(announced), Buffer.from(announced, 'base64')].flatMap(getParts)
    const [wrapped = [], asWrapped, ...others] = await find(
      getParts(envelope.encrypted_dek),
      plain,
      ...traces.flatMap(({ sealed, name }) => [[sealed], [name]]),
    )
    assert.ok(inLog(wrapped), 'sealed it is in the log')
    // Also while the key is active.
    assert.deepEqual(asWrapped, [], 'the key as its phone wrapped it')
    for (const [i, paths] of others.entries())
      if (i % 2 === 0) assert.equal(paths.length, 1, 'the search finds what is there')
      else assert.ok(inLog(paths), 'it finds what is in the log')

    await keys.forget(traces.map(({ name }) => name))
    await keys.roll(async () => undefined)
    await db.owner.query('checkpoint')
    await db.close()
    const left = await find(traces.flatMap(({ key, sealed }) => [key, sealed, sealed.subarray(20)]))
    assert.deepEqual(left, [[]], 'the keys, sealed or not, or a part of them')
    for (const { name, context } of traces) {
      const another = localFileKeys({ folder: at('data', 'keys') })
      await assert.rejects(another.unwrap(name, context), KeyUnknown)
    }
  })
})

/** Bytes from one looked-up word of a file to the next. */
const STRIDE = 8

/**
 * Returns a search of bytes for the groups of which they contain one. It looks up every eighth byte's word among all words of the
 * groups, since whole searches of the database for each would take ten seconds.
 */
function searchFor(groups: readonly (readonly Buffer[])[]): (content: Buffer) => Set<number> {
  const words = new Map<number, { group: number; bytes: Buffer; offset: number }[]>()
  for (const [group, all] of groups.entries())
    for (const bytes of all) {
      assert.ok(bytes.length >= STRIDE + 4, 'long enough to contain a whole word of each file')
      for (let offset = 0; offset < STRIDE; offset++) {
        const word = bytes.readInt32LE(offset)
        words.set(word, [...(words.get(word) ?? []), { group, bytes, offset }])
      }
    }
  return (content) => {
    const found = new Set<number>()
    for (let at = 0; at + 4 <= content.length; at += STRIDE)
      for (const { group, bytes, offset } of words.get(content.readInt32LE(at)) ?? []) {
        const start = at - offset
        if (start >= 0 && content.subarray(start, start + bytes.length).equals(bytes)) found.add(group)
      }
    return found
  }
}
