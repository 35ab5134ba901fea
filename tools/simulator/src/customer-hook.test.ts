import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import ssh2, { type SFTPWrapper } from 'ssh2'
import {
  type CustomerHook,
  type CustomerMailbox,
  startCustomerHook,
  startCustomerMailbox,
} from './customer-hook.ts'
import { type CustomerServer, hostKey, startCustomerServer } from './customer-server.ts'

describe('the simulated customer’s mailbox', () => {
  let folder: string
  let mailbox: CustomerMailbox
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'custodia-mailbox-'))
    mailbox = await startCustomerMailbox(folder)
  })
  after(async () => {
    await mailbox.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Sends each line after the response to the previous one; resolves to the responses. */
  async function talk(lines: readonly string[]): Promise<string[]> {
    const socket = connect(mailbox.port, mailbox.host).setEncoding('utf8')
    const answers: string[] = []
    for (const line of [undefined, ...lines]) {
      if (line !== undefined) socket.write(`${line}\r\n`)
      const [answer] = (await once(socket, 'data')) as [string]
      answers.push(answer.slice(0, 3))
    }
    socket.destroy()
    return answers
  }

  it('stores each mail as an .eml file', async () => {
    const envelope = [
      'EHLO here',
      'MAIL FROM:<custodia@demo.example>',
      'RCPT TO:<alice@acme.example>',
      'DATA',
    ]
    const mail = 'Subject: An alert\r\n\r\nRead it in the portal.\r\n.'
    assert.deepEqual(await talk([...envelope, mail]), ['220', '250', '250', '250', '354', '250'])
    assert.deepEqual(await talk([...envelope, mail]), ['220', '250', '250', '250', '354', '250'])
    const names = await readdir(folder)
    assert.equal(names.length, 2)
    for (const name of names) {
      assert.match(name, /^\d{4}-\d\d-\d\dT.*\.eml$/)
      assert.match(await readFile(join(folder, name), 'utf8'), /^Subject: An alert\r\n\r\nRead it/m)
    }
  })

  it('stores nothing of an oversized or interrupted mail', async () => {
    const before = await readdir(folder)
    const envelope = [
      'EHLO here',
      'MAIL FROM:<custodia@demo.example>',
      'RCPT TO:<alice@acme.example>',
      'DATA',
    ]
    const large = `Subject: Much\r\n\r\n${'x'.repeat(1024 * 1024)}\r\n.`
    assert.equal((await talk([...envelope, large])).at(-1), '552')
    await talk(envelope)
    assert.deepEqual(await readdir(folder), before)
  })
})

describe('the simulated customer’s webhook receiver', () => {
  const key = randomBytes(32)
  const body = '{"type":"alert.test"}'
  const now = Math.floor(Date.now() / 1000)
  let folder: string
  let hook: CustomerHook
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'custodia-hook-'))
    hook = await startCustomerHook(folder, { port: 0, key })
  })
  after(async () => {
    await hook.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function post({ id = 'one', sent_at = String(now), secret = key, sent = body, path = '' } = {}) {
    const signature = createHmac('sha256', secret).update(`${id}.${sent_at}.${body}`).digest('base64')
    const headers = { 'webhook-id': id, 'webhook-timestamp': sent_at, 'webhook-signature': `v1,${signature}` }
    const { status } = await fetch(`${hook.url}${path}`, { method: 'POST', headers, body: sent })
    return status
  }

  it('stores a signed webhook once per id', async () => {
    assert.equal(await post(), 204)
    assert.equal(await post(), 204)
    assert.equal(await post({ id: 'two', sent_at: String(now - 240) }), 204)
    assert.deepEqual((await readdir(folder)).toSorted(), ['one.json', 'two.json'])
    assert.equal(await readFile(join(folder, 'one.json'), 'utf8'), `${body}\n`)
  })

  it('rejects a webhook with a bad signature, timestamp, id, size or path', async () => {
    const before = await readdir(folder)
    assert.equal(await post({ id: 'other', secret: randomBytes(32) }), 401)
    assert.equal(await post({ id: 'other', sent: '{"type":"alert.other"}' }), 401)
    assert.equal(await post({ id: 'other', sent_at: String(now - 400) }), 400)
    assert.equal(await post({ id: 'other', sent_at: 'yesterday' }), 400)
    assert.equal(await post({ id: '../other' }), 400)
    assert.equal(await post({ id: 'other', sent: 'x'.repeat(64 * 1024 + 1) }), 413)
    assert.equal(await post({ id: 'other', path: '/more' }), 404)
    assert.deepEqual(await readdir(folder), before)
  })
})

const SIGN_IN = { username: 'archive', password: 'correct horse' }

describe('the simulated customer’s SFTP server', () => {
  let folder: string
  let server: CustomerServer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'custodia-customer-'))
    server = await startCustomerServer({
      folder: join(folder, 'files'),
      port: 0,
      host_key: hostKey(),
      ...SIGN_IN,
    })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const session = (signIn: Partial<typeof SIGN_IN> = {}) =>
    new Promise<{ sftp: SFTPWrapper; end: () => void }>((resolve, reject) => {
      const client = new ssh2.Client()
      client.on('error', reject)
      client.on('ready', () =>
        client.sftp((error, sftp) =>
          error ? reject(error) : resolve({ sftp, end: () => void client.end() }),
        ),
      )
      client.connect({ host: server.host, port: server.port, ...SIGN_IN, ...signIn })
    })

  it('stores and returns files, including large ones', async () => {
    const { sftp, end } = await session()
    const bytes = Buffer.alloc(700_000, 'evidence ')
    await promisify(sftp.mkdir.bind(sftp) as (path: string, done: (e?: Error | null) => void) => void)(
      '/2026',
    )
    await writeTo(sftp, '/2026/one.part', bytes)
    await promisify(sftp.rename.bind(sftp))('/2026/one.part', '/2026/one')
    assert.deepEqual(await readFrom(sftp, '/2026/one'), bytes)
    assert.deepEqual(await readFile(join(folder, 'files/2026/one')), bytes)
    const names = await new Promise<string[]>((resolve, reject) =>
      sftp.readdir('/2026', (error, list) =>
        error ? reject(error) : resolve(list.map(({ filename }) => filename)),
      ),
    )
    assert.deepEqual(names, ['one'])
    end()
  })

  it('rejects a wrong user name or password', async () => {
    for (const signIn of [{ password: 'wrong' }, { password: '' }, { username: 'root' }])
      await assert.rejects(session(signIn), /authentication/)
  })

  it('serves no file outside its folder for any path', async () => {
    await writeFile(join(folder, 'secret'), 'outside the folder')
    const { sftp, end } = await session()
    for (const path of ['../secret', '/../secret', '/2026/../../secret', join(folder, 'secret')])
      await assert.rejects(readFrom(sftp, path), /No such file/)
    end()
  })
})

const writeTo = (sftp: SFTPWrapper, path: string, bytes: Buffer) =>
  new Promise<void>((resolve, reject) =>
    sftp.writeFile(path, bytes, (error) => (error ? reject(error) : resolve())),
  )
const readFrom = (sftp: SFTPWrapper, path: string) =>
  new Promise<Buffer>((resolve, reject) =>
    sftp.readFile(path, (error, bytes) => (error ? reject(error) : resolve(bytes))),
  )
