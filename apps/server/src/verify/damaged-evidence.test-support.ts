import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CERTIFICATE_FORMAT, RECONCILIATION_FORMAT } from '@custodia/contract'
import { canonical } from '../ports/keys/canonical.ts'
import { SLOTS } from '../ports/keys/local-file.ts'
import { HALF, HEAD, placeOf, SLOT } from '../ports/keys/slots/layout.ts'
import { force, type SharedDamage } from './damage.test-support.ts'

/** Damages of destruction and delivery records, and of erased keys. */
export const DAMAGED_EVIDENCE: readonly SharedDamage[] = [
  {
    name: 'an altered certificate of destruction, and a run without one',
    plant: async (fixture) => {
      const { ctx } = fixture
      const [client] = await fixture.sql<{ client_id: number }>(
        `select client_id from clients where client = 'acme'`,
      )
      const run = { client: 'acme', part: 1, parts: 1, began_at: 1, ended_at: 2, issued_at: 3, payloads: [] }
      const reference = '01JD5X3V8Q2M4N6P7R9S0T1V2W'
      const body = canonical({
        format: CERTIFICATE_FORMAT,
        run: reference,
        certificate_reference: reference,
        ...run,
      })
      const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
      await force(
        fixture,
        `insert into destruction_runs (client_id, run_id, began_at, ended_at, payloads) values (${client?.client_id}, '${reference}', 1, 2, 7);
         insert into destruction_certificates (client_id, certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum, body, signature)
         values (${client?.client_id}, '${reference}', '${reference}', 1, 1, 0, 1, 2, 3, '${key_id}', '', '${body.replace('"began_at":1', '"began_at":0')}', decode('${signature.toString('hex')}', 'hex'))`,
      )
      return [
        ['certificate_wrong', reference],
        ['certificate_wrong', `run ${reference}`],
      ]
    },
  },
  {
    name: 'certificates of destruction that are missing or different in the key ledger, or only there',
    plant: async (fixture) => {
      const { ctx } = fixture
      const [client] = await fixture.sql<{ client_id: number }>(
        `select client_id from clients where client = 'acme'`,
      )
      const references = [1, 2, 3, 4].map((n) => `01JD5X3V8Q2M4N6P7R9S0T1V4${n}`)
      for (const [n, reference] of references.entries()) {
        const facts = { part: 1, parts: 1, began_at: 1, ended_at: 2, issued_at: 3 }
        const run = { client: 'acme', run: reference, certificate_reference: reference, ...facts }
        const body = canonical({ format: CERTIFICATE_FORMAT, ...run, payloads: [] })
        const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
        // The last one is as it should be.
        const line = {
          client: 'acme',
          certificate_reference: reference,
          run_id: reference,
          ...facts,
          payloads: 0,
          key_id,
          checksum: '',
          body: n === 1 ? body.replace('"began_at":1', '"began_at":0') : body,
          signature: signature.toString('base64'),
        }
        if (n > 0) await ctx.keys.ledger.append([JSON.stringify(line)])
        if (n === 2) continue
        await force(
          fixture,
          `insert into destruction_runs (client_id, run_id, began_at, ended_at, payloads) values (${client?.client_id}, '${reference}', 1, 2, 0);
           insert into destruction_certificates (client_id, certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum, body, signature)
           values (${client?.client_id}, '${reference}', '${reference}', 1, 1, 0, 1, 2, 3, '${key_id}', '', '${body}', decode('${line.signature}', 'base64'));
           insert into destruction_certificate_files values (${client?.client_id}, '${reference}', 'f')`,
        )
      }
      return references.slice(0, 3).map((reference) => ['certificate_wrong', reference] as const)
    },
  },
  {
    name: 'destruction runs of a lost database with lines in no certificate',
    plant: async (fixture) => {
      // The last one has nothing to certify.
      await force(
        fixture,
        `insert into destruction_runs (client_id, run_id, began_at, ended_at)
         select client_id, 'lost ' || n, 1, 2 from clients, generate_series(1, 2) n where client = 'acme';
         insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from,
           destroyed_at, destroyed_by, digests, policy_version, rule, gates, people_checked, holds_ended, keys, replayed_at)
         select client_id, -7, 'lost', 'lost 1', 1, 1, 1, 1, 5, 1, 'unknown', '[]', 1, '{}', '{}', 0, 0, 0, 1 from clients where client = 'acme';
         insert into destruction_ends (client_id, payload_id, ended_at, objects) select client_id, -7, 1, 0 from clients where client = 'acme'`,
      )
      return [['certificate_wrong', 'run lost 1']]
    },
  },
  {
    name: 'reconciliations that were altered, have no predecessor, or contradict the delivery entries',
    plant: async (fixture) => {
      const { ctx } = fixture
      const values = []
      for (const n of [1, 2, 3, 4]) {
        const reference = `01JD5X3V8Q2M4N6P7R9S0T1V3${n}`
        const version = n === 2 ? 2 : 1
        const delivered = n === 3 ? 1 : 0
        const body = canonical({
          format: RECONCILIATION_FORMAT,
          client: 'acme',
          reconciliation_reference: reference,
          transfer_config_reference: `day${n}`,
          payload_date: '1970-01-02',
          version,
          payload_types: ['Call'],
          captured: delivered,
          delivered,
          missing: 0,
          reasons: [],
          issued_at: 1,
          delivered_sha256: '0'.repeat(64),
          missing_sha256: '0'.repeat(64),
          missing_payloads: [],
          replaces: null,
        })
        const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
        const kept = n === 1 ? body.replace('"issued_at":1', '"issued_at":2') : body
        values.push(
          `('${reference}', 'day${n}', ${version}, ${n === 4 ? 5 : delivered}, ${n === 4 ? 5 : 0}, '${key_id}', '${kept}', '${signature.toString('hex')}')`,
        )
      }
      await force(
        fixture,
        `insert into transfer_reconciliations (client_id, reconciliation_reference, transfer_config_reference, payload_date, version, payload_types,
           captured, delivered, missing, reasons, issued_at, key_id, checksum, body, signature)
         select client_id, reference, config, 86400, version, '{Call}', captured, captured - missing, missing, '[]', 1, key_id, '', body,
           decode(signature, 'hex')
         from clients, (values ${values.join()}) v (reference, config, version, captured, missing, key_id, body, signature) where client = 'acme'`,
      )
      return [1, 2, 3, 4].map(
        (n) => ['reconciliation_wrong', `reconciliation 01JD5X3V8Q2M4N6P7R9S0T1V3${n}`] as const,
      )
    },
  },
  {
    name: 'an epoch key that was not erased, and a slot that was not wiped',
    plant: async ({ ctx }) => {
      const slots = join(ctx.config.dataDir, 'keys', SLOTS)
      await writeFile(join(slots, 'epoch-000001.key'), JSON.stringify({ made_at: 1, sealed: '' }), {
        mode: 0o600,
      })
      const name = await ctx.keys.put(randomBytes(32), { client: 'acme', purpose: 'dek', reference: 'x' })
      await ctx.keys.forget([name])
      const { segment, index } = placeOf(name)
      const file = await open(join(slots, `${segment}.slots`), 'r+')
      await file.write(randomBytes(HALF), 0, HALF, index * SLOT + HEAD)
      await file.close()
      return [
        ['epoch_old', 'the keystore'],
        ['slot_unwiped', 'the keystore'],
      ]
    },
  },
  {
    name: 'a key ledger that was shortened, and one with more destructions than the database',
    plant: async (fixture) => {
      const { ledger } = fixture.ctx.keys
      const { file, bytes, hash } = await ledger.append(['{"client":"acme","payload_reference":"unknown"}'])
      await force(fixture, `insert into destruction_files values ('${file}', ${bytes + 1}, '${hash}')`)
      const [row] = await fixture.sql<{ payload_reference: string }>(
        `select min(payload_reference) as payload_reference from payloads join clients using (client_id) where client = 'acme'`,
      )
      assert.ok(row)
      await ledger.append([JSON.stringify({ client: 'acme', ...row })])
      return [
        ['ledger_wrong', `${file}.ledger`],
        ['ledger_wrong', row.payload_reference],
      ]
    },
  },
]
