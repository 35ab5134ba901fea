/**
 * One client floods the real server with hours of audio, announcements and slow uploads, while a device of another client
 * sends messages:
 *
 *     node tools/rigs/flood-test.ts [--messages 100] [--hours 4] [--announcements 10000] [--open 2000] [--bar 2]
 *
 * Prints the waiting times of the messages. Exits with 1 when the 99th percentile exceeds `bar` seconds.
 */
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { removeFolder } from '../../apps/server/src/testing/daemon.ts'
import { enrol } from '../bench/src/ingest-phones.ts'
import { serverProcess } from './server-process.ts'
import { announceMany, sendHours, trickle } from './flood-test/flood.ts'
import { sendSteadily } from './flood-test/messages.ts'

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '100' },
      hours: { type: 'string', default: '4' },
      announcements: { type: 'string', default: '10000' },
      open: { type: 'string', default: '2000' },
      bar: { type: 'string', default: '2' },
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'custodia-flood-'))
  // The embedded database runs as another user and needs access.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'data')
  const server = await serverProcess({ DEMO: 'true' }, dataDir)
  try {
    await server.start()
    const port = Number(new URL(server.url).port)
    const [flooding, calm] = await enrol(dataDir, port, 2)
    if (!flooding || !calm || flooding.key.client === calm.key.client)
      throw new Error('the demo has no two clients')
    // One-time loading does not count.
    await sendSteadily(calm, 3)
    await sendHours(flooding, Number(values.hours))
    const ending = new AbortController()
    const open = await trickle(flooding, Number(values.open), ending.signal)
    console.log(`${values.hours} recordings of an hour are sent, ${open} uploads are open`)
    const flood = announceMany(flooding, Number(values.announcements))
    const waited = await sendSteadily(calm, Number(values.messages))
    console.log(`${await flood} announcements were taken`)
    ending.abort()
    console.table(Object.fromEntries(waited.map(({ name, ...seconds }) => [name, seconds])))
    return waited.every(({ p99 }) => p99 <= Number(values.bar))
  } finally {
    await server.kill({ database: true })
    await removeFolder(folder)
  }
}

main().then(
  (isKept) => process.exit(isKept ? 0 : 1),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  },
)
