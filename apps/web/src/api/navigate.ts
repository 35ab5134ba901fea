type Place = '/sign-in' | '/dashboard' | '/internal/support'

let go: (place: Place) => Promise<void> = async () => {}

/** Navigation for code outside components. A registered function avoids an import of the router, which imports all pages. */
export function connectNavigation(navigate: (place: Place) => Promise<void>): void {
  go = navigate
}

export const goTo = (place: Place): Promise<void> => go(place)

/**
 * The only way out of the portal (spec section 8): opens http(s) addresses whose origin is in `allowed`.
 * @throws when the address is not allowed
 */
export function openExternal(
  address: string,
  allowed: readonly string[],
  go: (address: string) => void = (target) => location.assign(target),
): void {
  const target = URL.canParse(address) ? new URL(address) : undefined
  const isWeb = target?.protocol === 'https:' || target?.protocol === 'http:'
  if (target === undefined || !isWeb || !allowed.includes(target.origin)) {
    throw new Error(`External navigation refused: ${target?.origin ?? 'not an address'}`)
  }
  go(target.href)
}
