import { localStorageColorSchemeManager } from '@mantine/core'

/** The inline script of index.html reads the same key before the first paint. */
export const colourModeStore = localStorageColorSchemeManager({ key: 'custodia.colour_mode' })
