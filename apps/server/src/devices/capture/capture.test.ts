import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { CAPTURE_DAYS, type CaptureGap, DAY } from '@custodia/contract'
import { accessFixture, everyRow, getCode } from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'
import { getId } from '../../testing/test-context.ts'
import { watchSilence } from '../silence.ts'
import { watchCapture, watchCaptureOf } from './capture.ts'

const IMRAN = 'Imran Shah'
const BEATRIZ = 'Beatriz Ramos'

const fixture = await accessFixture()
after(() => fixture.close())
await fixture.sql(`update device_users set services = '{calls,sms}'`)

describe('capture gaps', () => {
  const signal = new AbortController().signal

  const activate = async (name: string) =>
    (await (await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name)).authenticate())
      .device_reference
  const look = async () => {
    await watchSilence.run(fixture.server.ctx, {}, signal)
    await watchCapture.run(fixture.server.ctx, {}, signal)
  }
  const listed = async (
    device_user_reference: string,
    query: { is_open?: boolean; from?: string; to?: string; is_folded?: boolean; services?: ['sms'] } = {},
  ) => {
    const page = await fixture.alice.api.listCaptureGapsOfUser({ params: { device_user_reference }, query })
    return (page as { data: CaptureGap[] }).data
  }
  const readText = (gaps: readonly CaptureGap[]) =>
    gaps.map((gap) => `${gap.service} ${gap.reason} ${gap.to_at === null ? 'open' : 'over'}`).toSorted()
  const readState = async (device_user_reference: string) => {
    const rows = await fixture.sql<{ stated: string }>(
      `select alert_state || ' ' || (alert_text->>'code') || ' ' || (alert_text->'values'->>'services') || ' ' || occurrence_count as stated
       from alerts where alert_key = 'device user capture ' || $1`,
      [device_user_reference],
    )
    return rows.map((row) => row.stated)
  }
  const see = (device_reference: string, ago: number) =>
    fixture.sql(
      `update devices set last_seen = floor(extract(epoch from now())) - $2 where device_reference = $1`,
      [device_reference, ago],
    )

  it('open after a week without a device, start at onboarding and end with a device', async () => {
    await look()
    assert.deepEqual(await listed(IMRAN), [])
    await fixture.sql(
      'update device_users set onboard_date = onboard_date - $2 where device_user_reference = $1',
      [IMRAN, 8 * DAY],
    )
    await look()
    await look()
    const open = await listed(IMRAN)
    assert.deepEqual(readText(open), ['calls no_device open', 'sms no_device open'])
    const { onboard_date } = await fixture.alice.api.readDeviceUser({
      params: { device_user_reference: IMRAN },
    })
    assert.deepEqual(new Set(open.map(({ from_at }) => from_at)), new Set([onboard_date]))
    assert.deepEqual(await readState(IMRAN), ['Triggered capture_no_device calls, sms 1'])
    for (const services of [undefined, ['sms'] as ['sms']]) {
      const folded = await listed(IMRAN, { is_folded: true, ...(services && { services }) })
      assert.deepEqual(
        folded.map((gap) => gap.services),
        [['calls', 'sms']],
      )
    }
    await activate('Imran')
    await look()
    assert.deepEqual(readText(await listed(IMRAN)), ['calls no_device over', 'sms no_device over'])
    assert.deepEqual(await readState(IMRAN), ['Cleared capture_no_device calls, sms 1'])
  })

  it('start no earlier than the last device was assigned or lost', async () => {
    const reference = await activate('João')
    const JOAO = 'João Almeida'
    await fixture.sql(
      'update device_users set onboard_date = onboard_date - $2 where device_user_reference = $1',
      [JOAO, 900 * DAY],
    )
    const [held] = await fixture.sql<{ from_at: number }>(
      `select from_at from device_history join devices using (client_id, device_id) where device_reference = $1`,
      [reference],
    )
    // The previous holder was silent with this device.
    await see(reference, 20 * DAY)
    await look()
    const silent = await listed(JOAO, { is_open: true })
    assert.deepEqual(readText(silent), ['calls silent open', 'sms silent open'])
    assert.deepEqual(new Set(silent.map(({ from_at }) => from_at)), new Set([held?.from_at]))
    await fixture.sql(
      `delete from capture_gaps where device_user_id in (select device_user_id from device_users where device_user_reference = $1)`,
      [JOAO],
    )
    await fixture.sql('update devices set blocked_at = $2 where device_reference = $1', [
      reference,
      Number(held?.from_at) + 1,
    ])
    await look()
    const without = await listed(JOAO, { is_open: true })
    assert.deepEqual(readText(without), ['calls no_device open', 'sms no_device open'])
    assert.ok(
      without.every(({ from_at }) => from_at >= Number(held?.from_at)),
      'recorded for years before',
    )
  })

  it('record their reason and follow one another without overlap', async () => {
    const reference = await activate('Imran')
    await see(reference, 2 * DAY)
    await look()
    const [silent] = await listed(IMRAN, { is_open: true })
    assert.equal(silent?.reason, 'silent')
    assert.equal(silent?.device_reference, reference)
    // The gap covers the time since the device was last seen, without the time without a device.
    const over = (await listed(IMRAN)).filter(({ to_at }) => to_at !== null)
    assert.equal(silent?.from_at, over[0]?.to_at)
    await fixture.sql(`update devices set unlicensed_services = '{calls}' where device_reference = $1`, [
      reference,
    ])
    await look()
    assert.deepEqual(readText(await listed(IMRAN, { is_open: true })), [
      'calls unlicensed open',
      'sms silent open',
    ])
    assert.match((await readState(IMRAN)).join(), /^Triggered capture_unlicensed calls /)
    await fixture.sql(`update devices set unlicensed_services = '{}' where device_reference = $1`, [
      reference,
    ])
    await see(reference, 0)
    await look()
    assert.deepEqual(await listed(IMRAN, { is_open: true }), [])
    assert.match((await readState(IMRAN)).join(), /^Cleared/)
    const [overlaps] = await fixture.sql<{ count: number }>(
      `select count(*)::int from capture_gaps a join capture_gaps b using (client_id, device_user_id, service)
       where a.gap_id < b.gap_id and a.from_at < coalesce(b.to_at, 1e12) and b.from_at < coalesce(a.to_at, 1e12)`,
    )
    assert.equal(overlaps?.count, 0)
  })

  it('end with offboarding or a removed service, and follow the user to another group', async () => {
    const reference = await activate('Beatriz')
    await see(reference, 2 * DAY)
    await look()
    assert.equal((await listed(BEATRIZ, { is_open: true })).length, 2)
    await fixture.sql(`update device_users set services = '{sms}' where device_user_reference = $1`, [
      BEATRIZ,
    ])
    await look()
    assert.deepEqual(readText(await listed(BEATRIZ, { is_open: true })), ['sms silent open'])
    await fixture.sql(
      `update device_users set group_id = (select group_id from groups where group_reference = 'North') where device_user_reference = $1`,
      [BEATRIZ],
    )
    await look()
    const north = await fixture.personWith(['Fleet Administrator'], ['North'])
    const page = (await north.api.listCaptureGaps({
      query: { is_open: true, device_user_reference: BEATRIZ },
    })) as { data: CaptureGap[] }
    assert.deepEqual(
      page.data.map(({ group, service }) => [group, service]),
      [['North', 'sms']],
    )
    const all = (await north.api.listCaptureGaps({})) as { data: CaptureGap[] }
    assert.ok(all.data.every(({ group }) => group === 'North'))
    await fixture.sql(`update device_users set is_active = false where device_user_reference = $1`, [BEATRIZ])
    await look()
    assert.deepEqual(await listed(BEATRIZ, { is_open: true }), [])
  })

  it('follow the status that the device reports', async () => {
    const phone = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
    const HARRIET = 'Harriet Cole'
    const { device_reference } = await phone.authenticate()
    const says: [object, string[], string][] = [
      [
        { services: { calls: false, sms: true } },
        ['calls service_off open'],
        'Triggered capture_service_off calls 1',
      ],
      [{ is_sms_allowed: false }, ['sms not_allowed open'], 'Triggered capture_not_allowed sms 2'],
      [
        { is_device_admin: false },
        ['calls no_device_admin open', 'sms no_device_admin open'],
        'Triggered capture_no_device_admin calls, sms 3',
      ],
      [
        { sims: [{ slot_index: 0, sim_state: 'absent' }] },
        ['calls no_sim open', 'sms no_sim open'],
        'Triggered capture_no_sim calls, sms 4',
      ],
      [
        { sims: [{ slot_index: 0, sim_state: 'ready' }], is_device_admin: true },
        [],
        'Cleared capture_no_sim calls, sms 4',
      ],
    ]
    for (const [facts, gaps, alert] of says) {
      await fixture.sql(
        `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, facts, received_at)
         select client_id, device_id, floor(extract(epoch from now())) - 60, 1, 'x', 1, group_id, $2, 1 from devices where device_reference = $1
         on conflict (client_id, device_id) do update set facts = excluded.facts`,
        [device_reference, facts],
      )
      await look()
      assert.deepEqual(readText(await listed(HARRIET, { is_open: true })), gaps)
      assert.deepEqual(await readState(HARRIET), [alert])
    }
  })

  it('are listed for each month that they overlap', async () => {
    await fixture.sql(
      `update capture_gaps set from_at = extract(epoch from timestamp '2025-01-20')::bigint,
         to_at = extract(epoch from timestamp '2025-02-10')::bigint where device_user_id = (
           select device_user_id from device_users where device_user_reference = $1) and service = 'calls'`,
      [BEATRIZ],
    )
    const months: [string, string, number][] = [
      ['2024-12-01', '2024-12-31', 0],
      ['2025-01-01', '2025-01-31', 1],
      ['2025-02-01', '2025-02-28', 1],
      ['2025-02-10', '2025-02-28', 0],
    ]
    for (const [from, to, count] of months) {
      const found = (await listed(BEATRIZ, { from, to })).filter(({ service }) => service === 'calls')
      assert.equal(found.length, count, from)
    }
  })

  it('are counted for each of the last days within the caller’s groups, once for all services', async () => {
    const noon = (back: number) => Math.floor(Date.now() / 86_400_000) * DAY - back * DAY + DAY / 2
    await fixture.sql(
      `update capture_gaps set from_at = 1, to_at = 2;
       update capture_gaps set from_at = ${noon(3)}, to_at = ${noon(1)}, reason = 'no_device', device_id = null,
         group_id = (select group_id from capture_gaps order by gap_id desc limit 1) where gap_id in (
         select gap_id from capture_gaps join device_users using (client_id, device_user_id)
         where device_user_reference = '${BEATRIZ}' order by gap_id desc limit 2)`,
    )
    const { days } = await fixture.alice.api.countCaptureGaps({})
    assert.deepEqual(
      days.slice(-5).map(({ open }) => open),
      [0, 1, 1, 0, 0],
    )
    assert.equal(days.length, CAPTURE_DAYS)
    const south = await fixture.personWith(['Fleet Administrator'], ['South'])
    const seen = (await south.api.countCaptureGaps({})).days
    assert.ok(seen.every(({ open }) => open === 0))
  })

  it('are recorded for all users in any batch size and need a permission to read', async () => {
    await fixture.sql(`update device_users set onboard_date = 1, is_active = true`)
    await fixture.sql('update devices set is_deactivated = true')
    const acme = await getId(fixture.server.ctx.db, 'acme')
    await watchCaptureOf(fixture.server.ctx, acme, signal, 2)
    const [row] = await fixture.sql<{ open: number; ordered: number }>(
      `select (select count(*)::int from capture_gaps where client_id = $1 and to_at is null) as open,
         (select sum(cardinality(services))::int from device_users where client_id = $1) as ordered`,
      [acme],
    )
    assert.equal(row?.open, row?.ordered)
    const { api } = fixture.alice
    const page = await api.listCaptureGaps({ query: { limit: 1, from: '2020-01-01' } })
    const { last_key } = page as { last_key?: string }
    assert.ok(last_key)
    for (const query of [{}, { from: '2021-01-01' }])
      assert.equal(
        await getCode(api.listCaptureGaps({ query: { ...query, limit: 1, last_key } })),
        'invalid_cursor',
      )
    assert.ok(await api.listCaptureGaps({ query: { limit: 1, from: '2020-01-01', last_key } }))
    const listed = (order: 'newest' | 'oldest') =>
      everyRow<CaptureGap>((paging) => api.listCaptureGaps({ query: { limit: 3, order, ...paging } }))
    assert.deepEqual(await listed('oldest'), (await listed('newest')).toReversed())
    const reviewer = await fixture.personWith(['Regulatory Producer'])
    assert.equal(await getCode(reviewer.api.listCaptureGaps({})), 'not_permitted')
    const north = await fixture.personWith(['Fleet Administrator'], ['North'])
    const ofJoao = { params: { device_user_reference: 'João Almeida' }, query: {} }
    assert.equal(await getCode(north.api.listCaptureGapsOfUser(ofJoao)), 'not_found')
  })
})
