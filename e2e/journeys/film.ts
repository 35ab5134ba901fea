import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDemoPerson, tryPhone, type TryOptions } from '@custodia/simulator'
import { demo } from './test.ts'

const run = promisify(execFile)

/** Megabytes of the test video; `FILM_MEGABYTES=300 npm test e2e` uses a large one. */
const MEGABYTES = Number(process.env.FILM_MEGABYTES ?? 12)
export const RATE = 25

/** Makes a video like a phone's, with its index at the end, uploads it from a person's device and returns its reference. */
export async function recordFilm(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-film-'))
  try {
    const part = join(folder, 'part.mp4')
    const picture = `testsrc2=size=640x360:rate=${RATE},noise=alls=20:allf=t`
    const sound = 'sine=frequency=440:beep_factor=4'
    const input = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, '-t', '8']
    const coded = [
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-b:v',
      '4M',
      '-pix_fmt',
      'yuv420p',
      '-g',
      '50',
      '-c:a',
      'aac',
    ]
    await run('ffmpeg', ['-v', 'error', ...input, ...coded, part])
    const { size } = await stat(part)
    const times = Math.ceil((MEGABYTES * 1e6) / size)
    const path = join(folder, 'film.mp4')
    await run('ffmpeg', ['-v', 'error', '-stream_loop', String(times - 1), '-i', part, '-c', 'copy', path])
    return await record('video', { path, title: 'A walk through the site', seconds: times * 8 }, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Uploads a file from a person's device and returns its reference. The queue is below `folder`. */
export async function record(
  what: TryOptions['what'],
  file: NonNullable<TryOptions['file']>,
  folder: string,
): Promise<string> {
  const { url: server_url, dataDir } = demo()
  const { account, person } = await findDemoPerson(dataDir, ({ email }) => email.endsWith('@acme.example'))
  const now = Math.floor(Date.now() / 1000)
  return tryPhone({
    server_url,
    account,
    person,
    what,
    file,
    now,
    folder: join(folder, 'phone'),
    say: () => {},
  })
}
