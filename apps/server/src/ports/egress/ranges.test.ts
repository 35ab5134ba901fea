import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPublicAddress } from './ranges.ts'

/** First and last address of every forbidden range, and encodings of such addresses. */
const FORBIDDEN = `
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.255
168.63.129.16 169.254.0.0 169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192
192.0.0.255 192.0.2.0 192.0.2.255 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0
198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.1.2.3 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:7f00:1:: 2002:a9fe:a9fe::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1 5f00::1
4000::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1 2606:4700::1111%1
localhost 2130706433 0x7f.1 0177.0.0.1 127.1 1.2.3 8.8.8.8:443 [::1] example.com
`
const PUBLIC = `
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2001:db7::1 2001:db9::1
2003::1 2606:4700:4700::1111 2a00:1450:4001:800::200e 3ffe:ffff::1
`
const listed = (text: string) => text.trim().split(/\s+/)

test('recognises public internet addresses and rejects all others', () => {
  for (const address of listed(FORBIDDEN)) assert.equal(isPublicAddress(address), false, address)
  assert.equal(isPublicAddress(''), false)
  for (const address of listed(PUBLIC)) assert.equal(isPublicAddress(address), true, address)
})

/** An independent implementation of RFC 1918, 3927, 5735 and 6598 with plain arithmetic. */
const isInside = (a: number, b: number): boolean =>
  a === 10 ||
  a === 127 ||
  a === 0 ||
  a >= 224 ||
  (a === 100 && b >= 64 && b < 128) ||
  (a === 169 && b === 254) ||
  (a === 172 && b >= 16 && b < 32) ||
  (a === 192 && b === 168)

test('rejects internal IPv4 addresses in every IPv6 form', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const v4 = [a, b, c, d].join('.')
      if (isInside(a, b)) assert.equal(isPublicAddress(v4), false, v4)
      const [high, low] = [a * 256 + b, c * 256 + d].map((each) => each.toString(16))
      const wrapped = ['::', '::ffff:', '64:ff9b::', '2002:', '::ffff:0:'].map(
        (prefix) => `${prefix}${high}:${low}`,
      )
      for (const each of wrapped) {
        const v6 = each.startsWith('2002:') ? `${each}::` : each
        assert.equal(isPublicAddress(v6), false, v6)
      }
    }),
    { numRuns: 5000 },
  )
})
