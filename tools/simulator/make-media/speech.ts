import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Conversation } from './conversations.ts'
import { ffmpeg, run } from './run.ts'

const rate = 16_000

/** `flite` speaks English, `espeak-ng` Brazilian Portuguese. Mono samples at 16 kHz, leading and trailing silence cut. */
export function say(
  text: string,
  language: 'en' | 'pt-BR',
  voice: 'man' | 'woman',
  scratch: string,
): Int16Array {
  const wav = path.join(scratch, 'turn.wav')
  if (language === 'en') run('flite', ['-voice', voice === 'man' ? 'rms' : 'slt', '-t', text, '-o', wav])
  else {
    const tone =
      voice === 'man'
        ? ['-v', 'pt-br+m3', '-p', '38', '-s', '152']
        : ['-v', 'pt-br+f4', '-p', '60', '-s', '148']
    run('espeak-ng', [...tone, '-w', wav, text])
  }
  const trim =
    'silenceremove=start_periods=1:start_threshold=-50dB,areverse,silenceremove=start_periods=1:start_threshold=-50dB,areverse'
  const raw = ffmpeg([
    '-i',
    wav,
    '-af',
    `${trim},dynaudnorm=p=0.7:m=6`,
    '-ac',
    '1',
    '-ar',
    String(rate),
    '-f',
    's16le',
    'pipe:1',
  ])
  return new Int16Array(new Uint8Array(raw).buffer)
}

export type SpokenTurn = { who: 'staff' | 'other'; text: string; start: number; duration: number }

/** Line noise that is the same on every run, so that the committed files can be made again. */
function noise(seed: number): () => number {
  let state = seed
  let low = 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    low = low * 0.9 + (state / 2 ** 32 - 0.5) * 0.1
    return low * 260
  }
}

/** Lays the turns one after the other on two channels (staff left), adds line noise and the telephone band; writes a WAV. */
export function recordCall(conversation: Conversation, file: string, scratch: string): SpokenTurn[] {
  const spoken: (SpokenTurn & { samples: Int16Array })[] = []
  let at = 0.5
  for (const turn of conversation.mutex) {
    at += turn.wait ?? 0.35
    const samples = say(turn.text, conversation.language, conversation.voices[turn.who], scratch)
    spoken.push({ who: turn.who, text: turn.text, start: at, duration: samples.length / rate, samples })
    at += samples.length / rate
  }
  const frames = Math.ceil((at + 0.6) * rate)
  const pcm = new Int16Array(frames * 2)
  const [left, right] = [noise(7), noise(11)]
  for (let i = 0; i < frames; i++) {
    pcm[2 * i] = left()
    pcm[2 * i + 1] = right()
  }
  for (const turn of spoken) {
    const offset = Math.round(turn.start * rate)
    const side = turn.who === 'staff' ? 0 : 1
    turn.samples.forEach((sample, i) => {
      const cell = 2 * (offset + i) + side
      pcm[cell] = Math.max(-32768, Math.min(32767, (pcm[cell] ?? 0) + sample * 0.8))
    })
  }
  const raw = path.join(scratch, 'call.raw')
  writeFileSync(raw, Buffer.from(pcm.buffer))
  const wide = conversation.encoding === 'amr-wb' || conversation.file.startsWith('interviews')
  const band = wide ? 'highpass=f=60,lowpass=f=7000' : 'highpass=f=300,lowpass=f=3400'
  ffmpeg([
    '-f',
    's16le',
    '-ar',
    String(rate),
    '-ac',
    '2',
    '-i',
    raw,
    '-af',
    `${band},alimiter=limit=0.9`,
    '-c:a',
    'pcm_s16le',
    file,
  ])
  const round = (seconds: number) => Math.round(seconds * 100) / 100
  return spoken.map(({ who, text, start, duration }) => ({
    who,
    text,
    start: round(start),
    duration: round(duration),
  }))
}
