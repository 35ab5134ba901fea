type Place = '/sign-in' | '/dashboard' | '/internal/support'

let go: (place: Place) => Promise<void> = async () => {}

/** Navigation for code outside components. A registered function avoids an import of the router, which imports all pages. */
export function connectNavigation(navigate: (place: Place) => Promise<void>): void {
  go = navigate
}

export const goTo = (place: Place): Promise<void> => go(place)
