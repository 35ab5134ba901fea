import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { seeded } from '../../testing/require-part.ts'
import { readFixture, type ReadFixture } from '../../testing/read-fixture.ts'

const CLIENT = '/client/v1/api'
/** May see conversations but not open payloads. */
const WATCHER = {
  role_reference: 'Watcher',
  permissions: [{ actions_matching: ['devices.sms:read'] }],
  payload_types: [],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
  is_system: false,
}

/** Fields of a payload by section 3 of the specification that may be unset. */
const OF_SPECIFICATION = [
  'device_user_reference',
  'device_ip',
  'key_id',
  'encrypted_dek',
  's3_path',
  'meta',
  'checksum',
  'legacy_payload_reference',
  'legacy_processed_time',
  'all_numbers',
  'second_party_numbers',
  'uploaded_at',
  'processed_at',
  'transferred_at',
  'receipt_confirmed_at',
  'receipt_confirmed_by',
  'updated_by',
]

describe('the payload API', () => {
  let fixture: ReadFixture
  before(async () => {
    fixture = await readFixture()
    await fixture.acme.add(700, seeded(6))
    await fixture.ctx.db.owner.query(`insert into roles values ($1, 'Watcher', $2, 0, 't')`, [
      fixture.acme.client_id,
      JSON.stringify(WATCHER),
    ])
  })
  after(() => fixture.close())

  it('returns each payload with the fields of its list row, and more', async () => {
    const { body } = await fixture.get('ann', `${CLIENT}/payloads?limit=200`)
    const rows = body.data as Record<string, unknown>[]
    assert.ok(rows.length > 50)
    for (const row of rows.slice(0, 40)) {
      const { status, body: payload } = await fixture.get(
        'ann',
        `${CLIENT}/payloads/${String(row.payload_reference)}`,
      )
      assert.equal(status, 200, JSON.stringify(payload))
      for (const [field, value] of Object.entries(row)) assert.deepEqual(payload[field], value, field)
      assert.ok('announced_at' in payload)
      for (const field of OF_SPECIFICATION) assert.ok(field in payload, `${field} is null when it is unset`)
      if (payload.s3_path !== null) assert.match(String(payload.s3_path), /^s3:\/\/local\/acme\//)
    }
  })

  it('returns 404 for unknown payloads and those of another client, and 403 without permission', async () => {
    const reference = fixture.acme.payloads[0]?.payload_reference ?? ''
    for (const part of ['', '/audit', '/peaks']) {
      assert.equal((await fixture.get('eve@other', `${CLIENT}/payloads/${reference}${part}`)).status, 404)
      assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${'z'.repeat(26)}${part}`)).status, 404)
    }
    fixture.roles.set('clerk', ['Fleet Administrator'])
    assert.equal((await fixture.get('clerk', `${CLIENT}/payloads/${reference}`)).status, 403)
  })

  it('returns the playable media and its waveform', async () => {
    const call = fixture.acme.payloads.find(
      (p) => p.payload_type === 'Call' && p.payload_state === 'Processed',
    )
    const reference = call?.payload_reference ?? ''
    const peaks = { duration: 2, peaks: [-5, 5, -128, 127], silences: [[0.5, 1.5]] }
    await fixture.store(reference, 'original', 'audio/amr', Buffer.from('amr'), {
      is_playable: false,
      duration: 2,
      codec: 'amr_nb',
    })
    await fixture.store(reference, 'playback', 'audio/mp4', Buffer.from('mp4'))
    await fixture.store(reference, 'peaks', 'application/json', Buffer.from(JSON.stringify(peaks)))
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${reference}`)
    assert.deepEqual(body.media, {
      content_type: 'audio/amr',
      size: 3,
      duration: 2,
      codec: 'amr_nb',
      is_playable: true,
      playback: 'rendition',
      playback_content_type: 'audio/mp4',
      has_peaks: true,
      being_prepared: false,
    })
    assert.deepEqual((await fixture.get('ann', `${CLIENT}/payloads/${reference}/peaks`)).body, peaks)
    await fixture.setState(reference, 'Deleted')
    assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${reference}/peaks`)).status, 404)
    assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${reference}`)).body.media, undefined)
  })

  it('reports that a recording is being prepared, and offers its original for download', async () => {
    const calls = fixture.acme.payloads.filter(
      (p) => p.payload_type === 'Call' && p.payload_state === 'Processed',
    )
    const reference = calls[1]?.payload_reference ?? ''
    await fixture.store(reference, 'original', 'audio/amr', Buffer.from('amr'), {
      is_playable: false,
      being_prepared: true,
    })
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${reference}`)
    assert.deepEqual(body.media, {
      content_type: 'audio/amr',
      size: 3,
      is_playable: false,
      has_peaks: false,
      being_prepared: true,
    })
    const data = async (action: string) =>
      (await fixture.get('ann', `${CLIENT}/payloads/${reference}/data?action=${action}`)).body
    const play = await data('play')
    assert.deepEqual([play.status, play.being_prepared, play.content_type], ['Ok', true, 'audio/amr'])
    const download = await data('download')
    assert.deepEqual([download.status, download.being_prepared], ['Ok', undefined])
    assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${reference}/peaks`)).status, 404)
  })

  it('returns a conversation with its texts, and audits each message that is read', async () => {
    const messages = fixture.acme.payloads
      .filter(
        (p) => p.thread_id === '1' && p.payload_state === 'Processed' && p.device_reference === 'phone 0',
      )
      .toSorted((a, b) => b.payload_time - a.payload_time || b.payload_id - a.payload_id)
    assert.ok(messages.length > 2)
    for (const { payload_reference } of messages) {
      await fixture.store(payload_reference, 'original', 'application/json', Buffer.from('{}'))
      const text = {
        text: `text of ${payload_reference}`,
        attachments: [{ name: 'a.txt', content_type: 'text/plain', size: 5, part: 0 }],
      }
      await fixture.store(payload_reference, 'text', 'application/json', Buffer.from(JSON.stringify(text)))
    }
    const url = '/client/v1/api/devices/phone%200/sms/1'
    const shown: Record<string, unknown>[] = []
    for (let last_key: unknown, first = true; first || last_key; first = false) {
      const { status, body } = await fixture.get(
        'ann',
        `${url}?limit=2${last_key ? `&last_key=${String(last_key)}` : ''}`,
      )
      assert.equal(status, 200, JSON.stringify(body))
      shown.push(...(body.data as Record<string, unknown>[]))
      last_key = body.last_key
    }
    const texts = shown.filter((message) => message.text !== undefined)
    assert.deepEqual(
      texts.map((m) => m.text),
      messages.map((m) => `text of ${m.payload_reference}`),
    )
    assert.deepEqual(texts[0]?.attachments, [{ name: 'a.txt', content_type: 'text/plain', size: 5, part: 0 }])
    for (const { payload_reference } of messages) {
      const { body } = await fixture.get('ann', `${CLIENT}/payloads/${payload_reference}/audit`)
      assert.deepEqual(
        (body.records as Record<string, unknown>[]).map(({ portal_user, action }) => [portal_user, action]),
        [['ann', 'devices.sms:read']],
      )
    }
    assert.equal((await fixture.get('ann', '/client/v1/api/devices/missing/sms/1')).status, 404)
    assert.equal((await fixture.get('ann', '/client/v1/api/devices/phone%200/sms/none')).status, 404)
    assert.equal((await fixture.get('eve@other', '/client/v1/api/devices/phone%201/sms/1')).status, 404)
    const total = await fixture.get('ann', `${url}?type=total`)
    assert.deepEqual(total.body, { total: shown.length })
  })

  it('cuts a page to a size that twelve readers can load at once, without opening whole documents', async () => {
    const messages = fixture.acme.payloads
      .filter(
        (p) => p.thread_id === '2' && p.payload_state === 'Processed' && p.device_reference === 'phone 0',
      )
      .slice(0, 30)
    assert.ok(messages.length > 5)
    const text = 'ü'.repeat(300_000)
    for (const { payload_reference } of messages) {
      await fixture.store(payload_reference, 'original', 'application/json', Buffer.from('never opened here'))
      await fixture.store(
        payload_reference,
        'text',
        'application/json',
        Buffer.from(JSON.stringify({ text })),
      )
    }
    const url = '/client/v1/api/devices/phone%200/sms/2?limit=200'
    const pages = await Promise.all(Array.from({ length: 12 }, () => fixture.get('ann', url)))
    for (const { status, body } of pages) {
      assert.equal(status, 200)
      assert.ok(JSON.stringify(body).length < 1_500_000)
      assert.ok(typeof body.last_key === 'string')
    }
    const seen = new Set<unknown>()
    for (let last_key: unknown, first = true; first || last_key; first = false) {
      const { body } = await fixture.get('ann', `${url}${last_key ? `&last_key=${String(last_key)}` : ''}`)
      for (const message of body.data as Record<string, unknown>[])
        if (message.text === text) seen.add(message.payload_reference)
      last_key = body.last_key
    }
    assert.equal(seen.size, messages.length)
  })

  it('omits texts and attachments for users who may see messages but not open them', async () => {
    fixture.roles.set('watcher', ['Watcher'])
    const { body } = await fixture.get('watcher', '/client/v1/api/devices/phone%200/sms/1')
    assert.ok((body.data as unknown[]).length > 0)
    for (const message of body.data as Record<string, unknown>[])
      assert.deepEqual([message.text, message.attachments], [undefined, undefined])
  })
})
