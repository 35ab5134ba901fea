import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_TABS, LOG_SENTENCES, tabOf, USER_TABS } from '@custodia/contract'
import { PLACES } from './places.ts'

/** Of a device or a person, and told on the page itself. */
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

test('what a phone or a person has is told on a tab of theirs, or on their page', () => {
  for (const action of Object.keys(LOG_SENTENCES)) {
    const [, noun, of] = /^((devices|users)\.\w+):/.exec(action) ?? []
    if (noun === undefined) continue
    const tab = tabOf<string>(of === 'devices' ? DEVICE_TABS : USER_TABS, action)
    assert.equal(tab === undefined, ON_THE_PAGE.includes(noun), action)
  }
})

test('an entry leads to the tab that it is about', () => {
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
