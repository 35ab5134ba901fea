import { ApiProblem } from '@custodia/client'
import {
  BATCH_LIMIT,
  type Mark,
  type MarkStatus,
  type NamedRecording,
  type PayloadMark,
} from '@custodia/contract'
import { heardShare } from '@custodia/domain/can'
import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { readAgain } from '../../../api/after-change.ts'
import { noticeDone, noticeFailure, noticeUndoable, noticeUndone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { loadProblems } from '../../../api/problem-phrases.ts'
import { profileQuery } from '../../../api/queries.ts'
import { queryClient, runMark } from '../../../api/query-client.ts'
import { formatDuration } from '../../../ui/time-format.ts'
import { flushPlayed } from '../player/use-played-parts.ts'
import { noteConversation, noteMarks } from '../queries.ts'
import { MARK_STYLES } from './marks.ts'

/** The user's last marks, which Z takes back. */
let last: readonly string[] = []

/** What the author of a mark had heard: `heard 0:03 of 0:40, 8 %`; undefined where it is not measured. */
export function heardText(seconds: number | null, length: number | null | undefined): string | undefined {
  if (seconds === null) return undefined
  const heard = formatDuration(Math.floor(seconds))
  const share = heardShare(seconds, length)
  if (share === undefined || length === null || length === undefined) return i18n._(msg`heard ${heard}`)
  const whole = formatDuration(Math.round(length))
  return i18n._(msg`heard ${heard} of ${whole}, ${share} %`)
}

/** Marks one recording, after the report of what was just played, and offers to undo it. */
export async function markOne(
  payload_reference: string,
  mark: Mark,
  more: { reason?: string; note?: string } = {},
): Promise<PayloadMark> {
  await flushPlayed(payload_reference)
  const made = await reviewApi
    .addMark({ params: { payload_reference }, body: { mark, ...more } })
    .catch((error: unknown) => {
      throw withMark(error, i18n._(MARK_STYLES[mark].word))
    })
  noteMarks([payload_reference], made)
  const heard = heardText(made.heard_seconds, made.length)
  const text = [i18n._(MARK_STYLES[made.mark].word), ...(heard ? [heard] : [])].join(' · ')
  offerUndo([made.mark_id], text, made.is_too_little)
  return made
}

/** A failure with the name of the refused mark, which the server's reason does not have. */
function withMark(error: unknown, marked: string): unknown {
  if (error instanceof ApiProblem) error.refused = i18n._(msg`Mark refused: ${marked}`)
  return error
}

/** Outcome of a bulk mark, per recording. */
export interface MarkOutcome {
  payload_reference: string
  status: MarkStatus
  /** What names it, where the list may not have its row. */
  seen?: NamedRecording['seen'] | undefined
}

/** Marks several recordings, or all that match the query of a list, and offers to undo those that succeeded. */
export async function markMany(
  chosen: { keys: readonly string[] } | { query: object; words?: string | undefined },
  mark: Mark,
): Promise<readonly MarkOutcome[]> {
  if ('keys' in chosen) await Promise.all(chosen.keys.map(flushPlayed))
  const { data, is_cut } = await reviewApi.markPayloads({
    query: 'query' in chosen ? chosen.query : {},
    body: {
      mark,
      ...('keys' in chosen
        ? { payload_references: [...chosen.keys] }
        : { all: true, ...(chosen.words !== undefined && { words: chosen.words }) }),
    },
  })
  const { user_reference } = await queryClient.fetchQuery(profileQuery)
  const marked = data.filter(({ mark_id }) => mark_id !== undefined)
  noteMarks(
    marked.map(({ payload_reference }) => payload_reference),
    { mark, marked_by: user_reference },
  )
  const made = marked.flatMap(({ mark_id }) => mark_id ?? [])
  if (is_cut) noticeDone(i18n._(msg`More recordings match: this is the limit of one operation.`))
  if (made.length > 0) offerUndo(made, countText(mark, made.length))
  return data
}

/** `Reviewed · 3 recordings`. */
const countText = (mark: Mark, count: number): string =>
  `${i18n._(MARK_STYLES[mark].word)} · ${i18n._(msg`${plural(count, { one: '# recording', other: '# recordings' })}`)}`

/**
 * Marks what the user has read of chosen conversations, or of all that match the query of their list, and offers to
 * undo it as one.
 * @param isOpen the page of the one message is open: its own mark is replaced, too
 */
export async function markConversations(
  chosen: { keys: readonly string[] } | { query: object },
  isOpen = false,
): Promise<void> {
  const { marks, unopened_count, own_count, is_cut } = await reviewApi.markConversations({
    query: 'query' in chosen ? chosen.query : {},
    body: {
      mark: 'reviewed',
      ...('keys' in chosen ? { payload_references: [...chosen.keys] } : { all: true }),
      ...(isOpen && { replaces_mark: true }),
    },
  })
  const { user_reference } = await queryClient.fetchQuery(profileQuery)
  const marked = marks.map((each) => each.payload_reference)
  noteMarks(marked, { mark: 'reviewed', marked_by: user_reference })
  const [only, ...others] = 'keys' in chosen ? chosen.keys : []
  if (only !== undefined && others.length === 0) noteConversation([...marked, only], unopened_count)
  else readAgain('listConversations')
  if (is_cut) noticeDone(i18n._(msg`More recordings match: this is the limit of one operation.`))
  const left = [
    unopened_count > 0 &&
      i18n._(msg`${plural(unopened_count, { one: '# message not opened', other: '# messages not opened' })}`),
    own_count > 0 &&
      i18n._(msg`${plural(own_count, { one: '# message of your own', other: '# messages of your own' })}`),
  ].filter((each) => each !== false)
  const count = marks.length
  if (count === 0)
    return noticeDone([i18n._(msg`No message that you opened is without a mark`), ...left].join(' · '))
  const done = i18n._(msg`${plural(count, { one: '# message', other: '# messages' })}`)
  offerUndo(
    marks.map(({ mark_id }) => mark_id),
    [i18n._(MARK_STYLES.reviewed.word), done, ...left].join(' · '),
  )
}

function offerUndo(mark_ids: readonly string[], message: string, isWarning = false): void {
  last = mark_ids
  noticeUndoable(message, { label: i18n._(msg`Undo (Z)`), run: () => runMark(undoMarks) }, isWarning)
}

/** Takes the user's last marks back; does nothing without any. */
export async function undoMarks(): Promise<void> {
  const mark_ids = [...last]
  last = []
  if (mark_ids.length > 0) await withdraw(mark_ids, noticeUndone)
}

/** Takes this mark of the user back, together with those of the same act. */
export const withdrawAct = (mark_id: string): Promise<void> =>
  last.includes(mark_id) ? undoMarks() : withdraw([mark_id])

/** Takes marks of the user back. */
export async function withdraw(mark_ids: readonly string[], notice = noticeDone): Promise<void> {
  try {
    let count = 0
    for (let i = 0; i < mark_ids.length; i += BATCH_LIMIT) {
      const batch = mark_ids.slice(i, i + BATCH_LIMIT)
      const { data } = await reviewApi.withdrawMarks({ body: { mark_ids: batch } })
      const withdrawn = data.filter((each) => each.status === 'Ok')
      for (const each of withdrawn) noteMarks([each.payload_reference], each)
      count += withdrawn.length
    }
    readAgain('listConversations')
    notice(i18n._(msg`${plural(count, { one: '# mark withdrawn', other: '# marks withdrawn' })}`))
  } catch (error) {
    noticeFailure(error)
  }
}

/** Problems of single marks for the outcomes of several. */
const REFUSALS: Partial<Record<MarkStatus, string>> = {
  NoMatchingRecord: 'not_found',
  NotPermitted: 'not_permitted',
  OwnRecording: 'own_recording',
  TooLittleHeard: 'too_little_heard',
}

/** Marks the current or selected rows of a list, and returns those that were not marked. */
export async function markRows(references: readonly string[], mark: Mark): Promise<readonly string[]> {
  const [only] = references
  if (references.length === 1 && only !== undefined) {
    await markOne(only, mark)
    return []
  }
  const refused = (await markMany({ keys: references }, mark)).filter(({ status }) => status !== 'Ok')
  // The notice of the mark counts what was marked; this one says why others were not.
  const code = REFUSALS[refused[0]?.status ?? 'Ok']
  if (code !== undefined) {
    await loadProblems()
    noticeFailure(withMark(new ApiProblem(409, { code }), countText(mark, refused.length)))
  }
  return refused.map(({ payload_reference }) => payload_reference)
}
