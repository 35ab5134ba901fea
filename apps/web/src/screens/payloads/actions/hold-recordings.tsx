import { type Answer, type Api, MATTER_NAME_LIMIT, MatterName } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Autocomplete, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pageOf } from '../../../api/all-pages.ts'
import { keyOf } from '../../../api/call-keys.ts'
import { holdsApi } from '../../../api/governance-api.ts'
import { noticeDone } from '../../../api/notices.ts'
import { useMay } from '../../../api/use-profile.ts'
import type { BulkProps } from '../../../components/lists/list-definition.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { shapeFaults } from '../../../ui/form/faults.ts'
import { chooseOnlyMatch } from '../../../theme/theme.ts'
import { IN_PLACE } from '../../../ui/form/in-place.ts'
import { ShortForm } from '../../../ui/form/short-form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Icon } from '../../../ui/icon.tsx'
import { totalText } from '../../../ui/text.ts'
import { visible } from '../../../ui/visible.ts'
import { rowOf } from '../queries.ts'

/** Open matters to choose from; another name opens a new one. */
const MOST = 200
const openMatters = {
  queryKey: keyOf('listLegalMatters', 'open'),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    pageOf(holdsApi.listLegalMatters({ query: { is_open: true, limit: MOST } }, { signal })),
}

/** Names of the device users of selected recordings, by the loaded lists. */
function usersOf(keys: readonly string[]): string[] {
  const names = new Map<string, string>()
  for (const key of keys) {
    const { device_user_reference: user, person_name } = rowOf(key) ?? {}
    if (user) names.set(user, visible(person_name ?? user))
  }
  return [...names.values()].toSorted()
}

type Held = Answer<Api['holdMatterRecordings']>

/** Says how many people are on hold, and what no hold protects. */
function useNoticeHeld() {
  const { t } = useLingui()
  return ({ data: people, without_user, is_cut }: Held, matter: string) => {
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
  const may = useMay()
  const { data } = useQuery(openMatters)
  const matters = data?.data ?? []
  const noticeHeld = useNoticeHeld()
  const matterOf = (name: string) =>
    matters.find((each) => each.name.toLocaleLowerCase() === name.trim().toLocaleLowerCase())
  const form = useForm<{ matter: string }, Held>({
    initial: { matter: '' },
    labels: { matter: t`Legal matter` },
    check: ({ matter }) => shapeFaults(MatterName, matter.trim(), 'matter'),
    fieldOf: { not_permitted: 'matter', wrong_state: 'matter' },
    save: async ({ matter }) => {
      const { matter_id } =
        matterOf(matter) ?? (await holdsApi.openLegalMatter({ body: { name: matter.trim() } }))
      return holdsApi.holdMatterRecordings({
        params: { matter_id },
        query: matching?.queryOf() ?? {},
        body: {
          ...(matching
            ? matching.words !== undefined && { words: matching.words }
            : { payload_references: [...keys] }),
          ...(ofConversations && { of_conversations: true }),
        },
      })
    },
    onSaved: (held) => {
      noticeHeld(held, visible(form.values.matter.trim()))
      props.onDone()
    },
  })
  const known = matching?.total ?? { total: keys.length }
  const [count, total] = [known.total, totalText(known, (each) => i18n.number(each))]
  const names = matching || ofConversations ? '' : usersOf(keys).join(', ')
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
        <Autocomplete
          label={t`Legal matter`}
          description={
            may('account.legal_matters:create')
              ? t`An open matter, or the name of a new one`
              : t`The name of an open matter`
          }
          comboboxProps={IN_PLACE}
          // A complete name has no suggestions that would cover the buttons.
          data={matterOf(form.values.matter) ? [] : [...new Set(matters.map(({ name }) => name))]}
          onKeyDown={chooseOnlyMatch}
          {...form.field('matter')}
          maxLength={MATTER_NAME_LIMIT}
          required
          data-autofocus
        />
      </ShortForm>
    </Dialog>
  )
}
