import type { KeptPayloads, KeptRecords } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { formatTime, viewerZone } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { BASIS_WORDS } from '../retention/retention-words.ts'
import { RETENTION_BLOCK_WORDS } from '../words/retention-block-words.ts'

const dayOf = (i18n: I18n, at: number) => formatTime(at, i18n.locale, viewerZone(), 'day')

/** Why recordings of one kind are retained, one sentence each: policy, law, holds, and pending conditions. */
export function reasonKept(i18n: I18n, { rule, minimum, held, waits, deleted }: KeptPayloads): string[] {
  const sentences: string[] = []
  if (rule === null) sentences.push(i18n._(msg`No entry of the policy is about them: they stay for good.`))
  else {
    const version = i18n.number(rule.policy_version)
    const basis = i18n._(BASIS_WORDS[rule.retention_timestamp])
    const days = [rule.delete_after_days, rule.destroy_after_days].map((each) =>
      each === null ? '–' : i18n.number(each),
    )
    const [deletes = '', destroys = ''] = days
    sentences.push(
      i18n._(
        msg`Policy, version ${version}: days until deletion ${deletes}, until destruction ${destroys}, counted from: ${basis}.`,
      ),
    )
  }
  if (minimum !== null) {
    const basis = visible(minimum.legal_basis)
    const days = i18n.number(minimum.days)
    sentences.push(i18n._(msg`The law: ${basis}, ${days} days from the recording.`))
    if (minimum.until !== null && minimum.keeps > 0) {
      const until = dayOf(i18n, minimum.until)
      sentences.push(
        i18n._(
          msg`${plural(minimum.keeps, { one: 'It keeps # of them, until', other: 'It keeps # of them, the last until' })} ${until}.`,
        ),
      )
    }
  }
  if (held !== null && held > 0)
    sentences.push(
      i18n._(
        msg`${plural(held, { one: 'A legal hold stops # of them from going.', other: 'A legal hold stops # of them from going.' })}`,
      ),
    )
  for (const { reason, count } of waits) {
    const why = i18n._(RETENTION_BLOCK_WORDS[reason])
    const many = i18n.number(count)
    sentences.push(i18n._(msg`${many} stay for now: ${why}.`))
  }
  if (deleted > 0)
    sentences.push(
      i18n._(
        msg`${plural(deleted, { one: '# is deleted already, and can be brought back until it is destroyed.', other: '# are deleted already, and can be brought back until they are destroyed.' })}`,
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
    ...(follows === 'Payload' && count > never
      ? [i18n._(msg`They go with the recordings on which they stand.`)]
      : []),
    ...(follows === 'Payload' && never > 0
      ? [
          i18n._(
            msg`${plural(never, { one: 'The recording of # was destroyed, with what was written: that it was there stays.', other: 'The recordings of # were destroyed, with what was written: that they were there stays.' })}`,
          ),
        ]
      : []),
    ...(follows !== 'Payload' && never > 0
      ? [
          i18n._(
            msg`${plural(never, { one: '# stays for good: no entry of the policy is about it.', other: '# stay for good: no entry of the policy is about them.' })}`,
          ),
        ]
      : []),
    ...(under_way > 0
      ? [i18n._(msg`${plural(under_way, { one: '# is not over yet.', other: '# are not over yet.' })}`)]
      : []),
    ...(held !== null && held > 0
      ? [
          i18n._(
            msg`${plural(held, { one: 'A legal hold stops # of them from going.', other: 'A legal hold stops # of them from going.' })}`,
          ),
        ]
      : []),
  ]
}
