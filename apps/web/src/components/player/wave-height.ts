/** Height of the waveform in pixels; its place is kept while it loads, so that nothing shifts. */
export const WAVE_HEIGHT = 96
