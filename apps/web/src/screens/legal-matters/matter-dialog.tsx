import { HoldReason, type LegalMatter, MATTER_NAME_LIMIT, MatterName } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { holdsApi } from '../../api/governance-api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { oneLine, getReason } from '../legal-holds/matter-fields.tsx'

/** Creates a matter and opens its page. */
export default function MatterDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const form = useForm<{ name: string; reason: string }, LegalMatter>({
    initial: { name: '', reason: '' },
    labels: { name: t`Name`, reason: t`Reason` },
    check: ({ name, reason }) => [
      ...shapeFaults(MatterName, oneLine(name), 'name'),
      ...(oneLine(reason) === '' ? [] : shapeFaults(HoldReason, oneLine(reason), 'reason')),
    ],
    save: ({ name, reason }) =>
      holdsApi.openLegalMatter({ query: {}, body: { name: oneLine(name), ...getReason(reason) } }),
    onSaved: ({ matter_id }) => {
      onClose()
      void navigate({ to: '/dashboard/governance/matters', search: { matter: matter_id } })
    },
  })
  const { field } = form
  return (
    <Dialog title={t`Open a matter`} onClose={onClose}>
      <ShortForm form={form} save={<Trans>Open</Trans>} onCancel={onClose}>
        <Text size="sm">
          <Trans>Add people on its page to place them on hold.</Trans>
        </Text>
        <TextInput
          label={t`Name`}
          description={t`For example an inquiry number. Shown on holds and lists; cannot be changed later.`}
          {...field('name')}
          maxLength={MATTER_NAME_LIMIT}
          autoComplete="off"
          required
          data-autofocus
        />
        <TextInput
          label={t`Reason`}
          description={t`Optional. Shown in each hold’s history, never logged`}
          {...field('reason')}
          maxLength={500}
          autoComplete="off"
        />
      </ShortForm>
    </Dialog>
  )
}
