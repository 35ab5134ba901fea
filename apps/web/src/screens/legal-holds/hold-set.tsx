import type { Answer, Api } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { holdsApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import type { BulkProps } from '../../components/lists/list-definition.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import { visible } from '../../ui/visible.ts'
import { MatterFields, type MatterDraft, matterFaults, getMatter } from './matter-fields.tsx'

/** The rows whose device users are held. */
export interface HeldRows {
  rows: 'device_users' | 'devices' | 'recordings' | 'conversations'
  /** Names of the device users of selected rows, if the list knows them. */
  getUsers?: (keys: readonly string[]) => readonly string[]
}

type HoldAnswer = Pick<Answer<Api['holdMatterRecordings']>, 'data'> &
  Partial<Answer<Api['holdMatterRecordings']>>
type Props = BulkProps & HeldRows & { onClose: () => void }

/** Says how many people are on hold, and what no hold protects. */
function useNoticeHeld({ rows }: HeldRows) {
  const { t } = useLingui()
  return ({ data: people, without_user = 0, is_cut }: HoldAnswer, matter: string) => {
    const count = people.filter(({ status }) => status === 'Ok').length
    if (people.length > 0)
      noticeDone(
        t`${plural(count, { 0: `All of them are on hold for ${matter} already`, one: `# person placed on hold for ${matter}`, other: `# people placed on hold for ${matter}` })}`,
      )
    else if (without_user === 0) noticeDone(t`No people added`)
    if (without_user > 0)
      noticeDone(
        rows === 'devices'
          ? t`${plural(without_user, { one: '# device has no device user: no hold protects it', other: '# devices have no device user: no hold protects them' })}`
          : t`${plural(without_user, { one: '# recording has no device user: no hold protects it', other: '# recordings have no device user: no hold protects them' })}`,
      )
    if (is_cut) noticeDone(t`More recordings match: this is the limit of one operation.`)
  }
}

/** Holds what is selected, or all that matches the filters, for a matter. */
function holdRows({ rows, keys, matching }: Props, matter_id: string): Promise<HoldAnswer> {
  const asked = { params: { matter_id }, query: matching?.getQuery() ?? {} }
  if (rows === 'device_users')
    return holdsApi.holdMatterUsers({
      ...asked,
      body: matching ? { all: true } : { device_user_references: [...keys] },
    })
  if (rows === 'devices')
    return holdsApi.holdMatterDevices({
      ...asked,
      body: matching ? { all: true } : { device_references: [...keys] },
    })
  return holdsApi.holdMatterRecordings({
    ...asked,
    body: {
      ...(matching
        ? { all: true, ...(matching.words !== undefined && { words: matching.words }) }
        : { payload_references: [...keys] }),
      ...(rows === 'conversations' && { of_conversations: true }),
    },
  })
}

/** Places the device users of chosen rows on hold, for a legal matter that the user names. */
export default function HoldSet(props: Props) {
  const { t } = useLingui()
  const noticeHeld = useNoticeHeld(props)
  const form = useForm<MatterDraft, HoldAnswer>({
    initial: { matter: '', reason: '' },
    labels: { matter: t({ context: 'legal matter', message: 'Legal matter' }), reason: t`Reason` },
    check: (draft) => matterFaults(draft),
    getField: { not_permitted: 'matter', wrong_state: 'matter' },
    save: async (draft) => holdRows(props, await getMatter(draft)),
    onSaved: (held) => {
      noticeHeld(held, visible(form.values.matter.trim()))
      props.onDone()
    },
  })
  return (
    <Dialog title={t`Place on legal hold`} onClose={props.onClose}>
      <ShortForm
        form={form}
        save={<Trans>Place on hold</Trans>}
        icon={<Icon name="lock" size={16} />}
        onCancel={props.onClose}
      >
        <Text size="sm">
          <HeldPeople {...props} />{' '}
          <Trans>Retention deletes none of their recordings until the hold is released.</Trans>
        </Text>
        <MatterFields form={form} isFirst />
      </ShortForm>
    </Dialog>
  )
}

/** Who is held: by name where the list knows it. */
function HeldPeople({ rows, keys, matching, getUsers }: Props) {
  const { i18n } = useLingui()
  const known = matching?.total ?? { total: keys.length }
  const [count, total] = [known.total, totalText(known, (each) => i18n.number(each))]
  const names = matching ? '' : (getUsers?.(keys).join(', ') ?? '')
  if (names !== '') return <Trans>Holds {names}.</Trans>
  switch (rows) {
    case 'device_users':
      return <Plural value={count} one="Holds the device user." other={`Holds the ${total} device users.`} />
    case 'devices':
      return (
        <Plural
          value={count}
          one="Holds the device user of the device."
          other={`Holds the device users of the ${total} devices.`}
        />
      )
    case 'conversations':
      return (
        <Plural
          value={count}
          one="Holds the device user of the conversation."
          other={`Holds the device users of the ${total} conversations.`}
        />
      )
    case 'recordings':
      return (
        <Plural
          value={count}
          one="Holds the device user of the recording."
          other={`Holds the device users of the ${total} recordings.`}
        />
      )
  }
}
