type Place = '/sign-in' | '/dashboard' | '/internal/support'

let go: (place: Place) => Promise<void> = async () => {}

/** Gives code without a component a way to other pages. The router itself loads all of them, hence the loose tie. */
export function connectNavigation(navigate: (place: Place) => Promise<void>): void {
  go = navigate
}

export const goTo = (place: Place): Promise<void> => go(place)
