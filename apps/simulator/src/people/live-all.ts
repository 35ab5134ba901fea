import type { DemoAccount } from '../demo-account.ts'
import { MEDIA_FOLDER, openMedia } from '../media.ts'
import { type LiveOptions, liveOn } from './live.ts'

/** Simulates the people of these accounts one after another, to keep the server responsive. */
export async function liveAll({
  enrolments,
  ...options
}: Omit<LiveOptions, 'account' | 'person' | 'media'> & {
  enrolments: readonly DemoAccount[]
}): Promise<void> {
  const media = await openMedia(MEDIA_FOLDER)
  for (const account of enrolments)
    for (const person of account.people) await liveOn({ ...options, account, person, media })
}
