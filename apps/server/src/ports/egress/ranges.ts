import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Non-public IPv4 (IANA special-purpose registry, RFC 6890), and cloud services behind public numbers. */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's platform service
  '169.254.0.0/16', // link-local, with the clouds' metadata service
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments, Oracle's metadata service among them
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT relays
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** All routed IPv6 addresses; loopback, mapped, NAT64, unique local, link-local and multicast are outside. */
const ROUTED_V6 = '2000::/3'
const SPECIAL_V6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

const specialV4 = listOf(SPECIAL_V4, 'ipv4')
const specialV6 = listOf(SPECIAL_V6, 'ipv6')
const routedV6 = listOf([ROUTED_V6], 'ipv6')

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/**
 * Whether an IP address belongs to the public internet. False for other texts, such as addresses with a zone
 * (`fe80::1%eth0`).
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  if (isIPv4(address)) return !specialV4.check(address)
  return isIPv6(address) && routedV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}
