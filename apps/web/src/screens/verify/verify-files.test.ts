import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { filesOfZip, type VerifiedFile, verifyBundle } from './verify-files.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const FIRST = 'data/originals/2026-11-25_1358_Sofia-Duarte_+5511955550712.wav'
const MANIFEST = `${sha('sound')}  ${FIRST}\n${sha('other')}  data/originals/other.wav\n`

/** Verifies a zip of these files, below the folder of a bag. */
async function verify(
  files: Record<string, string>,
): Promise<Record<string, VerifiedFile['outcome']> | undefined> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false })
  for (const [name, text] of Object.entries(files)) await writer.add(`export-1/${name}`, new TextReader(text))
  const zip = await writer.close()
  const shares: number[] = []
  const found = await verifyBundle(await filesOfZip(zip), (share) => shares.push(share))
  assert.ok(shares.every((share) => share > 0 && share <= 1))
  return found && Object.fromEntries(found.map(({ path, outcome }) => [path, outcome]))
}

test('a bundle is compared with its manifests, file by file', async () => {
  const whole = { [FIRST]: 'sound', 'data/originals/other.wav': 'other', 'manifest-sha256.txt': MANIFEST }
  const tags = { 'tagmanifest-sha256.txt': `${sha(MANIFEST)}  manifest-sha256.txt\n` }
  assert.deepEqual(await verify({ ...whole, ...tags }), {
    [FIRST]: 'unchanged',
    'data/originals/other.wav': 'unchanged',
    'manifest-sha256.txt': 'unchanged',
  })
  assert.deepEqual(
    await verify({ [FIRST]: 'Sound', 'data/new.wav': 'x', 'manifest-sha256.txt': `${MANIFEST} `, ...tags }),
    {
      [FIRST]: 'changed',
      'data/originals/other.wav': 'missing',
      'manifest-sha256.txt': 'changed',
      'data/new.wav': 'unlisted',
    },
  )
  assert.equal(await verify({ [FIRST]: 'sound' }), undefined, 'no manifest, no bundle')
})
