import { type DeviceUser, ENROLMENT_USES_LIMIT, type NewEnrolment } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, NumberInput, Select, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { fleetApi } from '../../api/fleet-api.ts'
import { personName } from '../../components/names.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { type Form, useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { NewEnrolmentView } from './new-enrolment.tsx'

/** Offered validity in days; the default comes first. */
export const DAYS = { person: [7, 1, 30], account: [90, 30, 365] } as const

interface Draft {
  days: string
  /** Empty: unlimited. */
  max_uses: number | string
  matches_email: boolean
  description: string
}

/** Creates an enrolment and shows its code and text, which exist only while the dialog is open. */
export default function EnrolDialog({ user, onClose }: { user: DeviceUser | null; onClose: () => void }) {
  const [made, setMade] = useState<NewEnrolment>()
  const { t } = useLingui()
  const name = user && visible(personName(user) || user.device_user_reference)
  return (
    <Dialog
      title={name === null ? t`Enrol phones in bulk` : t`Enrol a phone for ${name}`}
      size="lg"
      onClose={onClose}
    >
      {made ? (
        <NewEnrolmentView enrolment={made} onClose={onClose} />
      ) : (
        <ProposalInput user={user} onMade={setMade} onClose={onClose} />
      )}
    </Dialog>
  )
}

/** Creates the enrolment of a person's phone, or of a roll-out. */
function create(draft: Draft, user: DeviceUser | null): Promise<NewEnrolment> {
  const body = {
    expires_in_days: Number(draft.days),
    description: draft.description.trim() || null,
  }
  if (user) {
    const { device_user_reference } = user
    return fleetApi.createEnrolmentOfUser({ params: { device_user_reference }, query: {}, body })
  }
  const max_uses = draft.max_uses === '' ? null : Number(draft.max_uses)
  const { matches_email } = draft
  return fleetApi.createEnrolment({ query: {}, body: { ...body, max_uses, matches_email } })
}

function RollOutFields({ form }: { form: Form<Draft> }) {
  const { t } = useLingui()
  const { errorAt, set, values } = form
  return (
    <>
      <NumberInput
        label={t`Phones at most`}
        description={t`Empty: no limit`}
        min={1}
        max={ENROLMENT_USES_LIMIT}
        allowDecimal={false}
        value={values.max_uses}
        onChange={(value) => set({ max_uses: value })}
        error={errorAt('max_uses')}
      />
      <Switch
        label={t`Match by email address`}
        description={t`Anyone with the code can claim any address: keep it in your device management.`}
        checked={values.matches_email}
        onChange={({ currentTarget: { checked } }) => set({ matches_email: checked })}
      />
    </>
  )
}

/** Validity and, for a roll-out, the number of phones. */
function ProposalInput({
  user,
  onMade,
  onClose,
}: {
  user: DeviceUser | null
  onMade: (made: NewEnrolment) => void
  onClose: () => void
}) {
  const { t } = useLingui()
  const days = DAYS[user ? 'person' : 'account']
  const form = useForm<Draft, NewEnrolment>({
    initial: { days: String(days[0]), max_uses: '', matches_email: false, description: '' },
    labels: {
      expires_in_days: t`Valid for`,
      max_uses: t`Phones at most`,
      matches_email: t`Match by email address`,
      description: t`Note`,
    },
    save: (draft) => create(draft, user),
    onSaved: onMade,
  })
  const { errorAt, field, set, values } = form
  const isFull = user && user.actual_device_count >= user.expected_device_count
  return (
    <ShortForm
      form={form}
      save={<Trans>Show the code</Trans>}
      icon={<Icon name="qr" size={16} />}
      onCancel={onClose}
    >
      <Text size="sm">
        {user ? (
          <Trans>
            You get a QR code for one phone. The first phone to scan it is theirs without confirmation.
          </Trans>
        ) : values.matches_email ? (
          <Trans>The code assigns each device to the person of the given address.</Trans>
        ) : (
          <Trans>Each device with the code waits for your confirmation.</Trans>
        )}
      </Text>
      {isFull && (
        <Alert color="orange" icon={<Icon name="warning" />} p="sm">
          <Trans>They have all expected phones. One more raises an alert.</Trans>
        </Alert>
      )}
      <Select
        comboboxProps={{ withinPortal: true }}
        label={t`Valid for`}
        data={days.map((count) => ({
          value: String(count),
          label: t`${plural(count, { one: '# day', other: '# days' })}`,
        }))}
        value={values.days}
        onChange={(value) => value !== null && set({ days: value })}
        error={errorAt('expires_in_days')}
        allowDeselect={false}
        data-autofocus
      />
      {user === null && <RollOutFields form={form} />}
      <TextInput label={t`Note`} description={t`For you and your colleagues`} {...field('description')} />
    </ShortForm>
  )
}
