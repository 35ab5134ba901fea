/** Map colours; WebGL has no style sheets. */
export interface MapColours {
  water: string
  land: string
  border: string
  label: string
  halo: string
  track: string
  past: string
  gap: string
  marker: string
  accuracy: string
  stop: string
  recording: string
  /** States of devices. */
  active: string
  silent: string
  alive: string
  blocked: string
  inactive: string
  unknown: string
}

export const MAP_COLOURS: Readonly<Record<'light' | 'dark', MapColours>> = {
  light: {
    water: '#dbe7f0',
    land: '#f6f5f1',
    border: '#b9b5a8',
    label: '#4a4f57',
    halo: '#ffffff',
    track: '#8fb3e6',
    past: '#1c5fc4',
    gap: '#8a5a00',
    marker: '#b4232a',
    accuracy: '#1c5fc433',
    stop: '#5b2fa8',
    recording: '#0b7a4b',
    active: '#0b7a4b',
    silent: '#b35900',
    alive: '#776a00',
    blocked: '#b4232a',
    inactive: '#6b7280',
    unknown: '#1c5fc4',
  },
  dark: {
    water: '#16202b',
    land: '#262b31',
    border: '#4d545e',
    label: '#c3c9d2',
    halo: '#14181d',
    track: '#3f5f8f',
    past: '#7db1ff',
    gap: '#e0b060',
    marker: '#ff7b7f',
    accuracy: '#7db1ff33',
    stop: '#c3a2ff',
    recording: '#5fdca0',
    active: '#5fdca0',
    silent: '#f0a04b',
    alive: '#d9cf5a',
    blocked: '#ff7b7f',
    inactive: '#9aa3af',
    unknown: '#7db1ff',
  },
}
