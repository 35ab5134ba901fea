import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import ssh2, { type SFTPWrapper } from 'ssh2'
import { type CustomerServer, hostKey, startCustomerServer } from './customer-server.ts'

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
