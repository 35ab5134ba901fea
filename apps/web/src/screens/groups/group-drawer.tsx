import { GroupInput, GroupReference, type StoredGroup } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.tsx'
import { useMay } from '../../api/use-profile.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { RecordDrawer } from '../../ui/form/record-drawer.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { tagDefinitionsQuery } from '../../components/choices.ts'
import { ReviewNotice } from '../../components/review/review-notice.tsx'
import { isForbidden, movesRights, type Review, useReview } from '../../components/review/use-review.ts'
import { DeleteGroup } from './delete-group.tsx'
import { groupQuery } from './group-queries.ts'
import { type TagDraft, TagFields } from './tag-fields.tsx'

const SIZE = 560

/** Creates a group, or changes the tags of the one called `reference`. */
export default function GroupDrawer({ reference, onClose }: { reference?: string; onClose: () => void }) {
  return reference === undefined ? (
    <GroupForm onClose={onClose} />
  ) : (
    <ExistingGroup reference={reference} onClose={onClose} />
  )
}

function ExistingGroup({ reference, onClose }: { reference: string; onClose: () => void }) {
  const record = useQuery(groupQuery(reference))
  return (
    <RecordDrawer record={record} title={reference} onClose={onClose} size={SIZE}>
      {(group) => (
        <GroupForm
          key={group.version}
          group={group}
          onClose={onClose}
          onReload={() => void record.refetch()}
        />
      )}
    </RecordDrawer>
  )
}

interface GroupDraft {
  group_reference: string
  tags: TagDraft[]
}

const referenceOf = ({ group_reference }: GroupDraft): string => group_reference.trim()
const inputOf = ({ tags }: GroupDraft): GroupInput => ({
  tags: tags.map(({ key, value }) => ({ key: key.trim(), value })),
})

function GroupForm(props: { group?: StoredGroup; onClose: () => void; onReload?: () => void }) {
  const { t } = useLingui()
  const { group, onClose, onReload } = props
  const may = useMay()
  const isReadOnly = !may('groups:update')
  const { data: definitions = [] } = useQuery({ ...tagDefinitionsQuery, enabled: may('tags:list') })
  const review = useReview<GroupDraft, Review>()
  const labels = {
    group_reference: t`Name`,
    tags: t`Tags`,
    'tags.*': (number: number) => t`Tag ${number}`,
    'tags.*.key': t`Key`,
    'tags.*.value': t`Value`,
  }
  const form = useForm<GroupDraft, StoredGroup>({
    initial: {
      group_reference: group?.group_reference ?? '',
      tags: (group?.tags ?? []).map((tag, id) => ({ ...tag, id })),
    },
    check: (draft) => [
      ...shapeFaults(GroupReference, referenceOf(draft), 'group_reference'),
      ...shapeFaults(GroupInput, inputOf(draft)),
    ],
    labels,
    fieldOf: { already_exists: 'group_reference' },
    save: async (draft) => {
      const call = { params: { group_reference: referenceOf(draft) }, body: inputOf(draft) }
      const judged = may('groups:review')
        ? await review.judge(draft, () => api.reviewGroup({ ...call, query: {} }), movesRights)
        : null
      if (judged === undefined) return undefined
      return api.saveGroup(
        { ...call, query: judged?.impact.locks_out ? { confirm_lockout: true } : {} },
        group === undefined ? { if_none_match: true } : { if_match: group.version },
      )
    },
    onSaved: ({ group_reference }) => {
      noticeDone(t`Group ${group_reference} saved`)
      onClose()
    },
  })
  const { values, errorAt, abandon } = form
  const leave = () => {
    abandon()
    onClose()
  }
  const found = review.reviewOf(values)
  return (
    <FormDrawer
      title={group === undefined ? t`Create group` : group.group_reference}
      form={form}
      onClose={onClose}
      {...(onReload ? { onReload } : {})}
      isReadOnly={isReadOnly}
      isForbidden={found !== undefined && isForbidden(found)}
      submitLabel={found && <Trans>Save anyway</Trans>}
      actions={group !== undefined && <DeleteGroup group={group} onDeleted={leave} />}
      size={SIZE}
    >
      {found !== undefined && <ReviewNotice title={t`Before it is saved`} review={found} />}
      <TextInput
        label={labels.group_reference}
        {...form.field('group_reference')}
        {...readOnlyLook(group !== undefined || isReadOnly)}
        required={group === undefined}
        data-autofocus={group === undefined || undefined}
      />
      <TagFields
        tags={values.tags}
        onChange={(tags) => form.set({ tags })}
        definitions={definitions}
        errorAt={errorAt}
        isReadOnly={isReadOnly}
      />
    </FormDrawer>
  )
}
