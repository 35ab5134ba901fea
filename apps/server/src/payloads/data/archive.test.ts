import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { readFixture, type ReadFixture, unzipped } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'

const CLIENT = '/client/v1/api'
const [ONE, TWO] = [randomBytes(700_000), randomBytes(90_000)]

describe('an archive of several payloads', () => {
  let fixture: ReadFixture
  let calls: string[] = []
  let photo = ''
  before(async () => {
    fixture = await readFixture()
    await fixture.acme.add(120, seeded(4))
    const of = (type: string) =>
      fixture.acme.payloads.filter((p) => p.payload_type === type && p.payload_state === 'Processed')
    calls = of('Call').map((p) => p.payload_reference)
    photo = of('Photo')[0]?.payload_reference ?? ''
    const [first = '', second = ''] = calls
    await fixture.store(first, 'original', 'audio/amr', ONE)
    await fixture.store(second, 'original', 'audio/amr', TWO)
    await fixture.store(photo, 'original', 'image/jpeg', TWO)
  })
  after(() => fixture.close())

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
    assert.equal(await downloads(first), 0, 'an unused address is no download')
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
