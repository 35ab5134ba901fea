import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type DataExport, OPEN_EXPORTS } from '@custodia/contract'
import { formatKey } from '@custodia/sealed-log'
import { localFileKeys } from '../../ports/keys/local-file.ts'
import { zip as getZip } from '../../ports/targets/formats/zip.ts'
import { readCheckpoints } from '../../sealed-log/checkpoint-store.ts'
import { saveHolder } from '../../sealed-log/holder-store.ts'
import { sha256 } from '../../sealed-log/notes.ts'
import { roleInput } from '../../testing/access-fixture.ts'
import { longOnly } from '../../testing/long.ts'
import { verifyOffline } from '../../testing/offline-verifier.ts'
import { readBag, readFixture, type ReadFixture, unzipped } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { sealAll } from '../../testing/seal-all.ts'
import { readSlowly, until } from '../../testing/waits.ts'
import { getTagFiles } from './bag.ts'
import type { Custody } from './export-store.ts'
import { html } from './report.ts'
import { purgeExports } from './routes.ts'
import { readSigner, signBag } from './sign-bag.ts'

const CLIENT = '/client/v1/api'
const MEGABYTE = 1024 * 1024
const run = promisify(execFile)

describe('a data export', () => {
  let fixture: ReadFixture
  const bytes = new Map<string, Buffer>()
  let bare: string[] = []
  let origin = ''
  before(async () => {
    fixture = await readFixture()
    origin = await fixture.app.listen({ host: '127.0.0.1', port: 0 })
    await fixture.acme.add(150, seeded(4))
    // Lists only another group.
    const elsewhere = {
      role_reference: 'Elsewhere',
      ...roleInput([
        { actions_matching: ['payloads:export'] },
        { actions_matching: ['payloads:list'], conditions: [{ names_matching: ['No such group'] }] },
      ]),
      is_system: false,
    }
    await fixture.ctx.db.owner.query(`insert into roles values ($1, 'Elsewhere', $2, 0, 't')`, [
      fixture.acme.client_id,
      JSON.stringify(elsewhere),
    ])
    const downloads = {
      role_reference: 'Downloads',
      ...roleInput([{ actions_matching: ['payloads:download'] }]),
    }
    await fixture.ctx.db.owner.query(`insert into roles values ($1, 'Downloads', $2, 0, 't')`, [
      fixture.acme.client_id,
      JSON.stringify({ ...downloads, is_system: false }),
    ])
    const exports = {
      role_reference: 'Exports',
      ...roleInput([{ actions_matching: ['payloads:download', 'payloads:export'] }]),
    }
    await fixture.ctx.db.owner.query(`insert into roles values ($1, 'Exports', $2, 0, 't')`, [
      fixture.acme.client_id,
      JSON.stringify({ ...exports, is_system: false }),
    ])
    await fixture.other.add(3, seeded(5))
    const calls = fixture.acme.payloads.filter(
      (each) => each.payload_type === 'Call' && each.payload_state === 'Processed',
    )
    for (const { payload_reference } of calls.slice(0, 5)) {
      bytes.set(payload_reference, randomBytes(500_000))
      await fixture.store(
        payload_reference,
        'original',
        'audio/amr',
        bytes.get(payload_reference) ?? Buffer.alloc(0),
      )
    }
    bare = calls.slice(5).map(({ payload_reference }) => payload_reference)
    assert.ok(bare.length > 0)
  })
  after(() => fixture.close())

  const as = async (user: string, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
    const answer = await fixture.app.inject({
      method,
      url: `${CLIENT}/${path}`,
      headers: { 'x-user': user },
      ...(body && { payload: body }),
    })
    return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
  }
  const FILTER = 'exports?payload_types[0]=Call&states[0]=Processed'
  const make = async (user = 'ann', part_megabytes = 1) => {
    const { status, body } = await as(user, 'POST', FILTER, { part_megabytes })
    assert.equal(status, 200, JSON.stringify(body))
    return body as DataExport
  }
  const part = (user: string, { export_id }: DataExport, n: number) =>
    as(user, 'GET', `exports/${export_id}/parts/${n}`)
  const fetchAt = (user: string, s3_url: unknown) =>
    fixture.app.inject({ method: 'GET', url: new URL(String(s3_url)).pathname, headers: { 'x-user': user } })
  const fetchPart = async (made: DataExport, n: number) => {
    const { body } = await part('ann', made, n)
    const answer = await fetchAt('ann', body.s3_url)
    assert.equal(answer.statusCode, 200)
    return { answer, ...readBag(await unzipped(answer.rawPayload)) }
  }
  /** The originals in a bag by their payloads, as contents.csv names them. */
  const byReference = ({ recordings, contents }: ReturnType<typeof readBag>) =>
    new Map(
      contents.flatMap((line) => {
        const [reference = '', status, file = ''] = line.split(',')
        return status === 'Ok' ? [[reference, recordings.get(file.slice('data/'.length))] as const] : []
      }),
    )
  const downloads = async () =>
    (
      await fixture.ctx.db.owner.query<{ stated: string }>(
        `select payload_reference || ' ' || portal_user as stated from payload_audit join payloads using (client_id, payload_id)
         where action = 'payloads:download' order by 1`,
      )
    ).rows.map(({ stated }) => stated)

  it('is split into parts of limited size, each a bag with audited recordings and listed refusals', async () => {
    const made = await make()
    assert.equal(made.items, bytes.size + bare.length)
    assert.deepEqual([made.refused, made.is_cut], [bare.length, false])
    assert.ok(made.parts.length >= 3, 'of 500,000 bytes two go into a megabyte')
    for (const { size } of made.parts) assert.ok(size <= MEGABYTE)
    assert.deepEqual(await downloads(), [], 'a plan is no download')
    const seen = new Map<string, Buffer | undefined>()
    const result: string[] = []
    for (const { part: n } of made.parts) {
      const { answer, info, contents, ...bag } = await fetchPart(made, n)
      const name = `export-${made.export_id}-${n}`
      assert.equal(answer.headers['content-disposition'], `attachment; filename="${name}.zip"`)
      assert.deepEqual(
        [info['External-Identifier'], info['Bag-Count']],
        [name, `${n} of ${made.parts.length}`],
      )
      for (const [reference, found] of byReference({ info, contents, ...bag })) seen.set(reference, found)
      result.push(...contents.slice(1))
    }
    assert.deepEqual(new Set(seen.keys()), new Set(bytes.keys()))
    for (const [reference, expected] of bytes) assert.ok(seen.get(reference)?.equals(expected), reference)
    for (const reference of bare) assert.ok(result.includes(`${reference},NoS3Url,,,`), reference)
    assert.deepEqual(await downloads(), [...bytes.keys()].map((each) => `${each} ann`).toSorted())
    const left = await fixture.ctx.db.owner.query(
      `select distinct detail from payload_audit where action = 'payloads:download'`,
    )
    assert.deepEqual(left.rows, [{ detail: made.export_id }], 'the audit names the export')
    // A part counts as finished once its last byte has gone, so a moment after the reader has it.
    await until(
      'each part to be finished',
      async () => ((await as('ann', 'GET', 'exports')).body.data as DataExport[])[0]?.parts ?? [],
      (parts) =>
        parts.length > 0 &&
        parts.every(
          ({ fetched_at, sent, items, finished_at }) =>
            fetched_at !== null && finished_at !== null && sent === items,
        ),
    )
  })

  it('checks the permission for each recording when its part is downloaded', async () => {
    const made = await make()
    const [gone = '', kept = ''] = [...bytes.keys()]
    const n = async (reference: string) => {
      const { rows } = await fixture.ctx.db.owner.query<{ part: number }>(
        'select part from data_export_parts where export_id = $1 and $2 = any(payload_references)',
        [made.export_id, reference],
      )
      return rows[0]?.part ?? 0
    }
    await fixture.setState(gone, 'Deleted')
    const { contents, ...bag } = await fetchPart(made, await n(gone))
    assert.ok(!byReference({ contents, ...bag }).has(gone))
    assert.ok(contents.includes(`${gone},NoS3Url,,,`), 'it became unreachable meanwhile')
    await fixture.setState(gone, 'Processed')
    // Between issue and use of the address.
    const { body } = await part('ann', made, await n(kept))
    fixture.roles.set('ann', ['Auditor'])
    await fixture.ctx.db.owner.query(
      `update portal_sessions set roles = '{Auditor}' where session_id = 'session ann'`,
    )
    assert.equal((await fetchAt('ann', body.s3_url)).statusCode, 403, 'the right went right before fetching')
    assert.equal((await part('ann', made, 1)).status, 403)
    await fixture.ctx.db.owner.query(
      `update portal_sessions set roles = '{Downloads}' where session_id = 'session ann'`,
    )
    assert.equal((await fetchAt('ann', body.s3_url)).statusCode, 403, 'only the right to export went')
    await fixture.ctx.db.owner.query(
      `update portal_sessions set roles = '{Compliance Manager}' where session_id = 'session ann'`,
    )
    fixture.roles.delete('ann')
    assert.equal((await fetchAt('ann', body.s3_url)).statusCode, 200)
    fixture.advance(61)
    assert.equal((await fetchAt('ann', body.s3_url)).statusCode, 403, 'an address lives for a minute')
    assert.equal(
      (await fetchAt('ann', (await part('ann', made, 1)).body.s3_url)).statusCode,
      200,
      'another one does',
    )
  })

  it('is available only to its creator, for one day or until it is deleted', async () => {
    const made = await make()
    for (const user of ['ben', 'eve@other']) {
      assert.equal((await part(user, made, 1)).status, 404, user)
      assert.equal((await as(user, 'DELETE', `exports/${made.export_id}`)).status, 404, user)
    }
    assert.deepEqual((await as('ben', 'GET', 'exports')).body, { data: [] })
    assert.equal((await part('ann', made, made.parts.length + 1)).status, 404)
    const other = await make()
    assert.equal((await as('ann', 'DELETE', `exports/${made.export_id}`)).status, 200)
    assert.equal((await part('ann', made, 1)).status, 404)
    assert.equal((await as('ann', 'DELETE', `exports/${made.export_id}`)).status, 404)
    fixture.advance(86_400 - 1)
    assert.equal((await part('ann', other, 1)).status, 200)
    fixture.advance(1)
    assert.equal((await part('ann', other, 1)).status, 404, 'a day later')
    assert.deepEqual((await as('ann', 'GET', 'exports')).body, { data: [] })
    for (let i = 0; i < OPEN_EXPORTS; i++) await make()
    const refused = await as('ann', 'POST', FILTER, {})
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests'])
    fixture.advance(86_400)
    const open = await make()
    await purgeExports.run(fixture.ctx, {}, AbortSignal.timeout(60_000))
    const { rows } = await fixture.ctx.db.owner.query('select export_id from data_exports')
    assert.deepEqual(rows, [{ export_id: open.export_id }], 'what ended is forgotten')
  })

  it('contains what its creator may list, and returns 403 without the permission to export', async () => {
    fixture.roles.set('auditor', ['Auditor'])
    assert.equal((await as('auditor', 'POST', FILTER, {})).status, 403)
    for (const wrong of [0, 4097, 1.5])
      assert.equal((await as('ann', 'POST', FILTER, { part_megabytes: wrong })).status, 400)
    const none = await as('ann', 'POST', 'exports?device_reference=missing', {})
    assert.deepEqual([none.status, none.body.items, none.body.parts], [200, 0, []])
    const whole = await make('ann', 4096)
    assert.equal(whole.parts.length, 1)
    assert.equal((await make('eve@other', 1)).items < whole.items, true)
  })

  it('gives files different names even on case-insensitive file systems', async () => {
    const [[first, bytesOfFirst] = assert.fail()] = bytes
    const [other = ''] = bare
    const duplicate = other
    // The same person, minute and number; the names of the persons differ in case.
    for (const reference of [first, duplicate])
      await fixture.ctx.db.owner.query(
        `with p as (update payloads set payload_time = 1764079080, claimed_time = null,
             device_id = (select device_id from payloads where payload_reference = $1), device_user_id = null
           where payload_reference = $2 returning payload_id)
         update payload_documents set list_doc = $3 where payload_id = (select payload_id from p)`,
        [
          first,
          reference,
          JSON.stringify({
            parties: [{ phone_number: null, contact_name: reference === first ? 'Ana' : 'ANA' }],
          }),
        ],
      )
    await fixture.store(duplicate, 'original', 'audio/amr', Buffer.from('the duplicate'))
    const { recordings, contents, ...bag } = await fetchPart(await make('ann', 4096), 1)
    const names = [...recordings.keys()]
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, bytes.size + 1)
    const found = byReference({ recordings, contents, ...bag })
    assert.ok(found.get(first)?.equals(bytesOfFirst))
    assert.equal(String(found.get(duplicate)), 'the duplicate')
    await fixture.ctx.db.owner.query(
      `delete from payload_objects where payload_id in (select payload_id from payloads where payload_reference = $1)`,
      [duplicate],
    )
  })

  it('returns the same bytes after a broken connection, and audits what was sent', async () => {
    const large = randomBytes(24 * MEGABYTE)
    const others = fixture.acme.payloads.filter(
      (each) => each.payload_type === 'Interview' && each.payload_state === 'Processed',
    )
    const [reference = '', next = ''] = others.map((each) => each.payload_reference)
    for (const each of [reference, next]) await fixture.store(each, 'original', 'audio/amr', large)
    const made = await make('ann', 1)
    const { rows } = await fixture.ctx.db.owner.query<{ part: number }>(
      'update data_export_parts set payload_references = $2 where export_id = $1 and part = 1 returning part',
      [made.export_id, [reference, next]],
    )
    assert.equal(rows.length, 1)
    const { body } = await part('ann', made, 1)
    const { pathname } = new URL(String(body.s3_url))
    const before = await downloads()
    const entries = async () => (await downloads()).filter((each) => !before.includes(each))
    await new Promise<void>((resolve, reject) => {
      get(`${origin}${pathname}`, { headers: { 'x-user': 'ann' }, agent: false }, (answer) => {
        answer.once('data', () => answer.destroy()).once('close', resolve)
      }).on('error', reject)
    })
    assert.deepEqual(await entries(), [`${reference} ann`], 'the second was never begun')
    const again = await fetch(`${origin}${pathname}`, { headers: { 'x-user': 'ann' } })
    const whole = Buffer.from(await again.arrayBuffer())
    const read = readBag(await unzipped(whole))
    for (const each of [reference, next]) assert.ok(byReference(read).get(each)?.equals(large), each)
    assert.deepEqual((await entries()).toSorted(), [`${reference} ann`, `${next} ann`].toSorted())
    // Another address is another download of each payload.
    const { answer } = await fetchPart(made, 1)
    const repeated = byReference(readBag(await unzipped(answer.rawPayload)))
    assert.deepEqual(repeated, byReference(read), 'the same recordings')
    const twice = [reference, next].flatMap((each) => [`${each} ann`, `${each} ann`])
    assert.deepEqual((await entries()).toSorted(), twice.toSorted())
    for (const each of [reference, next])
      await fixture.ctx.db.owner.query(
        'delete from payload_objects where payload_id in (select payload_id from payloads where payload_reference = $1)',
        [each],
      )
  })

  it('of 2 GB with evidence needs at most 200 MB of memory', longOnly, async () => {
    const large = randomBytes(64 * MEGABYTE)
    const held = fixture.acme.payloads.flatMap(({ payload_type, payload_state, payload_reference }) =>
      payload_type === 'Interview' && payload_state === 'Processed' ? [payload_reference] : [],
    )
    const references = held.slice(0, 4)
    for (const each of references) await fixture.store(each, 'original', 'audio/amr', large)
    const { body: made } = await as('ann', 'POST', 'exports', {
      contents: ['originals', 'csv', 'json', 'report', 'evidence'],
      payload_references: references,
      part_megabytes: 4096,
    })
    const { owner } = fixture.ctx.db
    // Each several times, which saves space on the disk.
    const FILES = 33
    await owner.query('update data_export_parts set payload_references = $2 where export_id = $1', [
      made.export_id,
      Array.from({ length: FILES }, (_, n) => references[n % references.length]),
    ])
    const { body } = await part('ann', made as DataExport, 1)
    const before = process.memoryUsage().rss
    let [most, sent] = [before, 0]
    const answer = await fetch(`${origin}${new URL(String(body.s3_url)).pathname}`, {
      headers: { 'x-user': 'ann' },
    })
    for await (const piece of answer.body ?? []) {
      sent += piece.length
      most = Math.max(most, process.memoryUsage.rss())
    }
    assert.ok(sent > FILES * large.length)
    assert.ok(most - before < 200e6, `${(most - before) / 1e6} MB`)
    await owner.query(
      'delete from payload_objects where payload_id in (select payload_id from payloads where payload_reference = any($1))',
      [references],
    )
  })

  it('is cut off at a recording that cannot be read, and audits only what was sent', async () => {
    const made = await make('ann', 4096)
    const { owner } = fixture.ctx.db
    const { rows } = await owner.query<{ payload_reference: string; object_key: string }>(
      `select payload_reference, object_key from data_export_parts e cross join unnest(e.payload_references) with ordinality x(payload_reference, n)
       join payloads p using (client_id, payload_reference) join payload_objects using (client_id, payload_id)
       where export_id = $1 order by x.n`,
      [made.export_id],
    )
    const [first, second, third] = rows
    assert.equal(rows.length, bytes.size)
    const before = await downloads()
    await fixture.ctx.objects.delete(third?.object_key ?? '')
    const { body } = await part('ann', made, 1)
    await assert.rejects(async () => {
      const answer = await fetch(`${origin}${new URL(String(body.s3_url)).pathname}`, {
        headers: { 'x-user': 'ann' },
      })
      await answer.arrayBuffer()
    })
    const sent = [first, second].map((each) => `${each?.payload_reference} ann`)
    assert.deepEqual(await downloads(), [...before, ...sent].toSorted())
    const readState = async () =>
      (await owner.query('select from alerts where alert_key = $1', [`damaged ${third?.payload_reference}`]))
        .rows
    // The end of the export is visible before the alert.
    await until('the alert that tells which one', readState, ({ length }) => length === 1)
  })

  it('has readable file names, and unzip and sha256sum accept it unchanged', async () => {
    const [reference = ''] = [...bytes.keys()]
    await fixture.ctx.db.owner.query(
      `insert into payload_documents (payload_id, client_id, list_doc) select payload_id, client_id, $2 from payloads where payload_reference = $1
       on conflict (payload_id) do update set list_doc = excluded.list_doc`,
      [
        reference,
        JSON.stringify({
          parties: [{ phone_number: '+55 11 95555-0712', contact_name: '=1<b>' }],
          party_count: 2,
          local_time: '2026-11-25T13:58:00',
          duration: 75,
        }),
      ],
    )
    await fixture.ctx.db.owner.query(
      `update payloads set device_user_id = (select device_user_id from device_users where client_id = payloads.client_id limit 1)
       where payload_reference = $1 and device_user_id is null`,
      [reference],
    )
    await fixture.ctx.db.owner.query(
      `update device_users set first_name = 'Sofía', surname = 'Duarte/Łukasz' where device_user_id = (select device_user_id from payloads where payload_reference = $1)`,
      [reference],
    )
    await fixture.store(reference, 'playback', 'audio/wav', Buffer.from('the copy'))
    const acme = { client_id: fixture.acme.client_id, client: 'acme' }
    await sealAll(fixture.ctx, acme)
    // The export itself makes the log longer than the checkpoint with a time stamp.
    await fixture.ctx.db.write(acme.client_id, async (tx) => {
      const [stamped] = await readCheckpoints(tx, 1)
      const { size = 0, checkpoint = '' } = stamped ?? {}
      await saveHolder(tx, {
        holder: 'time stamp',
        size,
        checkpoint,
        receipt: Buffer.from('tsr'),
        held_at: 1,
      })
    })
    const { status, body: made } = await as('ann', 'POST', 'exports', {
      contents: ['originals', 'playable', 'csv', 'json', 'report', 'evidence'],
      payload_references: [reference],
      locale: 'pt-BR',
    })
    assert.deepEqual([status, made.items, made.refused], [200, 1, 0], JSON.stringify(made))
    const before = await downloads()
    // More entries than the viewer shows, and than a trail has: the state of the recording is the oldest.
    await fixture.ctx.db.owner.query(
      `insert into payload_history (client_id, payload_id, at, from_state, to_state, reason, by)
       select client_id, payload_id, 1, 1, 2, null, 'upload' from payloads where payload_reference = $1`,
      [reference],
    )
    await sealAll(fixture.ctx, acme)
    await fixture.ctx.db.owner.query(
      `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
       select 'copy ' || n, $1, 'ann', '', n, 'payloads:download', true, $2, '' from generate_series(1, 1100) n`,
      [acme.client_id, JSON.stringify({ payload_reference: reference })],
    )
    await fixture.ctx.db.owner.query(
      `insert into oidc_people values ('acme', 'ann', '', '{}', null, '{}', '', null, 'Ann Archer')`,
    )
    await sealAll(fixture.ctx, acme)
    const { answer, recordings } = await fetchPart(made as DataExport, 1)
    const name = '2026-11-25_1358_Sofia-Duarte-Lukasz_+5511955550712'
    assert.deepEqual([...recordings.keys()], [`originals/${name}.amr`, `playable/${name}.wav`])
    assert.deepEqual(
      (await downloads()).length,
      before.length + 1,
      'two files of a recording are one disclosure',
    )
    const folder = await mkdtemp(join(tmpdir(), 'custodia-export-'))
    try {
      await writeFile(join(folder, 'export.zip'), answer.rawPayload)
      await run('unzip', ['-q', 'export.zip'], { cwd: folder })
      const cwd = join(folder, `export-${String(made.export_id)}-1`)
      for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
        const { stdout } = await run('sha256sum', ['--strict', '-c', manifest], { cwd, env: { LC_ALL: 'C' } })
        assert.match(stdout, /OK\n$/)
      }
      const csv = await readFile(join(cwd, 'metadata.csv'), 'utf8')
      assert.match(csv, /"?'=1<b> \+55 11 95555-0712/, 'no cell is a formula')
      const [described] = JSON.parse(await readFile(join(cwd, 'metadata.json'), 'utf8')) as object[]
      assert.partialDeepStrictEqual(described, {
        payload_reference: reference,
        local_time: '2026-11-25 13:58:00',
        duration: 75,
        party_count: 2,
      })
      assert.equal(html('pay\u200bee\u202e<'), 'payee&lt;')
      const report = await readFile(join(cwd, 'report.html'), 'utf8')
      for (const fact of [
        'Gravações exportadas',
        'Sofía Duarte/Łukasz',
        '=1&lt;b&gt; +55',
        '1:15',
        'Ann Archer (ann)',
      ])
        assert.ok(report.includes(fact), fact)
      await checkEvidence(cwd, reference)
      await checkSignatures(cwd, `data/originals/${name}.amr`, reference)
    } finally {
      await rm(folder, { recursive: true })
    }
    await fixture.ctx.db.owner.query(`delete from payload_objects where kind = 'playback'`)
    await fixture.ctx.db.owner.query(
      `update payload_documents set list_doc = jsonb_set(list_doc::jsonb, '{parties,0,phone_number}', to_jsonb(repeat('5', 255)))`,
    )
    const { body: plain } = await as('ann', 'POST', 'exports', {
      contents: ['originals'],
      payload_references: [reference],
    })
    const { answer: small, recordings: longest } = await fetchPart(plain as DataExport, 1)
    for (const path of longest.keys()) assert.ok(path.length < 255, 'file systems take no longer names')
    assert.ok(!/report\.html|metadata/.test(small.rawPayload.toString('latin1')), 'only what was chosen')
  })

  /** Checks the files about a recording in an unpacked bag. */
  async function checkEvidence(cwd: string, reference: string): Promise<void> {
    const text = (file: string) => readFile(join(cwd, file), 'utf8')
    const trail = await text('evidence/audit-trail.csv')
    assert.match(
      trail,
      new RegExp(`^${reference},\\d{4}-.*,"Ann Archer \\(ann\\) downloaded .*",".*baixou .*",\\d+\r$`, 'm'),
    )
    const trailed = trail.split('\r\n').filter((row) => row.startsWith(reference))
    assert.equal(trailed.length, 1001)
    assert.match(trailed[999] ?? '', /"Server: announced","Servidor: anunciada"/)
    assert.match(
      trailed[1000] ?? '',
      /^[\w-]+,,"This export has no older entries of people .*",".*mais antigos.*",$/,
    )
    const custody = JSON.parse(await text('evidence/custody.json')) as Record<string, Custody>
    assert.ok(custody[reference]?.device.device_reference)
    assert.ok(custody[reference]?.holders && custody[reference].plays)
    const viewer = await text('index.html')
    assert.doesNotMatch(viewer, /<script|https?:/, 'nothing runs, nothing is loaded from elsewhere')
    for (const part of [
      'id="pt" checked',
      'evidence/audit-trail.csv has 800 older entries.',
      'This export has no older entries',
      '=1&lt;b&gt;',
      'data/playable/',
      'Ann Archer (ann) downloaded',
      'Ann Archer (ann) baixou',
    ])
      assert.ok(viewer.includes(part), part)
    const rows = (await text('load-file.dat')).split('\r\n').slice(0, -1)
    const cells = rows.map((row) => row.replace(/^\uFEFF/, '').split('\u0014'))
    assert.deepEqual(
      cells.map(({ length }) => length),
      [15, 15, 15],
      'a row for each file',
    )
    assert.ok(cells.flat().every((cell) => /^\u00FE[^\u00FE]*\u00FE$/.test(cell)))
    const manifest = createHash('sha256')
      .update(await text('manifest-sha256.txt'))
      .digest('hex')
    for (const certificate of ['certificate-fre-902.html', 'declaracao-de-integridade.html'])
      assert.ok((await text(certificate)).includes(manifest), certificate)
  }

  /** Checks an unpacked bag with openssl and the offline verifier, then with one changed byte. */
  async function checkSignatures(cwd: string, file: string, reference: string): Promise<void> {
    const { key } = await readSigner(fixture.ctx.keys, 'acme')
    // The signing key may be made after the fixture's clock stopped.
    const [signed, at] = ['tagmanifest-sha256.txt', String(fixture.ctx.now() + 3600)]
    const openssl = async () => {
      const cms = `cms -verify -binary -inform DER -in ${signed}.p7s -content ${signed} -CAfile signer.pem -attime ${at} -out /dev/null`
      const plain = `pkeyutl -verify -certin -inkey signer.pem -rawin -in ${signed} -sigfile ${signed}.sig`
      for (const line of [cms, plain]) await run('openssl', line.split(' '), { cwd })
    }
    const verify = (of = cwd, by = formatKey(sha256, key)) => verifyOffline(of, `--key=${by}`)
    await openssl()
    assert.match(await verify(), /^GOOD: [^]*custodia\/acme: [1-9]\d* entries proven in \d+ sealed ones\n$/)
    // Keys in files: with a line break at the end, and the public keys of certificates.
    const saved = join(cwd, '..', 'saved.key')
    const pem = (await fixture.ctx.keys.verificationKeys())
      .map(({ public_key_pem }) => public_key_pem)
      .join('')
    for (const text of [`${formatKey(sha256, key)}\n`, pem]) {
      await writeFile(saved, text)
      assert.equal(await verify(cwd, saved), await verify())
    }
    await checkZip(join(cwd, '..', 'export.zip'), file, verify)
    const change = async (path: string) => {
      const before = await readFile(join(cwd, path))
      await writeFile(join(cwd, path), before.with(-2, (before.at(-2) ?? 0) ^ 1))
      const printed = await verify()
      return { printed, undo: () => writeFile(join(cwd, path), before) }
    }
    const recording = await change(file)
    assert.equal(
      recording.printed,
      `NOT GOOD: ${file} (recording ${reference}): changed: its SHA-256 is not the one in the manifest\n`,
    )
    await recording.undo()
    const added = join(cwd, 'data/\u001b[2K\rGOOD\u009b1A')
    await writeFile(added, '')
    assert.equal(
      await verify(),
      'NOT GOOD: data/\\u{1b}[2K\\u{d}GOOD\\u{9b}1A: added: no manifest lists it\n',
      'no name rewrites the verdict on a terminal',
    )
    await rm(added)
    const trail = await readFile(join(cwd, 'evidence/sealed-entries.jsonl'), 'utf8')
    const forged = trail.replaceAll('"user_reference":"ann"', '"user_reference":"bob"')
    await writeFile(join(cwd, 'evidence/sealed-entries.jsonl'), forged)
    assert.match(await verify(), /entry \d+ has other fields than were sealed/)
    await writeFile(join(cwd, 'evidence/sealed-entries.jsonl'), trail)
    const stamped = join(cwd, 'evidence/consistency-1.json')
    const consistency = await readFile(stamped, 'utf8')
    // One in 256 proofs begins with any given byte.
    const other = /"proof":\["00/.test(consistency) ? 'ff' : '00'
    await writeFile(stamped, consistency.replace(/"proof":\["../, `"proof":["${other}`))
    assert.match(
      await verify(),
      /consistency-1\.json: the log of \d+ entries does not continue the one of \d+/,
    )
    await writeFile(stamped, consistency)
    const manifest = await change(signed)
    assert.match(manifest.printed, /tagmanifest-sha256\.txt was changed after it was signed/)
    await assert.rejects(openssl(), /[Vv]erif/)
    await manifest.undo()
    const cms = await readFile(join(cwd, `${signed}.p7s`))
    const content = await readFile(join(cwd, signed))
    const others = localFileKeys({ folder: join(cwd, '..', 'other-keys') })
    const foreign = (await signBag(others, 'acme', { manifest: content, name: 'x', now: 1 })).cms
    const ofOther = (await signBag(fixture.ctx.keys, 'acme', { manifest: cms, name: 'x', now: 1 })).cms
    const changed = [3, cms.length >> 1, cms.length - 1].map((at) => cms.with(at, (cms.at(at) ?? 0) ^ 1))
    for (const bytes of [foreign, ofOther, ...changed, cms.subarray(0, -9)]) {
      await writeFile(join(cwd, `${signed}.p7s`), bytes)
      assert.match(await verify(), /^NOT GOOD: tagmanifest-sha256\.txt\.p7s is missing, was changed/)
    }
    await writeFile(join(cwd, `${signed}.p7s`), cms)
    await rm(join(cwd, `${signed}.sig`))
    assert.match(await verify(), /tagmanifest-sha256\.txt is not signed/)
  }

  /** Checks the ZIP with the offline verifier: as downloaded, changed, cut off, and packed in another way. */
  async function checkZip(zip: string, file: string, verify: (of: string) => Promise<string>): Promise<void> {
    const good = /^GOOD: \d+ files unchanged\n  signed with custodia\/acme/
    assert.match(await verify(zip), good)
    const whole = await readFile(zip)
    const at = whole.indexOf(file) + file.length + 40
    await writeFile(zip, whole.with(at, (whole.at(at) ?? 0) ^ 1))
    assert.ok((await verify(zip)).startsWith(`NOT GOOD: ${file} (recording `))
    // The name before the content, which some programs unpack by; the directory keeps the right one.
    await writeFile(zip, whole.with(whole.indexOf(file), 'x'.charCodeAt(0)))
    assert.match(await verify(zip), /^NOT GOOD: xata\/.*: added: no manifest lists it/m)
    // A content before the others, which no directory names, and one behind it.
    const hidden = await buffer(getZip(Readable.from([]), { name: 'data/forged', size: 0, deflate: false }))
    const entry = hidden.subarray(0, hidden.indexOf('PK\x01\x02'))
    const directory = whole.indexOf('PK\x01\x02')
    const end = whole.length - 22
    const moved = (at: number) => {
      const bytes = Buffer.concat([whole.subarray(0, at), entry, whole.subarray(at)])
      const to = bytes.length - 22 + 16
      return at > directory ? bytes : (bytes.writeUInt32LE(directory + entry.length, to), bytes)
    }
    for (const at of [directory, end]) {
      await writeFile(zip, moved(at))
      assert.match(await verify(zip), /^NOT GOOD: bytes \d+ to \d+: added: no manifest lists it\n$/)
    }
    await writeFile(zip, whole.subarray(0, -30))
    assert.match(await verify(zip), /^NOT GOOD: no export/)
    // Compressed, and a Zip64.
    const manifest = Readable.from([Buffer.from(`${'0'.repeat(64)}  data/gone\n`)])
    const large = { name: 'manifest-sha256.txt', size: 0xff00_0000, deflate: true }
    await writeFile(zip, await buffer(getZip(manifest, large)))
    assert.match(await verify(zip), /^NOT GOOD: data\/gone: missing/)
  }

  it('adds no element to a bag for a client name with line breaks', async () => {
    const bag = { name: 'export', part: 1, parts: 1 }
    const signer = await readSigner(fixture.ctx.keys, 'acme')
    const getInfo = async (client: string) => {
      for await (const { name, input } of getTagFiles(bag, [], { client, day: '2026-11-23', signer }, []))
        if (name === 'export/bag-info.txt') return String(input)
      return ''
    }
    const hostile = await getInfo('Acme\r\nPayload-Oxum: 1.1\u2028Bag-Count: 9 of 9')
    assert.equal(hostile.split('\n').length, (await getInfo('Acme')).split('\n').length)
    assert.equal(hostile.match(/^Payload-Oxum: .*$/gm)?.join(), 'Payload-Oxum: 0.0')
    assert.match(hostile, /^Source-Organization: Acme Payload-Oxum: 1\.1 Bag-Count: 9 of 9$/m)
  })

  it('ends a running download when it is cancelled', async () => {
    const others = fixture.acme.payloads.filter(
      (each) => each.payload_type === 'Interview' && each.payload_state === 'Processed',
    )
    const payload_references = others.slice(0, 2).map((each) => each.payload_reference)
    // More than the buffers of a connection hold.
    for (const each of payload_references)
      await fixture.store(each, 'original', 'audio/amr', Buffer.alloc(16 * MEGABYTE))
    const { body: made } = await as('ann', 'POST', 'exports', { payload_references })
    const { body } = await part('ann', made as DataExport, 1)
    const { pathname } = new URL(String(body.s3_url))
    const response = await fetch(`${origin}${pathname}`, { headers: { 'x-user': 'ann' } })
    assert.equal(response.status, 200)
    assert.equal((await as('ann', 'DELETE', `exports/${String(made.export_id)}`)).status, 200)
    await assert.rejects(response.arrayBuffer())
    assert.equal((await fetchAt('ann', body.s3_url)).statusCode, 403, 'nor does its address work any more')
  })

  it('ends when the right ends, also while it sends what describes the recordings', async () => {
    const { owner } = fixture.ctx.db
    const interviews = fixture.acme.payloads.filter(
      (each) => each.payload_type === 'Interview' && each.payload_state === 'Processed',
    )
    const { payload_reference: reference, payload_id } = interviews[2] ?? assert.fail('no interview')
    await fixture.store(reference, 'original', 'audio/amr', Buffer.alloc(1000))
    // More than the buffers of a connection hold.
    const party = { phone_number: '+1', contact_name: 'x'.repeat(1000) }
    const parties = Array.from({ length: 30_000 }, () => party)
    await owner.query(
      `insert into payload_documents (payload_id, client_id, list_doc) values ($1, $2, $3)
       on conflict (payload_id) do update set list_doc = excluded.list_doc`,
      [payload_id, fixture.acme.client_id, JSON.stringify({ parties, party_count: 30_000 })],
    )
    const roles = (role: string) =>
      owner.query(`update portal_sessions set roles = $1 where session_id = 'session ann'`, [[role]])
    try {
      const asked = { payload_references: [reference], contents: ['originals', 'json', 'csv'] }
      const { body: made } = await as('ann', 'POST', 'exports', asked)
      const { body } = await part('ann', made as DataExport, 1)
      const running = await readSlowly(`${origin}${new URL(String(body.s3_url)).pathname}`, {
        'x-user': 'ann',
      })
      // Its only recording was sent.
      const sent = async () => {
        const { body: list } = await as('ann', 'GET', 'exports')
        const found = (list.data as DataExport[]).find(({ export_id }) => export_id === made.export_id)
        return found?.parts[0]?.sent === 1
      }
      await until('the recording is sent', sent)
      await roles('Auditor')
      await running.closed()
      assert.equal((await running.finish()).is_whole, false)
    } finally {
      await roles('Compliance Manager')
    }
  })

  it('states in its evidence only what may be read when it is written', async () => {
    const { owner } = fixture.ctx.db
    const roles = (role: string) =>
      owner.query(`update portal_sessions set roles = $1 where session_id = 'session ann'`, [[role]])
    const [, , , payload] = fixture.acme.payloads.filter(
      (each) => each.payload_type === 'Interview' && each.payload_state === 'Processed',
    )
    const { payload_reference = '' } = payload ?? {}
    // More than the buffers of a connection hold.
    await fixture.store(payload_reference, 'original', 'audio/amr', Buffer.alloc(16 * MEGABYTE))
    const custodyAfter = async (role: string) => {
      try {
        const asked = { payload_references: [payload_reference], contents: ['originals', 'evidence'] }
        const { body: made } = await as('ann', 'POST', 'exports', asked)
        const { body } = await part('ann', made as DataExport, 1)
        const { pathname } = new URL(String(body.s3_url))
        const response = await fetch(`${origin}${pathname}`, { headers: { 'x-user': 'ann' } })
        assert.equal(response.status, 200)
        await roles(role)
        const files = await unzipped(Buffer.from(await response.arrayBuffer()))
        const [, text] = [...files].find(([name]) => name.endsWith('/evidence/custody.json')) ?? []
        const custody = JSON.parse(String(text)) as Record<string, object>
        return Object.keys(custody[payload_reference] ?? {})
      } finally {
        await roles('Compliance Manager')
      }
    }
    const all = await custodyAfter('Compliance Manager')
    assert.ok(['holders', 'numbers', 'plays'].every((name) => all.includes(name)))
    assert.deepEqual(
      await custodyAfter('Exports'),
      all.filter((name) => !['holders', 'numbers', 'plays'].includes(name)),
    )
  })

  it('contains of a selection only what its creator may list', async () => {
    const references = [...bytes.keys()].slice(0, 2)
    const chosen = async (user: string) => {
      const { body } = await as(user, 'POST', 'exports', { payload_references: references })
      return (body as DataExport).items
    }
    fixture.roles.set('exporter', ['Elsewhere'])
    assert.deepEqual([await chosen('ann'), await chosen('exporter'), await chosen('eve@other')], [2, 0, 0])
    const none = await as('ann', 'POST', 'exports', { payload_references: references, contents: ['csv'] })
    assert.equal(none.status, 400, 'metadata without data is the CSV of the list')
  })
})
