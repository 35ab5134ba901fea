import type { Sniffed } from './port.ts'

/** The brands of an ISO base media file (ISO/IEC 14496-12), the major one first; undefined when it is none. */
export function isobmffBrands(head: Buffer): string[] | undefined {
  if (head.length < 12) return undefined
  const type = head.toString('latin1', 4, 8)
  // Old QuickTime files have no `ftyp` and open with one of these.
  if (type === 'moov' || type === 'mdat' || type === 'wide') return ['qt  ']
  if (type !== 'ftyp') return undefined
  const end = Math.min(head.readUInt32BE(0), head.length)
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}

const HEIC = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])

export function sniffBrands(brands: string[]): Sniffed {
  const major = brands[0] ?? ''
  if (major === 'avif' || major === 'avis')
    return { content_type: 'image/avif', container: 'heic', extension: 'avif' }
  if (HEIC.has(major)) return { content_type: 'image/heic', container: 'heic', extension: 'heic' }
  if (/^M4[ABP] $/.test(major)) return { content_type: 'audio/mp4', container: 'mp4', extension: 'm4a' }
  if (major === 'qt  ') return { content_type: 'video/quicktime', container: 'mp4', extension: 'mov' }
  if (major.startsWith('3g2')) return { content_type: 'video/3gpp2', container: 'mp4', extension: '3g2' }
  if (major.startsWith('3g')) return { content_type: 'video/3gpp', container: 'mp4', extension: '3gp' }
  return { content_type: 'video/mp4', container: 'mp4', extension: 'mp4' }
}
