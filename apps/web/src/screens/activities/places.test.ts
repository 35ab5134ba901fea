import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_TABS, FLEET_TABS, LOG_SENTENCES, getTab, USER_TABS } from '@custodia/contract'
import { getList, PLACES } from './places.ts'

/** Actions on a device or person that belong to the page itself. */
const ON_THE_PAGE = [
  'devices.enrolments',
  'devices.history',
  'devices.holder',
  'devices.numbers',
  'users.devices',
  'users.enrolments',
  'users.numbers',
  'users.queue',
]

test('each action on a device or user has a tab or belongs to the page itself', () => {
  for (const action of Object.keys(LOG_SENTENCES)) {
    const [, noun, of] = /^((devices|users)\.\w+):/.exec(action) ?? []
    if (noun === undefined) continue
    const tab = getTab<string>(of === 'devices' ? DEVICE_TABS : USER_TABS, action)
    assert.equal(tab === undefined, ON_THE_PAGE.includes(noun), action)
  }
})

test('an entry links to the tab that it concerns', () => {
  const search = (name: string, of: string) => PLACES[name]?.target('d1', of).search
  assert.deepEqual(search('device_reference', 'devices.commands:send'), { tab: 'commands' })
  assert.deepEqual(search('device_reference', 'devices.telemetry:read'), { tab: 'telemetry' })
  assert.deepEqual(search('device_user_reference', 'users.capture_gaps:list'), { tab: 'capture' })
  assert.deepEqual(search('device_reference', 'devices:block'), {})
  assert.deepEqual(PLACES.device_reference?.target('users', 'devices.gps:list').search, {
    reference: 'users',
    tab: 'gps',
  })
})

test('an entry about a list of the account links to the page of that list', () => {
  for (const [tab, action] of Object.entries(FLEET_TABS))
    assert.deepEqual(getList(action), { to: '/dashboard/devices', search: { tab } }, action)
  for (const [action, { 'en-GB': stated }] of Object.entries(LOG_SENTENCES)) {
    const isOfAccount = stated.match(/\{\w+\}/g)?.join() === '{who}'
    // The parameter that names the subject.
    if (!isOfAccount) assert.equal(getList(action), undefined, action)
    // Provider reads of all clients have no page in a client.
    else if (/^(?!internal\.).*:list$/.test(action)) assert.ok(getList(action), action)
  }
})
