import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { devicePath, hasOwnPage } from '@custodia/contract'
import { deviceAt } from './device-at.ts'

test('a device named like a page is addressed by its reference parameter', () => {
  for (const device_reference of ['logs', 'metrics', 'users']) {
    assert.deepEqual(deviceAt(device_reference), {
      to: '/dashboard/devices',
      search: { reference: device_reference },
    })
    assert.equal(devicePath(device_reference), `/devices?reference=${device_reference}`)
  }
  for (const device_reference of ['Logs', 'users 2', '01J0A1?%']) {
    assert.deepEqual(deviceAt(device_reference), {
      to: '/dashboard/devices/$device_reference',
      params: { device_reference },
    })
    assert.equal(devicePath(device_reference), `/devices/${encodeURIComponent(device_reference)}`)
  }
})

test('every sibling page of the device pages is a reserved device name', () => {
  const routes = readFileSync(new URL('../../routes/fleet.ts', import.meta.url), 'utf8')
  const pages = [...routes.matchAll(/page\('devices\/([a-z]+)/g)].map(([, page = '']) => page)
  assert.ok(pages.length > 0)
  for (const page of pages) assert.equal(hasOwnPage(page), false, page)
})
