import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { PayloadMeta } from '@custodia/contract'
import { demoPhone, messageOf, recordingOf } from '../testing/phones.ts'
import { openPerson } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'
import { noteSightings } from './store.ts'

const DAY = 86_400

describe('countries and carriers', () => {
  let server: TestServer
  let acme: number
  before(async () => {
    server = await testServer({}, { hasWorker: true })
    acme = await server.idOf('acme')
  })
  after(() => server?.close())

  const stored = async () => {
    const rows = await server.sql(
      `select client, country, carrier_name, first_seen, last_seen, s.xmin::text as version
       from carrier_sightings s join clients using (client_id) order by 1, 2, 3`,
    )
    return rows as {
      client: string
      carrier_name: string
      first_seen: number
      last_seen: number
      version: string
    }[]
  }
  const metadata = (at: number, carrier_name = 'Example Mobile') =>
    ({
      payload_time: at,
      payload_carrier_metadata: [{ carrier_name, phone_number: '+5511955550104', slot_index: 0 }],
    }) as unknown as PayloadMeta

  it('are collected from payloads of several clients, with and without data', async () => {
    const { dataDir } = server.ctx.config
    const through = (carrier_name: string, phone_number: string) => ({
      payload_carrier_metadata: [{ carrier_name, phone_number, slot_index: 0 }],
    })
    for (const [name, carrier] of [
      ['Harriet', 'Example Mobile'],
      ['Tom', 'EXAMPLE MOBILE'],
    ] as const) {
      const phone = await demoPhone(dataDir, server.url, name)
      await phone.authenticate()
      await phone.record(recordingOf('SMS', messageOf('hello'), through(carrier, '+447700900101')).recording)
      await phone.record(
        recordingOf('BlockedCall', undefined, through('Outra Rede', '+5511955550104')).recording,
      )
      await phone.sync()
    }
    await until('four sightings', stored, (rows) => rows.length === 4)
    const erin = await openPerson(server, 'admin', 'erin')
    const { data } = await erin.api.listCountries({})
    assert.deepEqual(
      data.map(({ country_name, carriers }) => [
        country_name,
        carriers.map(({ carrier_code, clients }) => [carrier_code, clients]),
      ]),
      [
        ['Brazil', [['OUTRA_REDE', ['acme', 'globex']]]],
        ['United Kingdom', [['EXAMPLE_MOBILE', ['acme', 'globex']]]],
      ],
    )
  })

  it('include countries whose calling code has three digits', async () => {
    await noteSightings(server.ctx, acme, {
      payload_time: server.ctx.now(),
      payload_carrier_metadata: [
        { carrier_name: 'Rede', phone_number: '+351912345678' },
        { carrier_name: 'Network', phone_number: '+353871234567' },
        { carrier_name: 'Shabaka', country: 'sa' },
      ],
    })
    const erin = await openPerson(server, 'admin', 'erin')
    const { data } = await erin.api.listCountries({})
    assert.deepEqual(
      data.filter(({ country_code }) => (country_code ?? 0) > 99).map(({ country_name }) => country_name),
      ['Ireland', 'Portugal', 'Saudi Arabia'],
    )
  })

  it('are written once per recording day and keep the oldest and newest date', async () => {
    const { ctx } = server
    const now = Math.floor(ctx.now() / DAY) * DAY
    const own = async () => {
      const row = (await stored()).find(({ carrier_name }) => carrier_name === 'Day by day')
      assert.ok(row)
      return row
    }
    await noteSightings(ctx, acme, metadata(now - 10 * DAY, 'Day by day'))
    const first = await own()
    await noteSightings(ctx, acme, metadata(now - 10 * DAY + 500, 'Day by day'))
    assert.deepEqual(await own(), first, 'the same day tells nothing new')
    await noteSightings(ctx, acme, metadata(now - 20 * DAY, 'Day by day'))
    await noteSightings(ctx, acme, metadata(now - 5 * DAY, 'Day by day'))
    const { first_seen, last_seen, version } = await own()
    assert.deepEqual([first_seen, last_seen], [now - 20 * DAY, now - 5 * DAY])
    await noteSightings(ctx, acme, metadata(now - 7 * DAY, 'Day by day'))
    assert.equal((await own()).version, version)
  })

  it('stop at 1,000 carrier names per client, and known names are still updated', async () => {
    const { ctx } = server
    await ctx.db.owner.query(
      `insert into carrier_sightings (client_id, country, carrier_name, first_seen, last_seen) select $1, 'BR', 'made up ' || n, 1, 1 from generate_series(1, 1000) n`,
      [acme],
    )
    const at = ctx.now()
    await noteSightings(ctx, acme, metadata(at, 'One more'))
    await noteSightings(ctx, acme, metadata(at, 'made up 7'))
    const rows = await stored()
    assert.ok(!rows.some(({ carrier_name }) => carrier_name === 'One more'))
    assert.equal(rows.find(({ carrier_name }) => carrier_name === 'made up 7')?.last_seen, at)
  })
})
