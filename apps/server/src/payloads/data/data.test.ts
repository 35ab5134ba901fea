import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readFixture, type ReadFixture, unzipped } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { until } from '../../testing/waits.ts'

const fixture = await readFixture()
after(() => fixture.close())

const BYTES = randomBytes(1_500_000)

describe('payload data', () => {
  let call = ''
  let blocked = ''
  before(async () => {
    await fixture.acme.add(80, seeded(4))
    await fixture.other.add(3, seeded(5))
    const reference = (type: string, state: string) =>
      fixture.acme.payloads.find((p) => p.payload_type === type && p.payload_state === state)
        ?.payload_reference ?? ''
    call = reference('Call', 'Processed')
    blocked = reference('BlockedCall', 'Processed')
    await fixture.store(call, 'original', 'audio/amr', BYTES, { is_playable: false })
    await fixture.store(call, 'playback', 'audio/mp4', BYTES.subarray(0, 5000), { is_playable: true })
  })

  async function address(user: string, action: string, reference = call): Promise<string> {
    const { body } = await fixture.get(user, `${CLIENT}/payloads/${reference}/data?action=${action}`)
    assert.equal(body.status, 'Ok', JSON.stringify(body))
    return new URL(String(body.s3_url)).pathname
  }
  const fetchBytes = (
    user: string,
    url: string,
    headers: Record<string, string> = {},
    method: 'GET' | 'HEAD' = 'GET',
  ) => fixture.app.inject({ method, url, headers: { 'x-user': user, ...headers } })

  it('is the rendition to play, and the original file to download', async () => {
    const played = await fetchBytes('ann', await address('ann', 'play'))
    assert.equal(played.headers['content-type'], 'audio/mp4')
    assert.match(String(played.headers['content-disposition']), /^inline/)
    assert.deepEqual(played.rawPayload, BYTES.subarray(0, 5000))
    const saved = await fetchBytes('ann', await address('ann', 'download'))
    assert.equal(saved.statusCode, 200)
    assert.deepEqual(saved.rawPayload, BYTES)
    assert.equal(saved.headers['content-disposition'], `attachment; filename="${call}.amr"`)
    assert.equal(saved.headers['cache-control'], 'no-store')
    assert.equal(saved.headers['x-content-type-options'], 'nosniff')
    assert.equal(saved.headers['content-security-policy'], "sandbox; default-src 'none'")
    assert.equal(saved.headers['cross-origin-resource-policy'], 'same-origin')
  })

  it('is returned in exact byte ranges', async () => {
    const url = await address('ann', 'download')
    const size = BYTES.length
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=-1', size - 1, size],
      ['bytes=-70000', size - 70_000, size],
      ['bytes=262000-263000', 262_000, 263_001],
      ['bytes=1400000-', 1_400_000, size],
      [`bytes=5-${size + 99}`, 5, size],
    ]
    for (const [range, start, end] of ranges) {
      const answer = await fetchBytes('ann', url, { range })
      assert.equal(answer.statusCode, 206, range)
      assert.equal(answer.headers['content-range'], `bytes ${start}-${end - 1}/${size}`)
      assert.equal(answer.headers['content-length'], String(end - start))
      assert.ok(answer.rawPayload.equals(BYTES.subarray(start, end)), range)
    }
    const beyond = await fetchBytes('ann', url, { range: `bytes=${size}-` })
    assert.equal(beyond.statusCode, 416)
    assert.equal(beyond.headers['content-range'], `bytes */${size}`)
    const ignored: Record<string, string>[] = [
      { range: 'bytes=0-1,4-5' },
      { range: 'bytes=0-1', 'if-range': '"x"' },
    ]
    for (const headers of ignored)
      assert.equal((await fetchBytes('ann', url, headers)).rawPayload.length, size)
    const head = await fetchBytes('ann', url, {}, 'HEAD')
    assert.deepEqual(
      [head.statusCode, head.headers['content-length'], head.rawPayload.length],
      [200, String(size), 0],
    )
  })

  it('is available only to its session, for one minute, while session and payload exist', async () => {
    const url = await address('ann', 'download')
    const status = async (user: string, path = url) => (await fetchBytes(user, path)).statusCode
    assert.equal(await status('ann'), 200)
    assert.equal(await status('ben'), 403, 'another person')
    assert.equal(await status('eve@other'), 403)
    for (let i = 7; i < url.length; i += 5) {
      const letter = url[i] === 'A' ? 'B' : 'A'
      const forged = `${url.slice(0, i)}${letter}${url.slice(i + 1)}`
      assert.equal(await status('ann', forged), 403, 'forged')
    }
    await fixture.setState(call, 'Deleted')
    assert.equal(await status('ann'), 403, 'deleted meanwhile')
    await fixture.setState(call, 'Processed')
    const owner = fixture.ctx.db.owner
    await owner.query(`update portal_sessions set ended_at = 1 where session_id = 'session ann'`)
    assert.equal(await status('ann'), 403, 'signed out')
    await owner.query(`update portal_sessions set ended_at = null where session_id = 'session ann'`)
    assert.equal(await status('ann'), 200)
    fixture.advance(59)
    assert.equal(await status('ann'), 200)
    fixture.advance(1)
    assert.equal(await status('ann'), 403, 'a minute later')
  })

  it('is refused with a reason to users who may see the payload', async () => {
    fixture.roles.set('clerk', ['Fleet Administrator'])
    fixture.roles.set('auditor', ['Auditor'])
    const single = async (user: string, reference: string) => {
      const { status, body } = await fixture.get(user, `${CLIENT}/payloads/${reference}/data?action=play`)
      return body.status ?? status
    }
    assert.equal(await single('ann', blocked), 'NoS3Url')
    assert.equal(await single('ann', 'x'.repeat(26)), 404)
    assert.equal(await single('eve@other', call), 404)
    assert.equal(await single('clerk', call), 403)
    assert.equal(await single('auditor', call), 403)
    const foreign = fixture.other.payloads[0]?.payload_reference ?? ''
    const list = [call, blocked, foreign].map((each, i) => `payload_references[${i}]=${each}`).join('&')
    const { body } = await fixture.get('ann', `${CLIENT}/data?action=play&${list}`)
    assert.deepEqual(
      (body.data as { status: string }[]).map((each) => each.status),
      ['Ok', 'NoS3Url', 'NoMatchingRecord'],
    )
  })

  it('is cut at a changed byte, releases nothing of that segment, and raises an alert', async () => {
    const p = fixture.acme.payloads.find(
      (each) => each.payload_type === 'Photo' && each.payload_state === 'Processed',
    )
    const reference = p?.payload_reference ?? ''
    const { object_key } = await fixture.store(reference, 'original', 'image/jpeg', BYTES, {
      is_playable: true,
    })
    const path = getFile(fixture, object_key)
    const sealed = readFileSync(path)
    sealed[600_000] = (sealed[600_000] ?? 0) ^ 1
    writeFileSync(path, sealed)
    const port = await listen(fixture)
    const url = await address('ann', 'play', reference)
    const fine = await receive(port, url, { range: 'bytes=0-1000' })
    assert.ok(fine.body.equals(BYTES.subarray(0, 1001)))
    const cut = await receive(port, url, {})
    assert.equal(cut.is_whole, false)
    assert.ok(cut.body.length < 600_000 && BYTES.subarray(0, cut.body.length).equals(cut.body))
    const raised = async () =>
      (await fixture.ctx.db.owner.query<{ alert_key: string }>('select alert_key from alerts')).rows
    const alerts = await until('an alert', raised, ({ length }) => length > 0)
    assert.deepEqual(alerts, [{ alert_key: `damaged ${reference}` }])
  })

  it('leaves no open file handle when the browser disconnects', async () => {
    const big = fixture.acme.payloads.find(
      (each) => each.payload_type === 'Video' && each.payload_state === 'Processed',
    )
    const reference = big?.payload_reference ?? ''
    const { object_key } = await fixture.store(reference, 'original', 'video/mp4', randomBytes(30_000_000), {
      is_playable: true,
    })
    const path = getFile(fixture, object_key)
    const port = await listen(fixture)
    for (let i = 0; i < 5; i++) {
      const url = await address('ann', 'play', reference)
      await new Promise<void>((resolve, reject) => {
        const request = get({ port, path: url, headers: { 'x-user': 'ann' } }, (response) => {
          response.once('data', () => {
            request.destroy()
            resolve()
          })
        }).on('error', reject)
      })
    }
    await until(
      'no open handle',
      () => openHandles(path),
      (handles) => handles === 0,
    )
  })
})

async function listen({ app }: ReadFixture): Promise<number> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

function receive(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ body: Buffer; is_whole: boolean }> {
  return new Promise((resolve, reject) => {
    get({ port, path, headers: { 'x-user': 'ann', ...headers } }, (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      const end = (is_whole: boolean) => resolve({ body: Buffer.concat(chunks), is_whole })
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => end(true))
        .on('error', () => end(false))
    }).on('error', reject)
  })
}

/** The path of an object in the store. */
function getFile({ ctx }: ReadFixture, object_key: string): string {
  const root = join(ctx.config.dataDir, 'objects')
  const name = object_key.split('/').at(-1) ?? ''
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.includes(name))
  if (!found) throw new Error(`no file of ${object_key}`)
  return join(root, found)
}

function openHandles(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  }).length
}

const CLIENT = '/client/v1/api'
const [ONE, TWO] = [randomBytes(700_000), randomBytes(90_000)]

describe('an archive of several payloads', () => {
  let calls: string[] = []
  let photo = ''
  before(async () => {
    const known = fixture.acme.payloads.length
    await fixture.acme.add(120, seeded(4))
    const of = (type: string) =>
      fixture.acme.payloads
        .slice(known)
        .filter((p) => p.payload_type === type && p.payload_state === 'Processed')
    calls = of('Call').map((p) => p.payload_reference)
    photo = of('Photo')[0]?.payload_reference ?? ''
    const [first = '', second = ''] = calls
    await fixture.store(first, 'original', 'audio/amr', ONE)
    await fixture.store(second, 'original', 'audio/amr', TWO)
    await fixture.store(photo, 'original', 'image/jpeg', TWO)
  })

  const ask = async (user: string, references: string[]) => {
    const query = references.map((reference, i) => `payload_references[${i}]=${reference}`).join('&')
    const { status, body } = await fixture.get(user, `${CLIENT}/data/archive?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body as { data: { status: string }[]; s3_url?: string }
  }
  const fetchArchive = (user: string, url = '') =>
    fixture.app.inject({ method: 'GET', url: new URL(url).pathname, headers: { 'x-user': user } })
  const downloads = async (reference: string) => {
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${reference}/audit`)
    return (body.records as { action: string }[]).filter(({ action }) => action === 'payloads:download')
      .length
  }

  it('contains the permitted payloads, audits each, and lists a status for every payload', async () => {
    const [first = '', second = '', bare = ''] = calls
    const missing = 'z'.repeat(26)
    const { data, s3_url } = await ask('ann', [first, missing, second, bare])
    assert.deepEqual(
      data.map(({ status }) => status),
      ['Ok', 'NoMatchingRecord', 'Ok', 'NoS3Url'],
    )
    const head = await fixture.app.inject({
      method: 'HEAD',
      url: new URL(s3_url ?? '').pathname,
      headers: { 'x-user': 'ann' },
    })
    assert.equal(head.statusCode, 404)
    assert.equal(await downloads(first), 0, 'an unused address is no download, and neither is HEAD')
    const answer = await fetchArchive('ann', s3_url)
    assert.equal(answer.headers['content-type'], 'application/zip')
    assert.match(String(answer.headers['content-disposition']), /^attachment/)
    const files = await unzipped(answer.rawPayload)
    assert.deepEqual([...files.keys()], [`${first}.amr`, `${second}.amr`, 'contents.csv'])
    assert.ok(files.get(`${first}.amr`)?.equals(ONE))
    assert.ok(files.get(`${second}.amr`)?.equals(TWO))
    const lines = String(files.get('contents.csv')).split('\r\n')
    const digest = createHash('sha256').update(ONE).digest('hex')
    assert.ok(lines.includes(`${first},Ok,${first}.amr,${ONE.length},${digest}`))
    assert.ok(lines.includes(`${missing},NoMatchingRecord,,,`))
    assert.ok(lines.includes(`${bare},NoS3Url,,,`))
    assert.deepEqual([await downloads(first), await downloads(second), await downloads(bare)], [1, 1, 0])
  })

  it('can be downloaded only by the user who requested it, for one minute', async () => {
    const { s3_url } = await ask('ann', calls.slice(0, 2))
    assert.equal((await fetchArchive('bob', s3_url)).statusCode, 403)
    // Archive addresses and payload addresses are not interchangeable.
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${calls[0]}/data?action=download`)
    const token = String(body.s3_url).split('/').at(-1)
    assert.equal((await fetchArchive('ann', `http://x/media/archives/${token}`)).statusCode, 403)
    assert.equal((await fetchArchive('ann', String(s3_url).replace('/archives', ''))).statusCode, 403)
    fixture.advance(61)
    assert.equal((await fetchArchive('ann', s3_url)).statusCode, 403)
  })

  it('omits a payload whose data key is destroyed before the download', async () => {
    const { s3_url } = await ask('ann', [calls[0] ?? '', photo])
    await fixture.ctx.db.owner.query(
      'update payload_objects o set wrapped_dek = null from payloads p where p.payload_id = o.payload_id and p.payload_reference = $1',
      [photo],
    )
    const files = await unzipped((await fetchArchive('ann', s3_url)).rawPayload)
    assert.deepEqual([...files.keys()], [`${calls[0]}.amr`, 'contents.csv'])
    assert.match(String(files.get('contents.csv')), new RegExp(`${photo},NoS3Url`))
  })

  it('has no address when no payload may be downloaded', async () => {
    const { data, s3_url } = await ask('eve@other', calls.slice(0, 2))
    assert.deepEqual(
      [data.map(({ status }) => status), s3_url],
      [['NoMatchingRecord', 'NoMatchingRecord'], undefined],
    )
  })
})
