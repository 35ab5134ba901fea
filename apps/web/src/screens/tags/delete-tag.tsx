import type { StoredTag } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.tsx'
import { useMay } from '../../api/use-profile.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'

/** Deletes a definition after asking; groups keep their tags, which then are free. */
export function DeleteTag({ tag, onDeleted }: { tag: StoredTag; onDeleted: () => void }) {
  const { t } = useLingui()
  const { tag_key, version, groups } = tag
  if (!useMay()('tags:delete')) return null
  return (
    <DeleteButton
      question={t`Delete the tag ${tag_key}?`}
      onDelete={() => api.deleteTag({ params: { tag_key }, query: {} }, { if_match: version })}
      onDeleted={() => {
        noticeDone(t`Tag ${tag_key} deleted`)
        onDeleted()
      }}
    >
      <Text>
        {groups === 0 ? (
          <Trans>No group carries it.</Trans>
        ) : (
          <Plural
            value={groups}
            one="# group keeps the tag, which may then have any value."
            other="# groups keep the tag, which may then have any value."
          />
        )}
      </Text>
    </DeleteButton>
  )
}
