/** From phones that record to people who listen: every payload type through the running whole. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import type { PayloadType, Role } from '@custodia/contract'
import { hashPassword, PUBLIC_COST } from '../ports/identity/people.ts'
import { type Person, signIn } from '../testing/access-fixture.ts'
import { findProgram } from '../testing/daemon.ts'
import { demoPhone, mediaFile, getMessage, getRecording } from '../testing/phones.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'

/** What a phone recorded, and what becomes of it. */
interface TestRecording {
  name: string
  payload_type: PayloadType
  payload_reference: string
  /** The plaintext that the phone sealed; absent for calls that were not recorded. */
  data: Buffer | undefined
}

const FILES: readonly [name: string, type: PayloadType, file: string][] = [
  ['a call in AMR-NB', 'Call', 'formats/amr-nb.amr'],
  ['a call in AMR-WB', 'Call', 'formats/amr-wb.amr'],
  ['a call in 3GP', 'Call', 'formats/amr-nb.3gp'],
  ['a call in M4A', 'Call', 'formats/aac.m4a'],
  ['a call in Opus', 'Call', 'formats/opus.ogg'],
  ['a call in MP3', 'Call', 'formats/mp3.mp3'],
  ['a call in WAV', 'Call', 'formats/pcm.wav'],
  ['an interview', 'Interview', 'interviews/en-suitability.m4a'],
  ['a photo', 'Photo', 'photos/signed-order.jpg'],
  ['a video in MP4', 'Video', 'formats/h264-aac.mp4'],
  ['a video in 3GP', 'Video', 'formats/h263-amr.3gp'],
  ['a diagnostics bundle', 'Diagnostics', 'diagnostics/diagnostics.json'],
]
/** What browsers cannot play as it was recorded. */
const NEEDS_RENDITION = ['a call in AMR-NB', 'a call in AMR-WB', 'a call in 3GP', 'a video in 3GP']

describe('the server with recordings of every type', async () => {
  const people = new Map<string, Person>()
  const recorded: TestRecording[] = []
  const named = (name: string): TestRecording => {
    const found = recorded.find((each) => each.name === name)
    assert.ok(found, `${name} was recorded`)
    return found
  }
  const person = (name: string): Person => {
    const found = people.get(name)
    assert.ok(found, `${name} has signed in`)
    return found
  }

  const server = await testServer({ FFMPEG_PATH: 'ffmpeg', FFPROBE_PATH: 'ffprobe' }, { hasWorker: true })
  await addPerson('sam', 'Only messages')
  await saveRole('Only messages', ['SMS'])
  for (const name of ['alice', 'sam']) people.set(name, await signIn(server.url, 'acme', name))
  after(() => server.close())

  it('processes every payload type that devices record', async () => {
    const harriet = await demoPhone(server.ctx.config.dataDir, server.url, 'Harriet')
    const record = async (name: string, payload_type: PayloadType, data?: Buffer, more?: object) => {
      const { payload_reference, recording } = getRecording(payload_type, data, more)
      await harriet.record(recording)
      recorded.push({ name, payload_type, payload_reference, data })
    }
    for (const [name, type, file] of FILES) await record(name, type, await mediaFile(file))
    await record('an aborted call', 'AbortedCall')
    await record('a blocked call', 'BlockedCall')
    const picture = (await mediaFile('mms/receipt.jpg')).toString('base64')
    await record('an SMS', 'SMS', getMessage('Sell 500 at 99.50'))
    await record('an RCS message', 'RCS', getMessage('Done'))
    await record(
      'an MMS with a picture',
      'MMS',
      getMessage('The receipt', [{ name: 'receipt.jpg', content_type: 'image/jpeg', data: picture }]),
    )

    assert.deepEqual(await harriet.sync({ patience: 120 }), {
      freed: recorded.length,
      waiting: 0,
      refused: 0,
    })
    // The server frees the phone's copies only after it has read the data, also of calls without a recording.
    const { api } = person('alice')
    const { data: unrecorded } = await page(
      await api.listPayloads({ query: { payload_types: ['BlockedCall', 'AbortedCall'] } }),
    )
    assert.ok(unrecorded.every((each) => each.parties))
    for (const { name, payload_reference, data: sealed } of recorded) {
      const payload = await api.readPayload({ params: { payload_reference } })
      assert.equal(payload.payload_state, sealed ? 'Processed' : 'NotRecorded', name)
      assert.equal(payload.decrypted_checksum, sealed && sha256(sealed), name)
      assert.equal(payload.device_user_reference, 'Harriet Cole', name)
      assert.equal(payload.group, 'North', name)
    }
  })

  it('returns the original bytes of each payload, whole and in part', async () => {
    const alice = person('alice')
    for (const { name, payload_reference, data } of recorded) {
      const answer = await getData(alice, payload_reference, 'download')
      if (!data) {
        assert.equal(answer.status, 'NoS3Url', name)
        continue
      }
      const whole = await alice.fetch(answer.s3_url ?? '')
      assert.equal(whole.status, 200, name)
      assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename=/, name)
      assert.equal(whole.headers.get('cache-control'), 'no-store', name)
      assert.ok(data.equals(Buffer.from(await whole.arrayBuffer())), name)
      const middle = Math.floor(data.length / 2)
      const part = await alice.fetch(answer.s3_url ?? '', { headers: { range: `bytes=${middle}-` } })
      assert.equal(part.status, 206, name)
      assert.equal(
        part.headers.get('content-range'),
        `bytes ${middle}-${data.length - 1}/${data.length}`,
        name,
      )
      assert.ok(data.subarray(middle).equals(Buffer.from(await part.arrayBuffer())), name)
    }
  })

  it('plays formats that browsers support without conversion', async () => {
    const alice = person('alice')
    const playable = ['a call in M4A', 'a call in Opus', 'a call in MP3', 'a call in WAV', 'a video in MP4']
    for (const name of [...playable, 'an interview', 'a photo']) {
      const { payload_reference, data } = named(name)
      const answer = await getData(alice, payload_reference, 'play')
      const response = await alice.fetch(answer.s3_url ?? '', { headers: { range: 'bytes=0-' } })
      assert.equal(response.status, 206, name)
      assert.match(response.headers.get('content-disposition') ?? '', /^inline; /, name)
      assert.ok(data?.equals(Buffer.from(await response.arrayBuffer())), name)
    }
    const { payload_reference } = named('an MMS with a picture')
    const answer = await alice.api.readPayloadData({
      params: { payload_reference },
      query: { action: 'play', part: '0' },
    })
    const picture = Buffer.from(await (await alice.fetch(answer.s3_url ?? '')).arrayBuffer())
    assert.ok(picture.equals(await mediaFile('mms/receipt.jpg')))
  })

  /** Evidence is processed before its rendition is made. */
  const prepared = (payload_reference: string) =>
    until(
      'the rendition',
      () => person('alice').api.readPayload({ params: { payload_reference } }),
      ({ media }) => media?.being_prepared === false,
    )

  describe('with ffmpeg', requirePart('ffmpeg', findProgram('ffmpeg') !== undefined), () => {
    it('plays a rendition of formats that browsers do not support', async () => {
      const alice = person('alice')
      for (const name of NEEDS_RENDITION) {
        const { payload_reference, data } = named(name)
        const { media } = await prepared(payload_reference)
        assert.deepEqual([media?.is_playable, media?.playback], [true, 'rendition'], name)
        const answer = await getData(alice, payload_reference, 'play')
        assert.equal(answer.content_type, media?.playback_content_type, name)
        const whole = Buffer.from(await (await alice.fetch(answer.s3_url ?? '')).arrayBuffer())
        assert.ok(whole.length > 500 && !data?.equals(whole), name)
        const end = await alice.fetch(answer.s3_url ?? '', { headers: { range: 'bytes=-100' } })
        assert.equal(end.status, 206, name)
        assert.ok(whole.subarray(-100).equals(Buffer.from(await end.arrayBuffer())), name)
      }
    })

    it('draws the waveform of every payload with sound', async () => {
      const { api } = person('alice')
      for (const { name, payload_type, payload_reference } of recorded) {
        if (!['Call', 'Interview'].includes(payload_type)) continue
        await prepared(payload_reference)
        const { duration, peaks } = await api.readPayloadPeaks({ params: { payload_reference } })
        assert.ok(duration > 0.5, `${name} lasts ${duration} s`)
        assert.ok(peaks.length >= 20 && peaks.length % 2 === 0, `${name} has ${peaks.length} values`)
        assert.ok(Math.max(...peaks) > 5, `${name} is not silent`)
      }
    })
  })

  it('reports types a role does not permit and applies a revoked role at the next request', async () => {
    const sam = person('sam')
    const sms = named('an SMS').payload_reference
    const call = named('a call in M4A').payload_reference
    assert.equal((await getData(sam, call, 'play')).status, 'TypeNotAuthorised')
    assert.equal((await getData(sam, sms, 'play')).status, 'Ok')
    const { data } = await sam.api.readData({ query: { action: 'play', payload_references: [call, sms] } })
    assert.deepEqual(
      data.map(({ status }) => status),
      ['TypeNotAuthorised', 'Ok'],
    )
    const list = await page(await sam.api.listPayloads({}))
    assert.deepEqual(
      list.data.map(({ payload_reference }) => payload_reference),
      [sms],
    )
    await saveRole('Only messages', undefined)
    await assert.rejects(getData(sam, sms, 'play'), refusedWith(403))
    await assert.rejects(sam.api.listPayloads({}), refusedWith(403))
  })

  async function addPerson(user_reference: string, role: string): Promise<void> {
    const password_hash = await hashPassword(`${user_reference}-demo`, PUBLIC_COST)
    await server.ctx.db.globalWrite((tx) =>
      tx.query(
        `insert into oidc_people (client, user_reference, password_hash, roles, description)
         values ('acme', $1, $2, $3, 'For a test')`,
        [user_reference, password_hash, [role]],
      ),
    )
  }

  /** A role that plays some payload types, or its end (`undefined`), as saving roles does it. */
  async function saveRole(role_reference: string, payload_types: PayloadType[] | undefined): Promise<void> {
    const document: Role = {
      role_reference,
      permissions: [{ actions_matching: ['payloads:list', 'payloads:read', 'payloads:play'] }],
      payload_types: payload_types ?? [],
      cidr_ranges: [],
      alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
      is_alertable: false,
      is_system: false,
    }
    const { owner } = server.ctx.db
    if (payload_types === undefined)
      await owner.query('delete from roles where role_reference = $1', [role_reference])
    else
      await owner.query(
        `insert into roles select client_id, $1, $2, 0, 'test' from clients where client = 'acme'`,
        [role_reference, document],
      )
    await owner.query(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
  }
})

const getData = ({ api }: Person, payload_reference: string, action: 'play' | 'download') =>
  api.readPayloadData({ params: { payload_reference }, query: { action } })

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof ApiProblem && error.status === status

/** A page of a list, where `type=total` was not requested. */
function page<T extends object>(answer: T | { total: number }): Extract<T, { data: unknown }> {
  return answer as Extract<T, { data: unknown }>
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
