import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { fromBuffer } from 'yauzl'

/** The files of a zip by name; every checksum in it is compared. */
export function unzipped(zip: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const files = new Map<string, Buffer>()
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => {
      if (error) return reject(error)
      opened.on('entry', (entry) =>
        opened.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure)
          files.set(entry.fileName, Buffer.concat(await stream.toArray()))
          opened.readEntry()
        }),
      )
      opened.on('end', () => resolve(files)).on('error', reject)
      opened.readEntry()
    })
  })
}

/**
 * Reads a serialised bag by RFC 8493, independent of its writer: one folder (section 4.2), the declaration (2.1.1), a
 * manifest that matches the payload files (2.1.3, 3), a tag manifest that matches the other tag files (2.2.1), and
 * the octet count (2.2.2). Resolves to the recordings by name and the tags of bag-info.txt.
 */
export function readBag(files: ReadonlyMap<string, Buffer>) {
  const folders = new Set([...files.keys()].map((name) => name.split('/')[0]))
  assert.equal(folders.size, 1, 'one folder at the top')
  const [folder = ''] = folders
  const inside = new Map([...files].map(([name, bytes]) => [name.slice(folder.length + 1), bytes]))
  assert.equal(
    String(inside.get('bagit.txt')),
    'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n',
    'the declaration',
  )
  const manifest = (name: string) => {
    const text = String(inside.get(name) ?? assert.fail(`no ${name}`))
    const lines = text.split('\n').filter((line) => line !== '')
    const read = lines.map((line) => {
      const [, digest = '', path = ''] = /^([0-9a-f]{64})[ \t]+\*?(\S.*)$/.exec(line) ?? assert.fail(line)
      return [path, digest] as const
    })
    assert.equal(new Set(read.map(([path]) => path)).size, read.length, 'each file once')
    for (const [path, digest] of read) {
      const bytes = inside.get(path) ?? assert.fail(`${path} is missing`)
      assert.equal(createHash('sha256').update(bytes).digest('hex'), digest, path)
    }
    return read.map(([path]) => path).toSorted()
  }
  const payload = [...inside.keys()].filter((name) => name.startsWith('data/')).toSorted()
  assert.deepEqual(manifest('manifest-sha256.txt'), payload, 'a complete bag')
  const tags = [...inside.keys()].filter(
    (name) => !name.startsWith('data/') && !name.startsWith('tagmanifest-'),
  )
  assert.deepEqual(manifest('tagmanifest-sha256.txt'), tags.toSorted(), 'every tag file')
  const info = Object.fromEntries(
    String(inside.get('bag-info.txt'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [, label = '', value = ''] = /^([^:\s][^:]*):[ \t](.*)$/.exec(line) ?? assert.fail(line)
        return [label, value]
      }),
  )
  const octets = payload.reduce((sum, name) => sum + (inside.get(name)?.length ?? 0), 0)
  assert.equal(info['Payload-Oxum'], `${octets}.${payload.length}`)
  return {
    info,
    recordings: new Map(payload.map((name) => [name.slice('data/'.length), inside.get(name)])),
    contents: String(inside.get('contents.csv')).split('\r\n'),
  }
}
