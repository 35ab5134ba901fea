/** CIDR ranges of accounts, roles and client apps (spec section 5): IPv4, one to four numbers, a slash, the prefix. */

export type CidrRange = {
  /** Network address as an unsigned 32-bit number, host bits cleared. */
  base: number
  /** Prefix length, 0 to 32. */
  bits: number
}

/** No list means any address; a list admits what one of its ranges holds. */
export type Networks = readonly CidrRange[] | 'any'

const CIDR = /^(\d{1,3}(?:\.\d{1,3}){0,3})\/(\d{1,2})$/
const NUMBER = /^(?:0|[1-9]\d*)$/
const MAPPED = /^(?:(?:0{1,4}:){5}|::(?:0{1,4}:){0,4})ffff:(.+)$/i
const MAPPED_HEX = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i

/**
 * Reads a range. Missing numbers are zero (`10/8` is `10.0.0.0/8`) and host bits are cleared. Numbers out of range,
 * and numbers with leading zeros, which some systems read as octal, give undefined.
 */
export function parseCidr(text: string): CidrRange | undefined {
  const [, address, prefix] = CIDR.exec(text) ?? []
  if (address === undefined || prefix === undefined || !NUMBER.test(prefix)) return undefined
  const bits = Number(prefix)
  const base = toNumber(address.split('.'))
  if (base === undefined || bits > 32) return undefined
  return { base: masked(base, bits), bits }
}

/** `10/8` → `10.0.0.0/8`; undefined when it is no range. */
export function normaliseCidr(text: string): string | undefined {
  const range = parseCidr(text)
  if (!range) return undefined
  const octets = [24, 16, 8, 0].map((shift) => (range.base >>> shift) & 255)
  return `${octets.join('.')}/${range.bits}`
}

/** Compiles a saved list. An invalid range admits no address; it never turns the list into "any". */
export function compileNetworks(cidr_ranges: readonly string[] | null | undefined): Networks {
  if (!cidr_ranges || cidr_ranges.length === 0) return 'any'
  return cidr_ranges.map(parseCidr).filter((range) => range !== undefined)
}

/** Whether the address may come in. IPv4 inside IPv6 (`::ffff:10.1.2.3`) counts as IPv4; other IPv6 never fits a list. */
export function admits(networks: Networks, ip: string): boolean {
  if (networks === 'any') return true
  const address = parseIpv4(ip)
  return address !== undefined && networks.some(({ base, bits }) => masked(address, bits) === base)
}

function parseIpv4(ip: string): number | undefined {
  const inner = MAPPED.exec(ip)?.[1] ?? ip
  const hex = inner === ip ? null : MAPPED_HEX.exec(inner)
  if (hex) return (parseInt(hex[1] ?? '', 16) * 0x10000 + parseInt(hex[2] ?? '', 16)) >>> 0
  const octets = inner.split('.')
  return octets.length === 4 ? toNumber(octets) : undefined
}

function toNumber(octets: readonly string[]): number | undefined {
  if (!octets.every((octet) => NUMBER.test(octet) && Number(octet) <= 255)) return undefined
  return [0, 1, 2, 3].reduce((sum, i) => sum * 256 + Number(octets[i] ?? 0), 0)
}

function masked(address: number, bits: number): number {
  return bits === 0 ? 0 : (address & (-1 << (32 - bits))) >>> 0
}

/** Whether `inner` surely admits no address that `outer` does not: each of its ranges lies in one range of `outer`. */
export function within(inner: Networks, outer: Networks): boolean {
  if (outer === 'any') return true
  if (inner === 'any') return false
  return inner.every((range) =>
    outer.some(({ base, bits }) => bits <= range.bits && masked(range.base, bits) === base),
  )
}

/** The addresses that both admit. */
export function intersection(a: Networks, b: Networks): Networks {
  if (a === 'any') return b
  if (b === 'any') return a
  // Two ranges are apart, or one lies in the other.
  const inner = [...a.filter((range) => within([range], b)), ...b.filter((range) => within([range], a))]
  return inner.filter(
    (range, i) => inner.findIndex(({ base, bits }) => base === range.base && bits === range.bits) === i,
  )
}
