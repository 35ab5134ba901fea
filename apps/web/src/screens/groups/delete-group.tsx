import { ApiProblem } from '@custodia/client'
import type { StoredGroup } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.tsx'
import { useMay } from '../../api/use-profile.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'

/** Deletes a group after asking. A group to which something belongs stays: the refusal says what to do first. */
export function DeleteGroup({ group, onDeleted }: { group: StoredGroup; onDeleted: () => void }) {
  const { t } = useLingui()
  const { group_reference, version } = group
  if (!useMay()('groups:delete')) return null
  return (
    <DeleteButton
      question={t`Delete the group ${group_reference}?`}
      onDelete={() => api.deleteGroup({ params: { group_reference }, query: {} }, { if_match: version })}
      onDeleted={() => {
        noticeDone(t`Group ${group_reference} deleted`)
        onDeleted()
      }}
      explain={(error) =>
        error instanceof ApiProblem && error.code === 'in_use' ? (
          <Trans>
            Something still belongs to this group: device users, devices, recordings, client apps or the
            account defaults. Move them to another group first. A group with recordings stays as long as they
            are kept.
          </Trans>
        ) : undefined
      }
    >
      <Text>
        <Trans>Only a group to which nothing belongs can be deleted. Roles that name it keep the name.</Trans>
      </Text>
    </DeleteButton>
  )
}
