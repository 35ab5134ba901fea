import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { chosenFiles, DuplicatePath } from './chosen-files.ts'

const getBytes = async (files: Readonly<Record<string, string>>) => {
  const zip = new ZipWriter(new BlobWriter(), { level: 0, useWebWorkers: false })
  for (const [name, text] of Object.entries(files)) await zip.add(name, new TextReader(text))
  return Buffer.from(await (await zip.close()).arrayBuffer())
}
const chosen = (bytes: Buffer<ArrayBuffer>) => chosenFiles([new File([bytes], 'all.zip')])

test('no file of a zip replaces another one, and damaged contents are refused', async () => {
  const zip = await getBytes({
    'old/payloads.csv': 'rows',
    'old/media/2020/a.wav': 'sound',
    'b.wav': 'sound',
  })
  const files = await chosen(zip)
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ['payloads.csv', 'media/2020/a.wav', 'media/b.wav'],
  )
  assert.equal(await (await files[1]?.read())?.text(), 'sound')
  zip.write('S', zip.indexOf('sound'))
  await assert.rejects((await chosen(zip))[1]?.read() ?? Promise.resolve(), /CRC32/)
  await assert.rejects(chosen(await getBytes({ '2020/a.wav': 'one', '2021/a.wav': 'two' })), DuplicatePath)
})
