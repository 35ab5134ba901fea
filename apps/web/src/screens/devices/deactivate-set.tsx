import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { fleetActsApi } from '../../api/fleet-acts-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import type { BulkProps } from '../../components/lists/list-definition.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import { SetOutcomes, type SetOutcome } from './send-command.tsx'

/** Deactivates the selected devices, or all that match the filters, for permitted users. */
export default function DeactivateSet({ keys, matching, onDone }: BulkProps) {
  const { t, i18n } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly SetOutcome[]>()
  if (!useMay()('devices:deactivate')) return null
  const total = matching?.total && totalText(matching.total, (count) => i18n.number(count))
  const deactivate = async () => {
    const { data, is_cut } = await fleetActsApi.deactivateDevices({
      query: matching?.getQuery() ?? {},
      body: matching ? { all: true } : { device_references: [...keys] },
    })
    setAsking(false)
    if (is_cut) noticeDone(t`More devices match: this is the limit of one operation.`)
    if (data.some(({ status }) => status !== 'Ok')) return setOutcomes(data)
    noticeDone(t`${plural(data.length, { one: '# device deactivated', other: '# devices deactivated' })}`)
    onDone()
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="x" size={15} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Deactivate…</Trans>
      </Button>
      {isAsking && (
        <Confirm
          title={
            matching
              ? t`Deactivate all ${total} matching devices?`
              : t`${plural(keys.length, { one: 'Deactivate # device?', other: 'Deactivate # devices?' })}`
          }
          confirmLabel={t`Deactivate`}
          isDangerous
          onClose={() => setAsking(false)}
          onConfirm={deactivate}
        >
          <Plural
            value={matching ? 2 : keys.length}
            one="Its access ends now. Authenticating again reactivates it."
            other="Their access ends now. Authenticating again reactivates them."
          />
        </Confirm>
      )}
      {outcomes && (
        <SetOutcomes
          title={t`Not all devices were deactivated`}
          outcomes={outcomes}
          onClose={() => {
            setOutcomes(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}
