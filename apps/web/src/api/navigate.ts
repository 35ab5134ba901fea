type Place = '/sign-in' | '/dashboard' | '/internal/support'

type Navigate = (place: Place, isNewDocument?: boolean) => Promise<void>
let go: Navigate = async () => {}

/** Navigation for code outside components. A registered function avoids an import of the router, which imports all pages. */
export function connectNavigation(navigate: Navigate): void {
  go = navigate
}

/** @param isNewDocument loads the portal again, so that nothing that the user searched or wrote stays in its memory */
export const goTo: Navigate = (place, isNewDocument) => go(place, isNewDocument)

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
