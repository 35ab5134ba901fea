import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  decodeEntries,
  getTiles,
  GrowingTree,
  leafHash,
  openNote,
  parseCheckpoint,
  type Tile,
  tilePath,
} from '@custodia/sealed-log'
import { ingestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { sealAll } from '../testing/seal-all.ts'
import { startTimeStamps } from '../testing/time-stamps.ts'
import { startWitness } from '../testing/witness.ts'
import { contradictedAt, type Holder, readHolders } from './holder-store.ts'
import { noteKeys, sha256, verifyEd25519 } from './notes.ts'
import { mailRecipient, type Recipient, shareCheckpoint } from './share.ts'
import { writeTileFiles } from './tile-files.ts'
import { timeStampRecipient } from './time-stamp.ts'
import { witnessRecipient } from './witness.ts'

const NEVER = new AbortController().signal

const fixture = await ingestFixture()
const acme = { ...fixture.accounts.acme, client: 'acme' }
const folder = await mkdtemp(join(tmpdir(), 'custodia-stamps-'))
await grow()
after(async () => {
  await fixture.close()
  await rm(folder, { recursive: true, force: true })
})

/** Adds entries to the log and seals them. */
async function grow(): Promise<void> {
  const phone = await fixture.phone('acme')
  await phone.deliver(await sealRecording(phone, 'Photo', Buffer.from('x')))
  await sealAll(fixture.ctx, acme)
}

const share = (...recipients: Recipient[]) => shareCheckpoint(fixture.ctx, acme, recipients, NEVER)

async function held(holder: string): Promise<Holder> {
  const found = (await fixture.ctx.db.read(acme.client_id, readHolders)).find((each) =>
    each.holder.startsWith(holder),
  )
  assert.ok(found, `nothing is held by ${holder}`)
  return found
}

test('a time stamp of a checkpoint is good for OpenSSL, and one of an altered checkpoint is not', async () => {
  const authority = await startTimeStamps(folder)
  try {
    await share(timeStampRecipient(authority.url))
    const { checkpoint, receipt } = await held('time stamp')
    assert.ok(receipt)
    await writeFile(join(folder, 'checkpoint.txt'), checkpoint)
    await writeFile(join(folder, 'token.tsr'), receipt)
    const verify = () =>
      authority.openssl(
        'ts',
        '-verify',
        '-data',
        'checkpoint.txt',
        '-in',
        'token.tsr',
        '-CAfile',
        authority.ca,
      )
    await verify()
    await writeFile(join(folder, 'checkpoint.txt'), checkpoint.replace('\n', '0\n'))
    await assert.rejects(verify)
  } finally {
    authority.close()
  }
})

test('an answer that is not a time stamp of the checkpoint, or whose signature is wrong, is no receipt', async () => {
  const authority = await startTimeStamps(folder)
  const given = { checkpoint: 'custodia/acme\n1\n', size: 1, former: undefined }
  const hold = () => timeStampRecipient(authority.url).hold(given, NEVER)
  try {
    assert.ok((await hold()).receipt)
    const year = String(new Date().getUTCFullYear())
    const earlier = await readFile(join(folder, 'reply'))
    const altered: ((reply: Buffer) => Buffer)[] = [
      () => earlier,
      // The last byte of the signature, and the year, which is signed.
      (reply) => Buffer.concat([reply.subarray(0, -1), Buffer.of((reply.at(-1) ?? 0) ^ 1)]),
      (reply) => reply.fill('0', reply.indexOf(year), reply.indexOf(year) + year.length),
      (reply) => reply.subarray(0, -1),
      () => Buffer.alloc(100_000),
    ]
    for (const alter of altered) {
      authority.alter(alter)
      await assert.rejects(hold, String(alter))
    }
    authority.alter((reply) => reply)
    assert.ok((await hold()).receipt)
  } finally {
    authority.close()
  }
})

test('a certificate or an export sends a checkpoint before the interval is over, and a mail has the whole checkpoint', async () => {
  const { ctx, sql } = fixture
  const mails: { to: string; text: string }[] = []
  const mailer = {
    send: (mail: { to: string; text: string }) => {
      mails.push(mail)
      return Promise.resolve()
    },
  }
  const recipient = mailRecipient(mailer, { client: 'acme', host: 'portal', to: 'auditor@bank.example' })
  await share(recipient)
  await grow()
  await share(recipient)
  assert.equal(mails.length, 1)
  await sql(
    `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
     values ('export', ${acme.client_id}, 'x', '', ${ctx.now()}, 'payloads:export', true, '{}', '')`,
  )
  await sealAll(ctx, acme)
  await share(recipient)
  assert.equal(mails.length, 2)
  const { checkpoint } = await held('mail auditor@bank.example')
  assert.ok(mails[1]?.text.endsWith(`\n\n${checkpoint}`))
  await grow()
  const newest = `where client_id = ${acme.client_id} and first = (select max(first) from sealed_batches)`
  const [{ source } = { source: '' }] = await sql<{ source: string }>(
    `select sources[cardinality(sources)] as source from sealed_batches ${newest}`,
  )
  const setSource = (value: string) =>
    sql(`update sealed_batches set sources[cardinality(sources)] = '${value}' ${newest}`)
  await setSource('destruction_certificates')
  await share(recipient)
  await setSource(source)
  assert.equal(mails.length, 3)
})

test('a recipient that accepts nothing raises an alert at once, or a day after its last checkpoint, until it accepts one', async () => {
  let isDown = true
  const recipient: Recipient = {
    holder: 'mail archive@bank.example',
    hold: () => (isDown ? Promise.reject(new Error('refused')) : Promise.resolve({})),
  }
  const states = () =>
    fixture
      .sql<{ alert_state: string }>(
        `select alert_state from alerts where alert_key = 'checkpoint mail archive@bank.example' and alert_target = 'client'`,
      )
      .then((found) => found.map(({ alert_state }) => alert_state))
  await share(recipient)
  assert.deepEqual(await states(), ['Triggered'])
  isDown = false
  await share(recipient)
  assert.deepEqual(await states(), ['Cleared'])
  isDown = true
  await grow()
  fixture.advance(3601)
  await share(recipient)
  assert.deepEqual(await states(), ['Cleared'], 'it may be down for some hours')
  fixture.advance(86_400)
  await share(recipient)
  assert.deepEqual(await states(), ['Triggered'])
})

test('the log as tiles has the entries and the root of its checkpoint', async () => {
  // More than a tile.
  await fixture.sql(
    `insert into payload_history (client_id, from_state, to_state, payload_id, at, by, reason)
     select client_id, from_state, to_state, payload_id, at, by, reason
     from (select * from payload_history where client_id = $1 limit 1) h, generate_series(1, 300)`,
    [acme.client_id],
  )
  await sealAll(fixture.ctx, acme)
  const into = join(folder, 'tiles')
  const size = await fixture.ctx.db.read(acme.client_id, (q) => writeTileFiles(q, into))
  const keys = [...(await noteKeys(fixture.ctx.keys, 'acme')).values()]
  const note = await readFile(join(into, 'checkpoint'), 'utf8')
  const checkpoint = parseCheckpoint(openNote(sha256, verifyEd25519, note, keys) ?? '')
  assert.equal(checkpoint?.size, size)
  const read = (tile: Tile) => readFile(join(into, tilePath(tile)))
  const tree = await GrowingTree.read(sha256, async () => [], 0)
  const whole: Uint8Array[] = []
  for (const tile of getTiles(size).filter(({ level }) => level === 0)) {
    const entries = decodeEntries(await read({ ...tile, level: 'entries' })) ?? []
    assert.equal(entries.length, tile.width)
    const hashes = entries.map((entry) => leafHash(sha256, entry))
    assert.deepEqual(await read(tile), Buffer.concat(hashes))
    for (const hash of hashes) whole.push(...tree.append(hash).map((node) => node.hash))
  }
  assert.deepEqual(Buffer.from(tree.root()), Buffer.from(checkpoint?.root ?? []))
  assert.deepEqual(await read({ level: 1, index: 0, width: whole.length }), Buffer.concat(whole))
})

test('a witness signs a log that continues, and refuses one that was cut off or forked, which stops destruction', async () => {
  const { ctx, sql } = fixture
  const read = <T>(work: Parameters<typeof ctx.db.read<T>>[1]) => ctx.db.read<T>(acme.client_id, work)
  const keys = async () => [...(await noteKeys(ctx.keys, 'acme')).values()]
  const witness = await startWitness(keys, '\nNo signature\n\n')
  try {
    await share(witnessRecipient(witness, read))
    const first = await held('witness')
    assert.equal(witness.seen()?.size, first.size)
    assert.match(first.checkpoint, /\n— custodia\/acme \S+\n— witness\.test \S+\n$/)
    await grow()
    await share(witnessRecipient(witness, read))
    assert.equal((await held('witness')).size, first.size, 'not due yet')
    fixture.advance(3601)
    await share(witnessRecipient(witness, read))
    const second = await held('witness')
    assert.ok(second.size > first.size)
    assert.equal(witness.seen()?.size, second.size)
    assert.equal(await read(contradictedAt), null)
    // A database that lost the newest checkpoint, and what the holder has.
    await sql(`delete from sealed_holders; delete from sealed_checkpoints where size > ${first.size}`)
    await share(witnessRecipient(witness, read))
    assert.deepEqual(await sql('select size::int, fault from sealed_contradictions'), [
      { size: second.size, fault: 'cut_off' },
    ])
    assert.notEqual(await read(contradictedAt), null)
  } finally {
    witness.close()
  }
})
