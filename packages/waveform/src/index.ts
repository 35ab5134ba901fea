export { type Drawn, interleaved, Waveform } from './waveform.ts'
