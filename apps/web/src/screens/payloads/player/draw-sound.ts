import type { Peaks } from '@custodia/contract'
import { interleaved, Waveform } from '@custodia/waveform'

/** Sample rate: enough to show speech, at a sixth of the memory. */
const RATE = 8000
/** Samples per channel between yields to the event loop: half a minute. */
const SLICE = 30 * RATE

/**
 * Decodes the player's data URL into a waveform. The server audits a URL once per network, so this second fetch is the
 * same recorded use.
 * @throws when the URL has expired or the browser cannot decode it
 */
export async function drawSound(address: string, signal: AbortSignal): Promise<Peaks> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Error(`the data answered ${response.status}`)
  const decoder = new OfflineAudioContext(1, 1, RATE)
  return drawn(await decoder.decodeAudioData(await response.arrayBuffer()), signal)
}

/** Waveform of decoded audio, drawn in slices. */
export async function drawn(
  sound: Pick<AudioBuffer, 'sampleRate' | 'numberOfChannels' | 'length' | 'getChannelData'>,
  signal: AbortSignal,
): Promise<Peaks> {
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i))
  const waveform = new Waveform(sound.sampleRate, channels.length)
  for (let at = 0; at < sound.length; at += SLICE) {
    waveform.add(interleaved(channels.map((samples) => samples.subarray(at, at + SLICE))))
    await new Promise((resolve) => setTimeout(resolve))
    signal.throwIfAborted()
  }
  return waveform.draw()
}
