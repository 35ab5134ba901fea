import type { KeptPayloads, KeptRecords } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { periodWords } from '../../components/words/period-words.ts'
import { RETENTION_BLOCK_WORDS } from '../../components/words/retention-block-words.ts'
import { formatTime, viewerZone } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { BASIS_WORDS } from '../retention/retention-words.ts'

const getDay = (i18n: I18n, at: number) => formatTime(at, i18n.locale, viewerZone(), 'day')

/** Why recordings of one kind are retained, one sentence each: policy, law, holds, and pending conditions. */
export function reasonKept(i18n: I18n, { rule, minimum, held, waits, deleted }: KeptPayloads): string[] {
  const sentences: string[] = []
  if (rule === null) sentences.push(i18n._(msg`No policy entry applies: they stay indefinitely.`))
  else {
    const version = i18n.number(rule.policy_version)
    const basis = i18n._(BASIS_WORDS[rule.retention_timestamp])
    const [deletes = '', destroys = ''] = [rule.delete_after_days, rule.destroy_after_days].map((each) =>
      each === null ? '–' : periodWords(each),
    )
    sentences.push(
      i18n._(
        msg`Policy version ${version}: deletion after ${deletes}, destruction after ${destroys}, counted from: ${basis}.`,
      ),
    )
  }
  if (minimum !== null) {
    const basis = visible(minimum.legal_basis)
    const period = periodWords(minimum.days)
    sentences.push(i18n._(msg`Law: ${basis}, ${period} from recording.`))
    if (minimum.until !== null && minimum.keeps > 0) {
      const until = getDay(i18n, minimum.until)
      sentences.push(
        i18n._(
          msg`${plural(minimum.keeps, { one: 'It protects # of them, until', other: 'It protects # of them, the last until' })} ${until}.`,
        ),
      )
    }
  }
  if (held !== null && held > 0)
    sentences.push(
      i18n._(
        msg`${plural(held, { one: 'A legal hold protects # of them.', other: 'A legal hold protects # of them.' })}`,
      ),
    )
  for (const { reason, count } of waits) {
    const why = i18n._(RETENTION_BLOCK_WORDS[reason])
    const many = i18n.number(count)
    sentences.push(i18n._(msg`${many} retained for now: ${why}.`))
  }
  if (deleted > 0)
    sentences.push(
      i18n._(
        msg`${plural(deleted, { one: '# is already deleted and can be restored until destruction.', other: '# are already deleted and can be restored until destruction.' })}`,
      ),
    )
  return sentences
}

/** Why other records are retained. */
export function reasonRecordsStay(
  i18n: I18n,
  { follows, count, never, under_way, held }: KeptRecords,
): string[] {
  return [
    ...(follows === 'Payload' && count > never ? [i18n._(msg`Deleted with their recordings.`)] : []),
    ...(follows === 'Payload' && never > 0
      ? [
          i18n._(
            msg`${plural(never, { one: 'The recording and text of # were destroyed; its record remains.', other: 'The recordings and texts of # were destroyed; their records remain.' })}`,
          ),
        ]
      : []),
    ...(follows !== 'Payload' && never > 0
      ? [
          i18n._(
            msg`${plural(never, { one: '# stays indefinitely: no policy entry applies.', other: '# stay indefinitely: no policy entry applies.' })}`,
          ),
        ]
      : []),
    ...(under_way > 0
      ? [
          i18n._(
            msg`${plural(under_way, { one: '# is still in progress.', other: '# are still in progress.' })}`,
          ),
        ]
      : []),
    ...(held !== null && held > 0
      ? [
          i18n._(
            msg`${plural(held, { one: 'A legal hold protects # of them.', other: 'A legal hold protects # of them.' })}`,
          ),
        ]
      : []),
  ]
}
