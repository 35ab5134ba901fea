import type { Peaks } from '@custodia/contract'
import { interleaved, Waveform } from '@custodia/waveform'

/** Enough to see speech, at a sixth of what the sound would take at its own rate. */
const RATE = 8000
/** Samples per channel between two chances for the page to react: half a minute. */
const SLICE = 30 * RATE

/**
 * Draws the waveform of what is being played, from the same bytes: fetched once more from the address that the player was given. It is
 * the same use, as are the many ranges that a player fetches (an address is audited once per network), within the same minute and
 * under the same rights; nothing is asked for that playing did not ask for.
 *
 * @throws when the address no longer works or the browser cannot decode all of it at once
 */
export async function drawSound(address: string, signal: AbortSignal): Promise<Peaks> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Error(`the data answered ${response.status}`)
  const decoder = new OfflineAudioContext(1, 1, RATE)
  return drawn(await decoder.decodeAudioData(await response.arrayBuffer()), signal)
}

/** The waveform of decoded sound, drawn a slice at a time. */
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
