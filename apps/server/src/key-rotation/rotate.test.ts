import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isProposed, type Telemetry } from '@custodia/contract'
import { ulid } from 'ulid'
import {
  commentKeyContext,
  dekContext,
  gpsKeyContext,
  markKeyContext,
  oidcSecretContext,
  transferConfigContext,
} from '../ports/keys/contexts.ts'
import { type KeptDeviceDek, openDeviceDek, readDeviceDek } from '../ports/keys/device-dek.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { signIn, transferInput } from '../testing/access-fixture.ts'
import { letWordsBeSearched } from '../testing/index-words.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { testServer } from '../testing/server.ts'
import { ruleOfTwo } from '../testing/test-context.ts'
import { findConfig } from '../transfers/store.ts'
import { rotateClientKey, rotateStorageKey } from './rotate.ts'

const server = await testServer({}, { hasWorker: true })
after(() => server.close())

describe('key rotation', () => {
  const dataDir = () => server.ctx.config.dataDir
  const parts = () => ({ ...server.ctx, keys: localFileKeys({ folder: join(dataDir(), 'keys') }) })
  const settle = async () => undefined

  async function send(text: string): Promise<void> {
    const phone = await demoPhone(dataDir(), server.url, 'Harriet')
    await phone.record(getRecording('SMS', getMessage(text)).recording)
    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
  }
  async function texts(): Promise<string[]> {
    const alice = await signIn(server.url, 'acme', 'alice')
    const list = await alice.api.listPayloads({ query: { service: 'messages' } })
    const device_reference = list.data[0]?.device_reference ?? ''
    const thread = await alice.api.readThread({ params: { device_reference, thread_id: 'thread-1' } })
    return thread.data.map((each) => each.text ?? '').toSorted()
  }
  /** Adds a comment, a mark and a hold reason to the newest message; the returned function reads them later. */
  async function comment(message: string): Promise<() => Promise<(string | null | undefined)[]>> {
    const alice = await signIn(server.url, 'acme', 'alice')
    const list = await alice.api.listPayloads({ query: { service: 'messages' } })
    const params = { payload_reference: list.data[0]?.payload_reference ?? '' }
    await alice.api.addComment({ params, body: { message } })
    await alice.api.addMark({ params, body: { mark: 'flagged', note: message } })
    const hold = { target_type: 'PortalUser' as const, target: 'zoe@acme.example' }
    await alice.api.setLegalHold({ params: hold, body: { reason: message } })
    await alice.api.createAlertWebhook({
      body: {
        description: message,
        url: 'https://1.1.1.1/',
        alert_scopes: ['ops'],
        min_severity: 'Low',
        is_active: false,
      },
    })
    await alice.api.createTransferConfig({
      params: { transfer_config_reference: 'rotated' },
      body: transferInput(
        {},
        { transfer_file_format: 'ZippedWithPassword', is_active: false, zip_password: message },
      ),
    })
    return async () => {
      const comments = await alice.api.listCommentsOfPayload({ params })
      const { marks } = await alice.api.listMarks({ params })
      const { periods } = await alice.api.readLegalHold({ params: hold })
      return [comments.data[0]?.comment_body, marks[0]?.note, periods[0]?.set_reason]
    }
  }
  /**
   * Proposes a transfer config with a secret; the returned function confirms it as another person and opens the
   * secret's key.
   */
  async function propose(zip_password: string): Promise<() => Promise<number>> {
    const alice = await signIn(server.url, 'acme', 'alice')
    const ines = await signIn(server.url, 'acme', 'ines')
    await ruleOfTwo(server.sql, true)
    const reference = 'proposed'
    const answer = await alice.api.createTransferConfig({
      params: { transfer_config_reference: reference },
      body: transferInput({}, { transfer_file_format: 'ZippedWithPassword', is_active: false, zip_password }),
    })
    assert.ok(isProposed(answer))
    const client_id = await server.getId('acme')
    return async () => {
      await ines.api.confirmProposal({ params: { proposal_id: answer.proposal_id } })
      const stored = await server.ctx.db.read(client_id, (q) => findConfig(q, reference))
      assert.ok(stored?.sealed.wrapped_key)
      const key = await parts().keys.unwrap(
        stored.sealed.wrapped_key,
        transferConfigContext('acme', reference),
      )
      return key.length
    }
  }
  /** A change of the identity provider that waits with a secret, which is read by the returned. */
  async function proposeIdentity(): Promise<() => Promise<string>> {
    const context = oidcSecretContext('acme')
    const sealed = await parts().keys.wrap(Buffer.from('of the provider'), context)
    await server.sql(
      `insert into proposals (client_id, proposal_id, kind, subject, act, basis, proposed_at, proposed_by, sealed)
       values ($1, $2, 'ChangeIdentityProvider', '', '{}', '{}', extract(epoch from now()), 'dave (provider)', $3)`,
      [await server.getId('acme'), ulid(), { wrapped_key: sealed.toString('base64') }],
    )
    return async () => {
      const [row] = await server.sql<{ key: string }>(
        `select sealed ->> 'wrapped_key' as key from proposals where kind = 'ChangeIdentityProvider'`,
      )
      return String(await parts().keys.unwrap(Buffer.from(row?.key ?? '', 'base64'), context))
    }
  }
  async function locate(): Promise<void> {
    const phone = await demoPhone(dataDir(), server.url, 'Harriet')
    const position = { gps_reference: ulid(), timestamp: 1, latitude: 1, longitude: 2, timezone: 'UTC' }
    assert.deepEqual(
      (await phone.locate([position])).map(({ status }) => status),
      ['stored'],
    )
  }
  /** Uploads a report of a phone; the returned function reads it later. */
  async function report(): Promise<() => Promise<Telemetry | null>> {
    const phone = await demoPhone(dataDir(), server.url, 'Harriet')
    const { device_reference } = await phone.authenticate()
    const telemetry_id = `${ulid()}-${ulid()}`
    const facts = {
      os_version: '16',
      model: 'm',
      app_version: '4',
      wifi_name: 'Reported before the rotation',
    }
    await phone.telemetry([{ telemetry_id, telemetry_time: 1_793_968_200, timezone: 'UTC', ...facts }])
    const alice = await signIn(server.url, 'acme', 'alice')
    return async () => (await alice.api.readTelemetry({ params: { device_reference, telemetry_id } })).report
  }
  const masters = async () =>
    (await readdir(join(dataDir(), 'keys'))).filter((name) => name.startsWith('master'))

  /** Puts data keys back to where they were before there were slots: as they were wrapped, in their rows. */
  async function wrapInRows(): Promise<void> {
    const envelopes = await server.sql<KeptDeviceDek & { payload_id: number; payload_reference: string }>(
      'select payload_id, payload_reference, encrypted_dek, dek_key from payload_envelopes join payloads using (client_id, payload_id)',
    )
    for (const kept of envelopes)
      await server.sql(
        'update payload_envelopes set encrypted_dek = $2, dek_key = null where payload_id = $1',
        [
          kept.payload_id,
          Buffer.from(await readDeviceDek(parts().keys, { ...kept, client: 'acme' }), 'base64'),
        ],
      )
    const rows = await server.sql<{
      payload_id: number
      kind: string
      payload_reference: string
      wrapped_dek: Buffer
    }>(
      'select payload_id, kind, payload_reference, wrapped_dek from payload_objects join payloads using (client_id, payload_id)',
    )
    assert.ok(rows.length > 0)
    for (const { payload_id, kind, payload_reference, wrapped_dek } of rows) {
      const context = dekContext('acme', payload_reference)
      const wrapped = await parts().keys.wrap(await parts().keys.unwrap(wrapped_dek, context), context)
      await server.sql('update payload_objects set wrapped_dek = $3 where payload_id = $1 and kind = $2', [
        payload_id,
        kind,
        wrapped,
      ])
    }
    for (const [table, id, getContext] of [
      ['payload_comments', 'comment_id', commentKeyContext],
      ['payload_marks', 'mark_id', markKeyContext],
    ] as const)
      for (const { id: stated, wrapped_key } of await server.sql<{ id: string; wrapped_key: Buffer }>(
        `select ${id} as id, wrapped_key from ${table}`,
      )) {
        const context = getContext('acme', stated)
        const wrapped = await parts().keys.wrap(await parts().keys.unwrap(wrapped_key, context), context)
        await server.sql(`update ${table} set wrapped_key = $2 where ${id} = $1`, [stated, wrapped])
      }
  }

  it('rewraps every key, records it in the audit log, and deletes the old key only afterwards', async () => {
    await send('before')
    const stated = await comment('Said before the rotation')
    await wrapInRows()
    assert.deepEqual(await texts(), ['before'])
    assert.deepEqual(await stated(), Array(3).fill('Said before the rotation'))
    await locate()
    const result = await report()
    const client_id = await server.getId('acme')
    await letWordsBeSearched(server.ctx, client_id, 'acme')
    const confirm = await propose('Said before the rotation')
    const identitySecret = await proposeIdentity()
    const broken = new Error('broken off')
    await assert.rejects(
      rotateStorageKey(parts(), () => Promise.reject(broken)),
      broken,
    )
    assert.deepEqual(await masters(), ['master-000001.key', 'master-000002.key'])
    assert.deepEqual(await texts(), ['before'])

    const { version, rewrapped, retired } = await rotateStorageKey(parts(), settle)
    assert.deepEqual([version, retired], [2, [1]])
    assert.ok(rewrapped > 5, `${rewrapped}`)
    assert.deepEqual(await masters(), ['master-000002.key'])
    const rows = await server.sql(
      `select distinct substring(wrapped_dek for 1) as format, length(wrapped_dek) from payload_objects`,
    )
    // In slots, all of them.
    assert.deepEqual(rows, [{ format: Buffer.from([2]), length: 13 }])
    const envelopes = await server.sql<KeptDeviceDek & { payload_reference: string; key_id: string }>(
      'select payload_reference, key_id, encrypted_dek, dek_key from payload_envelopes join payloads using (client_id, payload_id)',
    )
    assert.deepEqual(
      envelopes.map(({ dek_key }) => dek_key?.length),
      [13],
    )
    for (const kept of envelopes)
      assert.equal((await openDeviceDek(parts().keys, { ...kept, client: 'acme' })).length, 32)
    const log = await server.sql(
      `select action from portal_activities where user_reference = 'operator' order by activity_time, log_id`,
    )
    assert.deepEqual(
      log.map(({ action }) => action),
      ['keys:rotate', 'keys:rotate', 'keys:retire'],
    )
    const ofSaid = await server.sql(
      `select distinct substring(wrapped_key for 5) as head
       from (select substring(wrapped_key for 1) as wrapped_key from payload_comments
         union all select substring(wrapped_key for 1) from payload_marks
         union all select wrapped_key from legal_hold_reasons union all select wrapped_key from alert_webhooks
         union all select wrapped_key from transfer_configs
         union all select decode(sealed ->> 'wrapped_key', 'base64') from proposals) x order by 1`,
    )
    // Comments and marks in slots, what does not follow a payload under the new key.
    assert.deepEqual(ofSaid, [{ head: Buffer.from([1, 0, 0, 0, 2]) }, { head: Buffer.from([2]) }])
    const words = await server.sql(
      `select substring(wrapped_key from 2 for 4) = '\\x00000002' as is_new from content_indexes where client_id = $1`,
      [client_id],
    )
    assert.deepEqual(words, [{ is_new: true }])
    assert.deepEqual(await stated(), Array(3).fill('Said before the rotation'))
    assert.equal((await result())?.wifi_name, 'Reported before the rotation')
    // What waited for a second person is confirmed, and its secret opens.
    assert.equal(await confirm(), 32)
    assert.equal(await identitySecret(), 'of the provider')
    // A process that starts now has the new key alone.
    const fresh = localFileKeys({ folder: join(dataDir(), 'keys') })
    assert.equal((await fresh.namedSecret('cursors')).length, 32)
    assert.deepEqual(await texts(), ['before'])
    const [ofPositions] = await server.sql<{ wrapped_key: Buffer; device_reference: string; day: number }>(
      `select wrapped_key, device_reference, day from gps_keys join devices using (client_id, device_id)`,
    )
    assert.ok(ofPositions)
    const context = gpsKeyContext('acme', ofPositions.device_reference, ofPositions.day)
    assert.equal((await fresh.unwrap(ofPositions.wrapped_key, context)).length, 32)
  })

  it('creates a new key pair for devices, and accepts recordings sealed for the former one', async () => {
    const phone = await demoPhone(dataDir(), server.url, 'Harriet')
    await phone.record(getRecording('SMS', getMessage('sealed for the former')).recording)
    const key_id = await rotateClientKey(parts(), 'acme')
    assert.ok((await stat(join(dataDir(), 'keys', 'device', `${key_id}.json`))).isFile())
    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
    await send('sealed for the new')
    assert.deepEqual(await texts(), ['before', 'sealed for the former', 'sealed for the new'])
    const rows = await server.sql('select count(*)::int from payload_envelopes where key_id = $1', [key_id])
    assert.equal(rows[0]?.count, 1)
    await assert.rejects(rotateClientKey(parts(), 'unknown'), /no client unknown/)
  })

  it('does not rewrap the keys of a payload that is being destroyed', async () => {
    await send('destroyed meanwhile')
    await wrapInRows()
    const destroying = await server.ctx.db.owner.connect()
    try {
      await destroying.query('begin')
      const { rows } = await destroying.query<{ payload_id: number }>(
        'select payload_id from payloads where payload_id in (select payload_id from payload_objects) order by payload_id desc limit 1 for update',
      )
      const payload_id = rows[0]?.payload_id
      const rotating = rotateStorageKey(parts(), settle)
      await pause(500)
      const [noted] = await server.sql<{ wrapped_dek: Buffer }>(
        'select wrapped_dek from payload_objects where payload_id = $1',
        [payload_id],
      )
      assert.equal(noted?.wrapped_dek[0], 1, 'what was noted is where it was')
      await destroying.query('update payload_objects set wrapped_dek = null where payload_id = $1', [
        payload_id,
      ])
      await destroying.query(`update payload_envelopes set encrypted_dek = '' where payload_id = $1`, [
        payload_id,
      ])
      await destroying.query('commit')
      await rotating
      const after = await server.sql('select wrapped_dek from payload_objects where payload_id = $1', [
        payload_id,
      ])
      assert.ok(after.every(({ wrapped_dek }) => wrapped_dek === null))
      const envelope = 'select encrypted_dek, dek_key from payload_envelopes where payload_id = $1'
      assert.deepEqual(await server.sql(envelope, [payload_id]), [
        { encrypted_dek: Buffer.alloc(0), dek_key: null },
      ])
    } finally {
      destroying.release()
    }
  })
})
