import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { formatNote } from '@custodia/sealed-log'
import { openConnection } from '../ports/database/connect.ts'
import { checkClient, checkSealedLogs, resolveSealedLog } from '../sealed-log/contradictions.ts'
import { contradictedAt } from '../sealed-log/holder-store.ts'
import { noteKeys, sha256 } from '../sealed-log/notes.ts'
import { ingestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { sealAll } from '../testing/seal-all.ts'
import { type Finding, Findings, Session } from './checks.ts'
import { force } from './damage.test-support.ts'
import { verifySealedLog } from './sealed-log.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
const acme = { ...fixture.accounts.acme, client: 'acme' }
const phone = await fixture.phone('acme')
for (let i = 0; i < 3; i++) {
  await phone.deliver(await sealRecording(phone, 'Photo', Buffer.alloc(100, i)))
  await fixture.work()
  await sealAll(fixture.ctx, acme)
}
const [row] = await fixture.sql<{ size: number }>('select max(size) as size from sealed_checkpoints')
/** Entries in the log. */
const size = row?.size ?? 0
await checkClient(fixture.ctx, acme, true)
const held = join(fixture.ctx.config.dataDir, 'checkpoints', 'acme.txt')

async function verify(): Promise<Omit<Finding, 'client'>[]> {
  const findings = new Findings()
  const connection = await openConnection(fixture.ctx.db.connection, 'test')
  try {
    const session = new Session(connection)
    await session.enter(acme)
    const checked = { clients: 0, payloads: 0, objects: 0, opened: 0, opened_bytes: 0 }
    const scope = { ctx: fixture.ctx, session, listing: session, findings, checked, since: null }
    await verifySealedLog(scope, acme, fixture.ctx.config.dataDir)
  } finally {
    await connection.end()
  }
  return findings.list.map(({ check, subject, detail }) => ({ check, subject, detail }))
}

const TABLES = ['sealed_checkpoints', 'sealed_batches', 'device_activities', 'payload_history'] as const

/** SQL: statements that change the entries one by one, in a table of their name. */
const onEntries = (statements: string) => `
  create temporary table sealed_entries on commit drop as select * from public.sealed_entries;
  ${statements};
  delete from sealed_batches;
  insert into sealed_batches (client_id, first, first_xid, last_xid, sources, xids, times, source_ids, digests, salts)
    select client_id, min(position), min(xid), max(xid), array_agg(source order by position), array_agg(xid order by position),
      array_agg(at order by position), array_agg(source_id order by position), array_agg(digest order by position), array_agg(salt order by position)
    from sealed_entries group by client_id, first`
/** Runs statements as the owner with all triggers off, looks at the findings, and undoes them. */
async function getFindings(damage: string, triggers = false): Promise<string[]> {
  await fixture.sql(TABLES.map((table) => `create table kept_${table} as select * from ${table}`).join(';'))
  try {
    await (triggers ? fixture.sql(damage) : force(fixture, damage))
    return (await verify()).map(({ subject, detail }) => `${subject}: ${detail}`)
  } finally {
    const columns = (table: string) => (table === 'payload_history' ? 'overriding system value' : '')
    await force(
      fixture,
      TABLES.map(
        (table) =>
          `delete from ${table}; insert into ${table} ${columns(table)} select * from kept_${table}; drop table kept_${table}`,
      ).join(';'),
    )
  }
}

/** SQL: the nth audit entry of a device in the log. */
const nth = (n: number) =>
  `(select source_id from sealed_entries where source = 'device_activities' order by position limit 1 offset ${n})`

test('an untouched log has no findings, and each kind of tampering has one', async () => {
  assert.ok(size > 10)
  assert.deepEqual(await verify(), [])
  const changed = await getFindings(
    `update device_activities set device_ip = '10.0.0.1' where log_id = ${nth(2)}`,
  )
  assert.match(changed.join(), /^entry \d+: device_activities [0-9a-f-]{36} was changed$/)
  const status = await getFindings(`update device_activities set status_code = 500 where log_id = ${nth(2)}`)
  assert.match(status.join(), /was changed$/)
  const reason = await getFindings(
    `update payload_history set reason = 'x' where entry_id = (select min(entry_id) from payload_history)`,
  )
  assert.match(reason.join(), /^entry \d+: payload_history \d+ was changed$/)
  const gone = await getFindings(`delete from device_activities where log_id = ${nth(2)}`)
  assert.match(gone.join(), /was removed, or has another time$/)
  // The trigger erases the salt as for retention, but retention removed nothing.
  const withSalt = await getFindings(`delete from device_activities where log_id = ${nth(2)}`, true)
  assert.match(withSalt.join(), /was removed, or has another time$/)
  const inserted = await getFindings(
    `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, action, is_allowed, parameters, request_id, xid)
     select 'inserted', client_id, device_ip, device_reference, activity_time, action, is_allowed, parameters, request_id, xid
     from device_activities where log_id = ${nth(0)}`,
  )
  assert.deepEqual(inserted, ['device_activities inserted: was inserted, or lost its position'])
  const reordered = await getFindings(
    onEntries(`update sealed_entries set position = position + 1000 where position in (2, 3);
     update sealed_entries set position = case position when 1002 then 3 else 2 end where position >= 1000`),
  )
  assert.match(reordered.join(), /^checkpoint \d+: has another root than its entries/)
  const rewritten = await getFindings(
    onEntries(`update sealed_entries set digest = sha256(digest) where position = 2`),
  )
  assert.match(rewritten.join('; '), /entry 2: .* was changed.*checkpoint \d+: has another root/)
  const cut = await getFindings(onEntries(`delete from sealed_entries where position >= ${size - 2}`))
  assert.match(cut.join(), new RegExp(`^entry ${size - 2}: is missing: the log has ${size} entries`))
  const signature = await getFindings(
    `update sealed_checkpoints set checkpoint = replace(checkpoint, E'\\n${size}\\n', E'\\n${size - 1}\\n') where size = ${size}`,
  )
  assert.match(
    signature.join('; '),
    new RegExp(`checkpoint ${size}: is not signed by a key of this installation`),
  )
})

/** SQL: cuts the newest entries off with all their rows, as the owner of the database can. */
const cutOff = (from: number) =>
  onEntries(`
  delete from device_activities where log_id in (select source_id from sealed_entries where position >= ${from});
  delete from payload_history where entry_id::text in (select source_id from sealed_entries where position >= ${from});
  delete from sealed_checkpoints where size > ${from};
  delete from sealed_entries where position >= coalesce((select max(size) from sealed_checkpoints), 0)`)

test('a log that was cut off or forked with all its rows contradicts the checkpoint of the data folder', async () => {
  const cut = await getFindings(cutOff(size - 3))
  assert.match(
    cut.join('\n'),
    new RegExp(
      `checkpoint of the data folder: covers more entries than the log has: it was cut off \\(${size} entries\\)`,
    ),
  )
  const forked = await getFindings(
    onEntries(`update sealed_entries set digest = sha256(digest) where position = ${size - 1}`),
  )
  assert.match(
    forked.join('\n'),
    /checkpoint of the data folder: covers entries that are not those of the log/,
  )
  const text = await readFile(held, 'utf8')
  await writeFile(held, text.replace(/\n— .*/u, '\n— another'))
  assert.match(
    (await verify()).map(({ detail }) => detail).join(),
    /is not a checkpoint that this installation signed/,
  )
  await writeFile(held, text)
  assert.deepEqual(await verify(), [])
})

test('a contradiction that the start finds stops destruction and raises an alert until the operator resolves it', async () => {
  const { ctx, sql } = fixture
  const text = await readFile(held, 'utf8')
  const stops = () => ctx.db.read(acme.client_id, contradictedAt).then((since) => since !== null)
  const alerts = async () =>
    (
      await sql<{ count: number }>(
        `select count(*)::int as count from alerts where alert_severity = 'High' and alert_target = 'client' and alert_subject like '%sealed log contradicts%'`,
      )
    )[0]?.count
  await checkSealedLogs(ctx)
  assert.deepEqual([await stops(), await alerts()], [false, 0])
  const signed = await ctx.keys.sign(
    Buffer.from(`custodia/acme\n${size + 5}\n${Buffer.alloc(32).toString('base64')}\n`),
  )
  const [key] = (await noteKeys(ctx.keys, 'acme')).values()
  assert.ok(key)
  const longer = formatNote(
    sha256,
    `custodia/acme\n${size + 5}\n${Buffer.alloc(32).toString('base64')}\n`,
    key,
    signed.signature,
  )
  await writeFile(held, longer)
  await checkSealedLogs(ctx)
  await checkSealedLogs(ctx)
  assert.deepEqual([await stops(), await alerts()], [true, 1])
  // The database refuses as well.
  await assert.rejects(
    sql(
      `insert into destruction_ledger select l.* from jsonb_populate_record(null::destruction_ledger,
         jsonb_build_object('client_id', ${acme.client_id}, 'payload_id', 1)) l`,
    ),
    /the sealed log contradicts a checkpoint/,
  )
  await checkClient(ctx, acme, true)
  assert.equal(await readFile(held, 'utf8'), longer, 'the folder keeps what it held')
  assert.equal(await resolveSealedLog(ctx, { client_id: acme.client_id, reason: 'Restored.' }), 1)
  await checkClient(ctx, acme, true)
  assert.equal(await stops(), false)
  assert.equal(await readFile(held, 'utf8'), text)
  const [entry] = await sql<{ parameters: string }>(
    `select parameters from portal_activities where action = 'operator:resolve_sealed_log'`,
  )
  assert.match(entry?.parameters ?? '', /Restored\./)
})

test('an entry that retention removed by a policy is no finding, and another one is', async () => {
  const { client_id } = acme
  const at = fixture.ctx.now()
  const remove = (until: number) =>
    getFindings(
      `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         values ('removed until ${until}', ${client_id}, 'retention (system)', '', ${at}, 'retention:destroy_device_activities', true, '{"body":{"until":${until}}}', '');
       delete from device_activities where log_id = ${nth(2)}`,
      true,
    )
  await fixture.sql(
    `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
     values (${client_id}, 1, '[{"entity_type":"Device","destroy_after_days":0}]', '[]', false, 1, 'alice')`,
  )
  assert.match((await remove(at - 1)).join(), /was removed, or has another time$/)
  assert.deepEqual(await remove(at), [])
})
