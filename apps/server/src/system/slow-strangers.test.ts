/** A slow or silent server of one customer delays only that customer. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type Client, makeClient } from '@custodia/client'
import { sendWebhooks } from '../alert-webhooks/deliver.ts'
import { STOP_MS } from '../jobs/queue.ts'
import { transferInput } from '../testing/access-fixture.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { makeCertificate, opensslAvailable, startTlsServer, type TlsServer } from '../testing/issuer.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { type SlowSftp, startSlowSftp, until } from '../testing/waits.ts'
import { carryOutRun } from '../transfers/engine.ts'

/** Milliseconds after which the slow SFTP server answers each request: no silence, and no end. */
const SLOW = 600_000

describe('a slow server of one client', () => {
  let server: TestServer
  let slow: SlowSftp
  let quick: SlowSftp
  let receiver: TlsServer
  let acme: Client
  let globex: Client
  /** Requests of webhooks that wait for an answer, and how many did when the quick receiver was asked. */
  let open = 0
  let openThen: number | undefined

  before(async () => {
    const certificate = makeCertificate('localhost')
    setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
    receiver = await startTlsServer(certificate, (request, response) => {
      if (request.url === '/slow') {
        open++
        response.once('close', () => void open--)
      } else {
        openThen = open
        response.writeHead(200).end()
      }
    })
    slow = await startSlowSftp(SLOW)
    quick = await startSlowSftp(0)
    const allowed = [slow, quick].map(({ port }) => `sftp://127.0.0.1:${port}`)
    server = await testServer(
      { EGRESS_ALLOW: [...allowed, `https://localhost:${receiver.port}`].join(',') },
      { hasWorker: true },
    )
    acme = await root('acme')
    globex = await root('globex')
  })
  after(async () => {
    await server?.close()
    await slow?.stop()
    await quick?.stop()
    await receiver?.close()
  })

  async function root(client: string): Promise<Client> {
    const roles = ['Account Administrator', 'Compliance Manager']
    const token = await openSession(server.ctx, { client, user_reference: 'root', roles })
    return makeClient({ baseUrl: server.url, client: () => client, credentials: async () => ({ token }) })
  }
  async function start(client: Client, transfer_config_reference: string, target: SlowSftp): Promise<string> {
    const params = { transfer_config_reference }
    await client.createTransferConfig({
      params,
      body: transferInput(
        { port: target.port, host_key: target.host_key },
        { transfer_type: 'Report', sftp_password: 'secret' },
      ),
    })
    const started = await client.runTransferConfig({ params })
    assert.ok('transfer_id' in started)
    return started.transfer_id
  }
  const ended = (client: Client, transfer_id: string) =>
    until(
      `the end of the run ${transfer_id}`,
      () => client.readTransfer({ params: { transfer_id } }),
      ({ completed_at }) => completed_at !== null,
    )

  it('does not delay the transfers of another client, and is left when its config is deleted or it takes too little', async () => {
    const runs: string[] = []
    for (let i = 0; i < 10; i++) runs.push(await start(acme, `slow-${i}`, slow))
    await until(
      'two runs to the slow server',
      () => slow.asked(),
      (asked) => asked >= 2,
    )
    const other = await ended(globex, await start(globex, 'quick', quick))
    assert.equal(other.transfer_state, 'Succeeded')
    const inState = async (state: 'InProgress' | 'Pending') => {
      return (await acme.listTransfers({ query: { transfer_states: [state] } })).data
    }
    const underWay = await inState('InProgress')
    assert.equal(underWay.length, 2)
    const [{ transfer_id, transfer_config_reference } = { transfer_id: '', transfer_config_reference: '' }] =
      underWay
    await acme.deleteTransferConfig({ params: { transfer_config_reference } })
    const cut = await ended(acme, transfer_id)
    assert.equal(cut.error_message, 'refused: the transfer config is gone')

    const [waiting] = await inState('Pending')
    assert.ok(waiting)
    const { ctx } = server
    const config = { ...ctx.config, transfers: { ...ctx.config.transfers, overSeconds: 2 } }
    const account = { client: 'acme', client_id: await server.getId('acme') }
    const input = { ...account, transfer_id: waiting.transfer_id }
    await carryOutRun({ ...ctx, config }, input, new AbortController().signal)
    const left = await ended(acme, waiting.transfer_id)
    assert.equal(left.error_message, 'timeout: less than 64 KiB per second over 2 seconds')
  })

  it(
    'does not delay the webhooks of another client',
    requirePart('openssl', opensslAvailable()),
    async () => {
      const send = async (client: Client, path: string) => {
        const { webhook_reference } = await client.createAlertWebhook({
          body: {
            description: path,
            alert_scopes: ['ops'],
            min_severity: 'Low',
            is_active: true,
            url: `https://localhost:${receiver.port}/${path}`,
          },
        })
        await client.testAlertWebhook({ params: { webhook_reference } })
      }
      for (let i = 0; i < 8; i++) await send(acme, 'slow')
      await sendWebhooks.run(server.ctx, {}, new AbortController().signal)
      await until('a slow request', () => open > 0)
      await send(globex, 'quick')
      await sendWebhooks.run(server.ctx, {}, new AbortController().signal)
      await until('the quick request', () => openThen !== undefined)
      assert.ok((openThen ?? 0) > 0, 'it waited until the slow requests were given up')
    },
  )

  it('does not delay the end of the process', async () => {
    assert.ok(slow.asked() > 0)
    const started = performance.now()
    await server.ctx.jobs.stop()
    assert.ok(performance.now() - started < STOP_MS, 'it waited for running work')
    const [{ count } = { count: 0 }] = await server.sql<{ count: number }>(
      `select count(*)::int as count from client_tasks where kind = 'transfers.carry-out' and not is_taken`,
    )
    assert.ok(count > 0, 'another process goes on at once')
  })
})
