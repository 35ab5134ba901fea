import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CustomerMailbox, startCustomerMailbox } from './customer-mailbox.ts'

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
