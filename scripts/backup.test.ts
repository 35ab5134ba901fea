/** The restore drill of docs/backup.md, with its commands. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { destroy, openParts, operated } from './backup.test-support.ts'

test('restores an archive that is whole after everything was lost, and what was destroyed after the backup stays destroyed', async (t) => {
  const operator = await operated()
  t.after(() => operator.close())
  const { server, at, command, run, backups, send, texts } = operator
  await send(0, 3)
  await run(await command('custodia backup'))

  const parts = await openParts(operator)
  const { rows } = await parts.db.owner.query<{ client_id: number; payload_id: number }>(
    'select client_id, payload_id from payloads order by payload_id desc limit 1',
  )
  for (const { client_id, payload_id } of rows) await destroy(parts, client_id, [payload_id])
  await parts.db.close()
  const left = await texts()
  assert.equal(left.length, 2)
  await send(3, 5)
  await run(await command('custodia backup'))
  const [first = '', second = ''] = await backups()
  const { objects } = JSON.parse(await readFile(at('backup', 'custodia', second, 'manifest.json'), 'utf8'))
  assert.ok(objects.new > 0 && objects.new < objects.count, 'only what is new is copied')

  // The older backup still has the destroyed rows; the newest ledger lists them as destroyed.
  await server.kill({ database: true })
  // Processes of PostgreSQL end a moment after their parent.
  await removeFolder(at('data'))
  const stated = await run((await command('custodia restore', first)).replace(/ --wal=\S+/, ''))
  assert.match(stated, /1 payloads destroyed once more/u)
  await run('custodia verify --deep')
  await server.start()
  assert.deepEqual(await texts(), left)
})
