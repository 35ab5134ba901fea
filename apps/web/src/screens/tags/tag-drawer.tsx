import { type StoredTag, TagInput, TagKey } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Input, SegmentedControl, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.tsx'
import { useMay } from '../../api/use-profile.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { RecordDrawer } from '../../ui/form/record-drawer.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { ReviewNotice } from '../../components/review/review-notice.tsx'
import { isForbidden, movesRights, type Review, useReview } from '../../components/review/use-review.ts'
import { BrokenGroups } from './broken-groups.tsx'
import { DeleteTag } from './delete-tag.tsx'
import { draftOfTag, NEW_TAG, tagInput, type TagDraft } from './tag-form.ts'
import { tagQuery } from './tag-queries.ts'
import { IN_PLACE } from '../../ui/form/in-place.ts'

/** Creates a tag definition, or changes the one called `tagKey`. */
export default function TagDrawer({ tagKey, onClose }: { tagKey?: string; onClose: () => void }) {
  return tagKey === undefined ? (
    <TagForm onClose={onClose} />
  ) : (
    <ExistingTag tagKey={tagKey} onClose={onClose} />
  )
}

function ExistingTag({ tagKey, onClose }: { tagKey: string; onClose: () => void }) {
  const record = useQuery(tagQuery(tagKey))
  return (
    <RecordDrawer record={record} title={tagKey} onClose={onClose}>
      {(tag) => (
        <TagForm key={tag.version} tag={tag} onClose={onClose} onReload={() => void record.refetch()} />
      )}
    </RecordDrawer>
  )
}

type TagReview = Review & Awaited<ReturnType<typeof api.reviewTag>>

function TagForm({
  tag,
  onClose,
  onReload,
}: {
  tag?: StoredTag
  onClose: () => void
  onReload?: () => void
}) {
  const { t } = useLingui()
  const may = useMay()
  const isReadOnly = !may('tags:update')
  const review = useReview<TagDraft, TagReview>()
  const labels = {
    tag_key: t`Key`,
    tag_values: t`Values`,
    is_required: t`Required`,
    default_value: t`Default`,
  }
  const form = useForm<TagDraft, StoredTag>({
    initial: tag === undefined ? NEW_TAG : draftOfTag(tag),
    check: (draft) => [
      ...shapeFaults(TagKey, draft.tag_key.trim(), 'tag_key'),
      ...shapeFaults(TagInput, tagInput(draft)),
    ],
    labels,
    fieldOf: { already_exists: 'tag_key' },
    save: async (draft) => {
      const call = { params: { tag_key: draft.tag_key.trim() }, body: tagInput(draft) }
      const judged = may('tags:review')
        ? await review.judge(
            draft,
            () => api.reviewTag({ ...call, query: {} }),
            (found) => found.broken_count > 0 || movesRights(found),
          )
        : null
      if (judged === undefined) return undefined
      return api.saveTag(
        {
          ...call,
          query: {
            ...(judged !== null && judged.broken_count > 0 ? { force_update: true } : {}),
            ...(judged?.impact.locks_out ? { confirm_lockout: true } : {}),
          },
        },
        tag === undefined ? { if_none_match: true } : { if_match: tag.version },
      )
    },
    onSaved: ({ tag_key }) => {
      noticeDone(t`Tag ${tag_key} saved`)
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
      title={tag === undefined ? t`Create tag` : tag.tag_key}
      form={form}
      onClose={onClose}
      {...(onReload ? { onReload } : {})}
      isReadOnly={isReadOnly}
      isForbidden={found !== undefined && (isForbidden(found) || found.warnings.length > 0)}
      submitLabel={
        found === undefined ? undefined : found.broken_count > 0 ? (
          <Plural value={found.broken_count} one="Apply to # group" other="Apply to # groups" />
        ) : (
          <Trans>Save anyway</Trans>
        )
      }
      actions={tag !== undefined && <DeleteTag tag={tag} onDeleted={leave} />}
    >
      {found !== undefined && (
        <ReviewNotice title={t`Before it is saved`} review={found}>
          {found.broken_count > 0 && (
            <BrokenGroups
              groups={found.broken_groups}
              count={found.broken_count}
              obstacles={found.warnings}
            />
          )}
        </ReviewNotice>
      )}
      <TextInput
        label={labels.tag_key}
        description={t`What the tag says about a group, for example region`}
        {...form.field('tag_key')}
        {...readOnlyLook(tag !== undefined || isReadOnly)}
        required={tag === undefined}
        data-autofocus={tag === undefined || undefined}
      />
      <Input.Wrapper label={labels.tag_values} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={labels.tag_values}
          readOnly={isReadOnly}
          data={[
            { value: 'any', label: t`Any` },
            { value: 'listed', label: t`Only these` },
            { value: 'none', label: t`None` },
          ]}
          value={values.values}
          onChange={(next) => form.set({ values: next as TagDraft['values'] })}
        />
      </Input.Wrapper>
      {values.values === 'listed' && (
        <TagsInput
          comboboxProps={IN_PLACE}
          label={t`Allowed values`}
          description={t`Press Enter after each value`}
          value={values.listed}
          onChange={(listed) => form.set({ listed })}
          {...readOnlyLook(isReadOnly)}
          splitChars={[]}
          acceptValueOnBlur
          error={errorAt('tag_values')}
          clearButtonProps={{ 'aria-label': t`Clear` }}
          clearable
        />
      )}
      {values.values === 'none' && <Input.Error component="div">{errorAt('tag_values')}</Input.Error>}
      <Switch
        label={labels.is_required}
        description={t`Every group carries it; groups without it get the default`}
        {...form.flag('is_required')}
        disabled={isReadOnly}
      />
      {values.values === 'listed' ? (
        <Select
          comboboxProps={IN_PLACE}
          label={labels.default_value}
          data={[...new Set(values.listed)]}
          value={values.default_value === '' ? null : values.default_value}
          onChange={(next) => form.set({ default_value: next ?? '' })}
          error={errorAt('default_value')}
          placeholder={t`No default`}
          {...readOnlyLook(isReadOnly)}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t`Clear` }}
          nothingFoundMessage={t`Nothing found`}
        />
      ) : (
        values.values === 'any' && (
          <TextInput
            label={labels.default_value}
            placeholder={t`No default`}
            {...form.field('default_value')}
            {...readOnlyLook(isReadOnly)}
            maxLength={255}
          />
        )
      )}
    </FormDrawer>
  )
}
