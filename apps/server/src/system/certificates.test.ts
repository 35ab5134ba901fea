import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { DestructionCertificate } from '@custodia/contract'
import { checkCertificate, issueCertificates, publicKeysIn } from '../destruction/certificates/issue.ts'
import { finishDestructions } from '../destruction/finish.ts'
import { finishDestruction } from '../destruction/jobs.ts'
import { stateCompleteness } from '../payloads/sequence.ts'
import { carryOut } from '../retention/engine.ts'
import { accessFixture, allow, getCode, type Person } from '../testing/access-fixture.ts'
import { custodia } from '../testing/command.ts'
import { assertVerifiedOffline } from '../testing/offline-verifier.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { withoutPolicy } from '../testing/test-context.ts'
import { verifyArchive } from '../verify/verify.ts'

const DAY = 86_400
const NEVER = new AbortController().signal
const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url))

const folder = await mkdtemp(join(tmpdir(), 'custodia-certificates-'))
const fixture = await accessFixture()
const client = { client_id: await fixture.server.getId('acme'), client: 'acme' }
await withoutPolicy(fixture.sql)
await fixture.alice.api.saveRetention({
  body: {
    entries: [{ entity_type: 'Payload', payload_type: 'Call', destroy_after_days: 30 }],
    applies_to_kept: true,
  } as never,
})

describe('a statement of completeness', () => {
  it('is a file that auditors verify', async () => {
    const { ctx } = fixture.server
    const reference = await storePayload(ctx, { client: 'acme', group: 'North', bytes: Buffer.from('heard') })
    await fixture.sql(
      `insert into payload_sequence (client_id, device_id, chain_id, type, seq, payload_id, hash, noted_at)
       select client_id, device_id, 'first', type, 2, payload_id, '', 1 from payloads where payload_reference = $1`,
      [reference],
    )
    await stateCompleteness(ctx, client)
    const [newest] = (await fixture.alice.api.listCaptureStatements({})).data
    const params = { statement_reference: newest?.statement_reference ?? '' }
    const file = await fixture.alice.api.readCaptureStatement({ params })
    assert.deepEqual([file.statement.recorded, file.statement.archived, file.statement.missing], [2, 1, 1])
    await assertVerifiedOffline(ctx.keys, file, 'Statement of completeness')
    const query = { with_names: true }
    const { device_names, ...same } = await fixture.alice.api.readCaptureStatement({ params, query })
    assert.deepEqual(same, file)
    assert.ok(device_names)

    const [saved, keys] = [join(folder, 'statement.json'), join(folder, 'statement-keys.json')]
    await writeFile(saved, JSON.stringify(file))
    await writeFile(keys, JSON.stringify(await fixture.alice.api.readCertificateKeys({})))
    const { code, out } = await custodia({}, 'certificate', saved, `--key=${keys}`)
    assert.match(
      out,
      /GOOD: statement of completeness of acme for \d{4}-\d{2}-\d{2}: 2 recorded, 1 archived, 0 queued, 0 explained, 1 missing/,
    )
    assert.equal(code, 0)
  })
})

describe('a certificate of destruction', () => {
  after(async () => {
    await fixture?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const list = async () => {
    return (await fixture.alice.api.listCertificates({})).data
  }
  const read = (certificate_reference: string) =>
    fixture.alice.api.readCertificate({ params: { certificate_reference } })
  const publicKeys = async () => publicKeysIn(JSON.stringify(await fixture.alice.api.readCertificateKeys({})))
  /** Has as many recordings destroyed in a pass of their own; resolves to their references. */
  async function destroy(count: number): Promise<string[]> {
    const { ctx } = fixture.server
    const references: string[] = []
    for (let i = 0; i < count; i++)
      references.push(
        await storePayload(ctx, {
          client: 'acme',
          group: 'North',
          bytes: Buffer.from(`recording ${i}`),
          payload_time: Math.floor(Date.now() / 1000) - 40 * DAY,
        }),
      )
    await fixture.sql(`update payload_objects set version_id = 'v' || payload_id where kind = 'original'`)
    await fixture.sql('delete from retention_positions')
    assert.equal((await carryOut(ctx, client, NEVER)).destroyed, count)
    return references
  }
  const finish = () => finishDestruction.run(fixture.server.ctx, {}, NEVER)

  it('is issued once per run, after all keys and objects of the run are removed', async () => {
    const references = await destroy(3)
    const { ctx } = fixture.server
    assert.equal(await issueCertificates(ctx, client, NEVER), 0, 'keys and objects are still there')
    await finish()
    await finish()
    const [summary, ...others] = await list()
    assert.deepEqual([summary?.payloads, summary?.part, summary?.parts, others], [3, 1, 1, []])
    const { certificate, signature } = await read(summary?.certificate_reference ?? '')
    assert.deepEqual(
      [certificate.client, certificate.run, signature.key_id],
      ['acme', summary?.run, summary?.key_id],
    )
    assert.deepEqual(
      certificate.payloads.map(({ payload_reference }) => payload_reference).sort(),
      references.sort(),
    )
    for (const each of certificate.payloads) {
      assert.deepEqual(
        [each.payload_type, each.policy_version, each.rule.destroy_after_days, each.gates],
        ['Call', 1, 30, { receipts: [], transfers: [] }],
      )
      assert.ok(each.digests.some(({ kind, sealed_size }) => kind === 'original' && sealed_size !== null))
      const [original, ...derived] = each.digests.toSorted(
        (a, b) => Number(b.kind === 'original') - Number(a.kind === 'original'),
      )
      assert.match(original?.version_id ?? '', /^v\d+$/)
      assert.ok(derived.every(({ version_id }) => version_id === undefined))
      assert.ok(each.deleted_at <= each.destroyed_at && each.destroyed_at <= each.finished_at)
      assert.ok(each.objects > 0)
    }
    // A pass without destructions makes no certificate.
    await destroy(0)
    await finish()
    assert.equal((await list()).length, 1)
    assert.equal(await getCode(read('01JD5X3V8Q2M4N6P7R9S0T1V2W')), 'not_found')
    const { findings } = await verifyArchive(ctx)
    assert.deepEqual(
      findings.filter(({ check }) =>
        ['certificate_wrong', 'destruction_broken', 'retention_early'].includes(check),
      ),
      [],
    )
  })

  it('is issued after an interrupted attempt, and only once by concurrent workers', async () => {
    await destroy(2)
    const { ctx } = fixture.server
    const before = (await list()).length
    const keys = { ...ctx.keys, sign: () => Promise.reject(new Error('no signature')) }
    await assert.rejects(finishDestruction.run({ ...ctx, keys }, {}, NEVER), AggregateError)
    assert.equal((await list()).length, before)
    await Promise.all([1, 2, 3].map(() => issueCertificates(ctx, client, NEVER)))
    assert.equal((await list()).length, before + 1)
  })

  /** The certificates in the files of the keystore, by their run and part. */
  async function noted(): Promise<Map<string, string[]>> {
    const { ledger } = fixture.server.ctx.keys
    const all = new Map<string, string[]>()
    for (const file of (await ledger.sizes()).keys())
      for await (const { json } of ledger.read(ledger.start(file))) {
        const line = JSON.parse(json) as { certificate_reference?: string; run_id: string; part: number }
        if (line.certificate_reference === undefined) continue
        const of = `${line.run_id} ${line.part}`
        all.set(of, [...(all.get(of) ?? []), line.certificate_reference])
      }
    return all
  }

  it('is written to the ledger file before the database, and only once despite a crash', async () => {
    const { ctx } = fixture.server
    await destroy(2)
    await finishDestructions(ctx, client, NEVER)
    const before = await list()
    // Killed once the line is durable, so the later steps are lost.
    const append = async (lines: readonly string[]) => {
      await ctx.keys.ledger.append(lines)
      throw new Error('killed')
    }
    const keys = { ...ctx.keys, ledger: { ...ctx.keys.ledger, append } }
    await assert.rejects(issueCertificates({ ...ctx, keys }, client, NEVER), /killed/)
    assert.deepEqual(await list(), before)
    await Promise.all([1, 2, 3].map(() => issueCertificates(ctx, client, NEVER)))
    const [newest, ...others] = await list()
    assert.deepEqual(others, before)
    const lines = await noted()
    for (const { run, part, certificate_reference } of [newest, ...others].flatMap((each) => each ?? []))
      assert.deepEqual(lines.get(`${run} ${part}`), [certificate_reference])
    assert.equal(lines.size, others.length + 1)
  })

  it('is written to the ledger files when it is missing there, and restored from them', async () => {
    const { ctx } = fixture.server
    const folder = join(ctx.config.dataDir, 'keys', 'destructions')
    const before = await list()
    const texts = await Promise.all(
      before.map(async (each) => JSON.stringify(await read(each.certificate_reference))),
    )
    await rename(folder, `${folder}.away`)
    await fixture.sql(
      `set session_replication_role = replica; delete from destruction_certificate_files; delete from destruction_files; reset session_replication_role`,
    )
    // If its files are missing, the second attempt begins another one.
    await assert.rejects(finish(), AggregateError)
    await finish()
    assert.deepEqual(
      [...(await noted()).values()].flat().toSorted(),
      before.map((each) => each.certificate_reference).toSorted(),
    )
    // And what the files have, a database that lacks it gets back, as it was.
    await fixture.sql(
      `set session_replication_role = replica; delete from destruction_certificate_files; delete from destruction_files;
       delete from destruction_certificates; delete from destruction_runs; reset session_replication_role`,
    )
    assert.deepEqual(await list(), [])
    await finish()
    assert.deepEqual(await list(), before)
    for (const [i, { certificate_reference }] of before.entries()) {
      const text = JSON.stringify(await read(certificate_reference))
      assert.equal(text, texts[i])
      assert.equal(checkCertificate(text, await publicKeys()).outcome, 'good')
    }
    // A certificate in several files counts once.
    await cp(`${folder}.away`, folder, { recursive: true })
    await finish()
    assert.deepEqual(await list(), before)
    const { findings } = await verifyArchive(ctx)
    assert.deepEqual(
      findings.filter(({ check }) =>
        ['certificate_wrong', 'destruction_broken', 'ledger_wrong'].includes(check),
      ),
      [],
    )
  })

  it('fails verification when a value is altered, added, removed or cut off', async () => {
    const [summary] = await list()
    const file = await read(summary?.certificate_reference ?? '')
    const keys = await publicKeys()
    const text = JSON.stringify(file)
    const getOutcome = (changed: string) => checkCertificate(changed, keys).outcome
    for (const same of [text, JSON.stringify(file, null, 2), `${text}\n`])
      assert.equal(getOutcome(same), 'good')
    await assertVerifiedOffline(fixture.server.ctx.keys, file, 'Certificate of destruction')
    let altered = 0
    /** Each way to say something else at one place. */
    function* changes(value: unknown, put: (to: unknown) => void): Generator {
      if (Array.isArray(value)) {
        put([...(value as unknown[]), 'x'])
        yield
        if (value.length > 0) {
          put(value.slice(1))
          yield
        }
        put(value)
        for (const [i, each] of value.entries()) yield* changes(each, (to) => (value[i] = to))
      } else if (typeof value === 'object' && value !== null) {
        const members = value as Record<string, unknown>
        members['added'] = 1
        yield
        delete members['added']
        for (const [name, each] of Object.entries(members)) {
          delete members[name]
          yield
          members[name] = each
          yield* changes(each, (to) => (members[name] = to))
        }
      } else {
        put(typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : 'x')
        yield
        put(value)
      }
    }
    const copy = structuredClone(file)
    for (const _ of changes(copy, () => {})) {
      assert.notEqual(getOutcome(JSON.stringify(copy)), 'good', JSON.stringify(copy))
      altered++
    }
    assert.ok(altered > 100, `${altered}`)
    for (let length = 0; length < text.length; length += 7)
      assert.equal(getOutcome(text.slice(0, length)), 'unreadable')
    const fake = JSON.stringify({ ...file.certificate, client: 'other' })
    assert.equal(
      getOutcome(text.replace('{"certificate":', `{"certificate":${fake},"certificate":`)),
      'altered',
      'said twice',
    )
    for (const other of ['', 'null', '[]', '{}', '{"certificate":{}}', 'GOOD'])
      assert.equal(getOutcome(other), 'unreadable')
  })

  it('is verified by a command without the server as good, altered, unknown key or unreadable', async () => {
    const [summary] = await list()
    const file = await read(summary?.certificate_reference ?? '')
    const write = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    }
    const keys = await fixture.alice.api.readCertificateKeys({})
    const key = await write('keys.pem', keys.keys.map(({ public_key_pem }) => public_key_pem).join('\n'))
    const answer = await write('keys.json', JSON.stringify(keys))
    const strange = generateKeyPairSync('ed25519')
      .publicKey.export({ format: 'pem', type: 'spki' })
      .toString()
    const text = JSON.stringify(file, null, 2)
    const good = await write('good.json', text)
    const other: DestructionCertificate = { ...file, certificate: { ...file.certificate, client: 'other' } }
    for (const [args, exit, says] of [
      [
        [good, `--key=${key}`],
        0,
        /GOOD: certificate \S+ \(part 1 of 1\) of acme: 2 payloads destroyed between/,
      ],
      [[good, `--key=${answer}`], 0, /GOOD/],
      [[await write('altered.json', JSON.stringify(other, null, 2)), `--key=${key}`], 3, /ALTERED/],
      [[good, `--key=${await write('strange.pem', strange)}`], 4, /UNKNOWN KEY/],
      [[await write('cut.json', text.slice(0, -20)), `--key=${key}`], 5, /NOT READABLE/],
      [[good], 2, /custodia certificate/],
      [[good, `--key=${good}`], 1, /no public key/],
    ] as const) {
      const { code, out } = await custodia({}, 'certificate', ...args)
      assert.deepEqual([code, says.test(out)], [exit, true], out)
    }
    // As a process without any setting.
    assert.match(
      execFileSync(process.execPath, [PROGRAM, 'certificate', good, `--key=${key}`], { env: {} }).toString(),
      /GOOD/,
    )
  })

  it('can still be verified after the signing key changes', async () => {
    const keys = fixture.server.ctx.keys as unknown as { rotateSigning: () => Promise<string> }
    const key_id = await keys.rotateSigning()
    await destroy(1)
    await finish()
    const [newest, ...others] = await list()
    assert.equal(newest?.key_id, key_id)
    const there = await publicKeys()
    assert.equal(there.length, 2)
    assert.ok(others.length > 1)
    for (const { certificate_reference } of [newest, ...others]) {
      const text = JSON.stringify(await read(certificate_reference))
      assert.equal(checkCertificate(text, there).outcome, 'good')
    }
    assert.ok(
      there.every(
        (key) => createPublicKey(key.export({ format: 'pem', type: 'spki' })).asymmetricKeyType === 'ed25519',
      ),
    )
  })

  it('is visible only within its account and with the permission', async () => {
    const [summary] = await list()
    const { certificate_reference = '' } = summary ?? {}
    const calls = (who: Person) => [
      () => who.api.listCertificates({}),
      () => who.api.readCertificate({ params: { certificate_reference } }),
      () => who.api.readCertificateKeys({}),
    ]
    await fixture.giveRole('Policy Reader', [allow('account.retention:read', 'profile:read')])
    for (const call of calls(await fixture.personWith(['Policy Reader']))) await call()
    await fixture.giveRole('No Policy', [allow('profile:read')])
    for (const call of calls(await fixture.personWith(['No Policy'])))
      assert.equal(await getCode(call()), 'not_permitted')
    await fixture.sql(
      `update portal_sessions set roles = '{Account Administrator}' where user_reference = 'gina'`,
    )
    const page = await fixture.gina.api.listCertificates({})
    assert.deepEqual(page.data, [])
    assert.equal(
      await getCode(fixture.gina.api.readCertificate({ params: { certificate_reference } })),
      'not_found',
    )
  })
})
