/** Many tabs of one browser that refresh over a working day, at two processes; and thieves that come too late. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { LONG } from '../testing/long.ts'
import { signInFixture } from '../testing/sign-in-fixture.ts'
import { GRACE_SECONDS } from './cookies.ts'

const TABS = 50
const ROUNDS = LONG ? 200 : 10
/** Seconds from one round to the next: all rounds fit into the twelve hours of a session, and a check at the provider falls due. */
const APART = 210

const portal = await signInFixture()
after(() => portal.close())

const sql = async <Row>(text: string, values: unknown[] = []) => {
  const { rows } = await portal.ctx.db.globalWrite((tx) => tx.query<Row & object>(text, values))
  return rows
}

test(`${TABS} tabs refresh ${ROUNDS} times without a false sign-out, and every late replay ends the session`, async () => {
  const another = await portal.startAnother()
  const [here, there] = [portal.browser(), another.browser()]
  const { refresh_token, id_token } = await here.signIn('acme', 'alice')
  const session_id = String(decodeJwt(id_token).sid)
  const [name, first] = here.cookie('custodia-')
  const cookies = [first.value]
  const jar = () => cookies.at(-1) ?? ''
  const refused: string[] = []

  /** A tab's refresh with that cookie at either process; all tabs share one cookie jar. */
  async function refresh(tab: number, value: string): Promise<string> {
    const process = tab % 2 === 0 ? here : there
    const query = new URLSearchParams({ refresh_token })
    const headers = { cookie: `${name}=${value}` }
    const response = await process.send(`/admin/v1/api/acme/exchange?${query}`, { headers })
    const body = (await response.json()) as { id_token?: string }
    if (response.status !== 200) refused.push(`tab ${tab}: ${JSON.stringify(body)}`)
    const given = /^[^=]+=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? '')?.[1]
    if (given !== undefined && !cookies.includes(given)) cookies.push(given)
    return body.id_token ?? ''
  }

  for (let round = 0; round < ROUNDS; round++) {
    portal.advance(APART - GRACE_SECONDS)
    const before = jar()
    const tabs = Array.from({ length: TABS }, (_, tab) => tab)
    // Half the tabs at once, a quarter within the grace period with old cookies, the last shortly before its end.
    const [tokens] = await Promise.all([
      Promise.all(tabs.slice(0, 25).map((tab) => refresh(tab, before))),
      refresh(25, before),
    ])
    portal.advance(GRACE_SECONDS / 2)
    await Promise.all(tabs.slice(26, 38).map((tab) => refresh(tab, tab % 3 === 0 ? before : jar())))
    portal.advance(GRACE_SECONDS / 2)
    await Promise.all(tabs.slice(38).map((tab) => refresh(tab, tab % 3 === 0 ? before : jar())))
    if (round % 20 === 0) assert.equal((await there.profile('acme', tokens[0] ?? '')).status, 200)
    assert.deepEqual(refused, [], `round ${round}`)
  }
  assert.equal(cookies.length, ROUNDS + 1, 'one rotation for each round, whatever the tabs did')
  const [asked] = await sql<{ checked_at: number; created_at: number }>(
    'select checked_at, created_at from portal_sessions where session_id = $1',
    [session_id],
  )
  assert.ok(
    (asked?.checked_at ?? 0) > (asked?.created_at ?? 0) + (ROUNDS - 1) * APART - 2000,
    'the provider was asked all along',
  )

  portal.advance(GRACE_SECONDS + 1)
  const [current = '', ...replaced] = cookies.toReversed()
  const late = async (value: string, tab: number) => {
    const thief = tab % 2 === 0 ? portal.browser() : another.browser()
    return thief.refresh('acme', refresh_token, { headers: { cookie: `${name}=${value}` } })
  }
  for (const [tab, value] of replaced.entries()) {
    const { status, body } = await late(value, tab)
    assert.deepEqual([status, body.code], [401, 'session_ended'], `cookie ${ROUNDS - 1 - tab}`)
    const [session] = await sql(
      'select end_reason from portal_sessions where session_id = $1 and ended_at is not null',
      [session_id],
    )
    assert.deepEqual(session, { end_reason: 'cookie_reused' }, `cookie ${ROUNDS - 1 - tab}`)
    if (tab % 50 === 0) assert.equal((await late(current, tab)).status, 401, 'the whole family has ended')
    // Open again, so that the next replay is refused because of the replay.
    await sql('update portal_sessions set ended_at = null, end_reason = null where session_id = $1', [
      session_id,
    ])
  }
  assert.equal((await late(current, 0)).status, 200, 'only the replays were refused')
})
