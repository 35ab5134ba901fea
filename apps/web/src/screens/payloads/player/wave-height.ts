/** Height of the waveform in pixels; reserved while it loads. */
export const WAVE_HEIGHT = 96
