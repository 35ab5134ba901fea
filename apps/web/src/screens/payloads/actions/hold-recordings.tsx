import type { Answer, Api } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { holdsApi } from '../../../api/governance-api.ts'
import { noticeDone } from '../../../api/notices.ts'
import type { BulkProps } from '../../../components/lists/list-definition.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { ShortForm } from '../../../ui/form/short-form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Icon } from '../../../ui/icon.tsx'
import { totalText } from '../../../ui/text.ts'
import { visible } from '../../../ui/visible.ts'
import { MatterFields, type MatterDraft, matterFaults, getMatter } from '../../legal-holds/matter-fields.tsx'
import { getRow } from '../queries.ts'

/** Names of the device users of selected recordings, by the loaded lists. */
function getUsers(keys: readonly string[]): string[] {
  const names = new Map<string, string>()
  for (const key of keys) {
    const { device_user_reference: user, person_name } = getRow(key) ?? {}
    if (user) names.set(user, visible(person_name ?? user))
  }
  return [...names.values()].toSorted()
}

type HoldAnswer = Answer<Api['holdMatterRecordings']>

/** Says how many people are on hold, and what no hold protects. */
function useNoticeHeld() {
  const { t } = useLingui()
  return ({ data: people, without_user, is_cut }: HoldAnswer, matter: string) => {
    const count = people.filter(({ status }) => status === 'Ok').length
    noticeDone(
      t`${plural(count, { 0: `All of them are on hold for ${matter} already`, one: `# person placed on hold for ${matter}`, other: `# people placed on hold for ${matter}` })}`,
    )
    if (without_user > 0)
      noticeDone(
        t`${plural(without_user, { one: '# recording has no device user: no hold protects it', other: '# recordings have no device user: no hold protects them' })}`,
      )
    if (is_cut) noticeDone(t`More recordings match: this is the limit of one operation.`)
  }
}

/** Places the device users of chosen recordings on hold, for a legal matter that the user names. */
export default function HoldRecordings(props: BulkProps & { ofConversations?: true; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const { keys, matching, ofConversations } = props
  const noticeHeld = useNoticeHeld()
  const form = useForm<MatterDraft, HoldAnswer>({
    initial: { matter: '', reason: '' },
    labels: { matter: t({ context: 'legal matter', message: 'Legal matter' }), reason: t`Reason` },
    check: (draft) => matterFaults(draft),
    getField: { not_permitted: 'matter', wrong_state: 'matter' },
    save: async (draft) =>
      holdsApi.holdMatterRecordings({
        params: { matter_id: await getMatter(draft) },
        query: matching?.getQuery() ?? {},
        body: {
          ...(matching
            ? matching.words !== undefined && { words: matching.words }
            : { payload_references: [...keys] }),
          ...(ofConversations && { of_conversations: true }),
        },
      }),
    onSaved: (held) => {
      noticeHeld(held, visible(form.values.matter.trim()))
      props.onDone()
    },
  })
  const known = matching?.total ?? { total: keys.length }
  const [count, total] = [known.total, totalText(known, (each) => i18n.number(each))]
  const names = matching || ofConversations ? '' : getUsers(keys).join(', ')
  return (
    <Dialog title={t`Place on legal hold`} onClose={props.onClose}>
      <ShortForm
        form={form}
        save={<Trans>Place on hold</Trans>}
        icon={<Icon name="lock" size={16} />}
        onCancel={props.onClose}
      >
        <Text size="sm">
          {ofConversations ? (
            <Plural
              value={count}
              one="Holds the device user of the conversation."
              other={`Holds the device users of the ${total} conversations.`}
            />
          ) : names === '' ? (
            <Plural
              value={count}
              one="Holds the device user of the recording."
              other={`Holds the device users of the ${total} recordings.`}
            />
          ) : (
            <Trans>Holds {names}.</Trans>
          )}{' '}
          <Trans>Retention deletes none of their recordings until the hold is released.</Trans>
        </Text>
        <MatterFields form={form} isFirst />
      </ShortForm>
    </Dialog>
  )
}
