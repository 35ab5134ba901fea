import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { reservePort } from '../../testing/daemon.ts'
import { makeCertificate, opensslAvailable } from '../../testing/issuer.ts'
import { requirePart } from '../../testing/require-part.ts'
import { type MailServer, smtpdAvailable, startSmtpd } from '../../testing/smtpd.ts'
import { MailProblem } from './port.ts'
import { readSmtp } from './read-smtp.ts'
import { smtpMailer } from './smtp.ts'

const MAIL = { message_id: '1@portal.example', subject: 'Gravação', text: 'Olá,\n\nâmbar\n' }

describe('a mail server address', () => {
  it('contains host, port, encryption and credentials', () => {
    assert.deepEqual(readSmtp('smtps://us%40er:p%3Aw@mail.example'), {
      host: 'mail.example',
      port: 465,
      tls: 'at_once',
      user: 'us@er',
      password: 'p:w',
    })
    const plain = { host: '::1', port: 2525, tls: 'starttls', user: undefined, password: undefined }
    assert.deepEqual(readSmtp('smtp://[::1]:2525'), plain)
    assert.deepEqual(readSmtp('smtp://[::1]:2525/?tls=never'), { ...plain, tls: 'never' })
    assert.equal(readSmtp('smtp://mail.example')?.port, 587)
  })

  it('is rejected in other forms or with a password over an unencrypted connection', () => {
    for (const wrong of [
      'mail.example',
      'http://mail.example',
      'smtp://',
      'smtp://mail.example/path',
      'smtp://mail.example?pool=true',
      'smtps://mail.example?tls=never',
      'smtp://user:password@mail.example?tls=never',
    ])
      assert.equal(readSmtp(wrong), undefined, wrong)
  })
})

const hasParts = smtpdAvailable() && opensslAvailable()

describe('mail sent by SMTP', requirePart('exim4-daemon-light', hasParts), () => {
  let server: MailServer
  let folder: string
  const send = (url: string, to: string) => {
    const read = readSmtp(url)
    assert.ok(read)
    return smtpMailer({ ...read, from: 'custodia@bank.example' }).send({ ...MAIL, to })
  }
  const problem = (reason: string, isFinal: boolean) => (error: unknown) =>
    error instanceof MailProblem && error.reason === reason && error.isFinal === isFinal
  const signedIn = () => `smtp://custodia:let%20me%20in@localhost:${server.port}`

  before(async () => {
    const { cert, key } = makeCertificate('localhost')
    setDefaultCACertificates([...getCACertificates('default'), cert])
    folder = await mkdtemp(join(tmpdir(), 'custodia-mail-'))
    const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
    await writeFile(files.certificate, cert)
    await writeFile(files.key, key)
    server = await startSmtpd(files)
  })
  after(async () => {
    await server?.stop()
    if (folder) await rm(folder, { recursive: true })
  })

  it('is encrypted, authenticated, in Unicode and marked as automatically generated', async () => {
    await send(signedIn(), 'anna@bank.example')
    const [{ headers, ...mail } = { headers: {} as Record<string, string> }] = await server.taken(1)
    assert.deepEqual(mail, {
      from: 'custodia@bank.example',
      to: ['anna@bank.example'],
      tls: true,
      user: 'custodia',
      text: MAIL.text,
    })
    assert.equal(headers['subject'], 'Gravação')
    assert.equal(headers['message-id'], '<1@portal.example>')
    assert.equal(headers['auto-submitted'], 'auto-generated')
    assert.match(headers['from'] ?? '', /^Custodia <custodia@bank\.example>$/)
  })

  it('fails with a final or a temporary problem, depending on the reason', async () => {
    const sent = server.mails.length
    await assert.rejects(send(signedIn(), 'later@bank.example'), problem('smtp_451', false))
    await assert.rejects(send(signedIn(), 'never@bank.example'), problem('smtp_550', true))
    // A failed sign-in is the operator's fault, so the mail is kept.
    const stranger = `smtp://custodia:wrong@localhost:${server.port}`
    await assert.rejects(send(stranger, 'anna@bank.example'), problem('smtp_535', false))
    await assert.rejects(
      send(`smtp://localhost:${await reservePort()}?tls=never`, 'anna@bank.example'),
      problem('unreachable', false),
    )
    assert.equal(server.mails.length, sent)
  })

  it('requires TLS with a valid certificate unless the operator turns it off', async () => {
    const plain = await startSmtpd()
    try {
      await assert.rejects(
        send(`smtp://127.0.0.1:${plain.port}`, 'anna@bank.example'),
        problem('no_tls', false),
      )
      assert.equal(plain.mails.length, 0)
      await send(`smtp://127.0.0.1:${plain.port}?tls=never`, 'anna@bank.example')
      await plain.taken(1)
      await assert.rejects(
        send(`smtp://custodia:let%20me%20in@127.0.0.1:${server.port}`, 'anna@bank.example'),
        problem('no_tls', false),
      )
    } finally {
      await plain.stop()
    }
  })

  it('has one recipient, whatever the address contains', async () => {
    const sent = server.mails.length
    await send(signedIn(), '"eve@evil.example>"anna@bank.example').catch(() => undefined)
    for (const { to } of server.mails.slice(sent)) assert.equal(to.length, 1)
  })
})
