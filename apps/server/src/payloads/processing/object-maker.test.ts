import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { filesystemStore } from '../../ports/objects/filesystem.ts'
import { collect } from '../../testing/media-files.ts'
import { sealedDraft } from './object-maker.ts'

const root = await mkdtemp(join(tmpdir(), 'custodia-draft-'))
after(() => rm(root, { recursive: true }))
const [base_url, upload_secret] = ['http://127.0.0.1', Buffer.alloc(32)]
const objects = filesystemStore({ root, base_url, upload_secret, now: () => 0 })

const AAD = Buffer.from('aad')
const secret = Buffer.from('said in confidence')

async function* film(megabytes: number) {
  for (let i = 0; i < megabytes * 16; i++) yield Buffer.concat([secret, Buffer.alloc(65_536, i)])
}
async function stored(): Promise<Buffer[]> {
  const names = await readdir(root, { recursive: true, withFileTypes: true })
  return Promise.all(
    names
      .filter((each) => each.isFile() && !each.parentPath.endsWith('packs'))
      .map(({ parentPath, name }) => readFile(join(parentPath, name))),
  )
}

test('large content is stored sealed, reads back unchanged, and is deleted with the draft', async () => {
  const whole = await collect(film(10))
  {
    await using draft = sealedDraft({ objects }, AAD, 'acme/one/draft-1')
    const read = await draft.keep(film(10))
    const [file, ...others] = await stored()
    assert.ok(file && others.length === 0)
    assert.ok(file.length > whole.length && !file.includes(secret), 'nothing of it lies in the clear')
    assert.ok((await collect(read())).equals(whole))
  }
  assert.deepEqual(await stored(), [])
})

test('small content is not written to the object store', async () => {
  await using draft = sealedDraft({ objects }, AAD, 'acme/one/draft-2')
  const read = await draft.keep(film(2))
  assert.deepEqual(await stored(), [])
  assert.ok((await collect(read())).equals(await collect(film(2))))
})

test('content that fails while it is produced leaves no object', async () => {
  async function* broken() {
    yield* film(9)
    throw new Error('ffmpeg ended')
  }
  {
    await using draft = sealedDraft({ objects }, AAD, 'acme/one/draft-3')
    await assert.rejects(draft.keep(broken()), /ffmpeg ended/)
  }
  assert.deepEqual(await stored(), [])
})
