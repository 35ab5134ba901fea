/** Areas with their own catalogue: public pages, portal, administration, connections of an account, and on-demand parts. Each loads with its first page. */
export const AREAS = ['public', 'portal', 'administration', 'account', 'lazy'] as const
export type Area = (typeof AREAS)[number]

/** Path of an area's catalogue, below `locales`. */
export const getFolder = (area: Area): string => (area === 'portal' ? '' : `${area}/`)

const ADMINISTRATION = ['/dashboard/access', '/dashboard/account', '/dashboard/devices', '/internal']
const INSIDE = ['/dashboard', '/internal']

/** Areas that the page at a path needs. */
export function getAreas(path: string): Area[] {
  const isBelow = (roots: readonly string[]) => roots.some((root) => `${path}/`.startsWith(`${root}/`))
  if (isBelow(ADMINISTRATION)) return ['public', 'portal', 'administration']
  return isBelow(INSIDE) ? ['public', 'portal'] : ['public']
}
